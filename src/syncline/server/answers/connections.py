"""What is answered about repositories, credential templates, certificates, keys and clusters: never a credential."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.server.answers.kinds import Answer
from syncline.server.answers.objects import AppProject


class NoMeta(Answer, frozen=True, kw_only=True):
    """Metadata of a list that has none."""


class ConnectionState(Answer, frozen=True, kw_only=True):
    """Whether something can be reached."""

    status: str
    message: str
    attempted_at: str


class ClientConfig(Answer, frozen=True, kw_only=True):
    """How a cluster is spoken to, without what proves who we are."""

    tls_client_config: dict[str, bool]


class CacheInfo(Answer, frozen=True, kw_only=True):
    """How much of a cluster is followed."""

    resources_count: int
    apis_count: int


class ClusterInfo(Answer, frozen=True, kw_only=True):
    """What is known of a cluster."""

    connection_state: ConnectionState
    server_version: str
    applications_count: int
    api_versions: tuple[str, ...]
    cache_info: CacheInfo


class ClusterAnswer(Answer, frozen=True, kw_only=True):
    """A cluster."""

    server: str
    name: str
    project: str
    namespaces: tuple[str, ...]
    cluster_resources: bool
    labels: dict[str, str]
    connection_state: ConnectionState
    config: ClientConfig
    server_version: str
    info: ClusterInfo


class ClusterList(Answer, frozen=True, kw_only=True):
    """Clusters."""

    metadata: NoMeta
    items: tuple[ClusterAnswer, ...]


class RepositoryAnswer(Answer, frozen=True, kw_only=True):
    """A repository."""

    repo: str
    type: str = ""
    name: str = ""
    project: str = ""
    username: str = ""
    insecure: bool = False
    insecure_ignore_host_key: bool = False
    enable_lfs: bool = False
    enable_oci: bool = msgspec.field(default=False, name="enableOCI")
    inherited_creds: bool = False
    connection_state: ConnectionState


class RepositoryList(Answer, frozen=True, kw_only=True):
    """Repositories."""

    metadata: NoMeta
    items: tuple[RepositoryAnswer, ...]


class TemplateAnswer(Answer, frozen=True, kw_only=True):
    """A credential template."""

    url: str
    type: str = ""
    username: str = ""


class TemplateList(Answer, frozen=True, kw_only=True):
    """Credential templates."""

    metadata: NoMeta
    items: tuple[TemplateAnswer, ...]


class CertificateAnswer(Answer, frozen=True, kw_only=True):
    """A server whose certificate is trusted."""

    server_name: str
    cert_type: str


class CertificateList(Answer, frozen=True, kw_only=True):
    """Certificates."""

    metadata: NoMeta
    items: tuple[CertificateAnswer, ...]


class SigningKey(Answer, frozen=True, kw_only=True):
    """A key that commits may be signed with."""

    key_id: str = msgspec.field(name="keyID")


class SigningKeyList(Answer, frozen=True, kw_only=True):
    """Keys that commits may be signed with."""

    metadata: NoMeta
    items: tuple[SigningKey, ...]


class Refs(Answer, frozen=True, kw_only=True):
    """Branches and tags."""

    branches: tuple[str, ...]
    tags: tuple[str, ...]


class ChartVersions(Answer, frozen=True, kw_only=True):
    """A chart and its versions."""

    name: str
    versions: tuple[str, ...]


class ChartList(Answer, frozen=True, kw_only=True):
    """The charts of a repository."""

    items: tuple[ChartVersions, ...]


class AppFolder(Answer, frozen=True, kw_only=True):
    """A folder that an Application could come from."""

    type: str
    path: str


class AppFolders(Answer, frozen=True, kw_only=True):
    """Folders that Applications could come from."""

    items: tuple[AppFolder, ...]


class FolderDetails(Answer, frozen=True, kw_only=True):
    """What a folder is."""

    type: str
    helm: dict[str, Any] = {}
    kustomize: dict[str, Any] = {}
    directory: dict[str, Any] = {}


class DetailedProject(Answer, frozen=True, kw_only=True):
    """A project with what is its own."""

    global_projects: tuple[AppProject, ...]
    project: AppProject
    repositories: tuple[RepositoryAnswer, ...]
    clusters: tuple[ClusterAnswer, ...]


class GlobalProjects(Answer, frozen=True, kw_only=True):
    """The projects that a project inherits from."""

    items: tuple[AppProject, ...]
