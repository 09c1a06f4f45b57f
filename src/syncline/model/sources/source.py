"""Where an Application's objects come from, in Argo CD's words.

Read from Application specs by `syncline.model.application`; handed on to source and render ports.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.model.logins import without_logins


class Value(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Shared settings of every Struct that mirrors an Argo CD type: camelCase, zero values left out."""


class HelmParameter(Value, frozen=True):
    """One `--set` or `--set-string`."""

    name: str = ""
    value: str = ""
    force_string: bool = False


class HelmFileParameter(Value, frozen=True):
    """One `--set-file`."""

    name: str = ""
    path: str = ""


class HelmSource(Value, frozen=True):
    """Options of a Helm source."""

    value_files: tuple[str, ...] = ()
    parameters: tuple[HelmParameter, ...] = ()
    file_parameters: tuple[HelmFileParameter, ...] = ()
    release_name: str = ""
    values: str = ""
    values_object: dict[str, Any] | None = None
    version: str = ""
    pass_credentials: bool = False
    ignore_missing_value_files: bool = False
    skip_crds: bool = False
    skip_tests: bool = False
    skip_schema_validation: bool = False
    namespace: str = ""
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


class KustomizeReplica(Value, frozen=True):
    """A replica count by workload name."""

    name: str
    count: int | str


class KustomizeSelector(Value, frozen=True):
    """Which objects a Kustomize patch is for."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    annotation_selector: str = ""
    label_selector: str = ""


class KustomizePatch(Value, frozen=True):
    """An inline Kustomize patch."""

    path: str = ""
    patch: str = ""
    target: KustomizeSelector | None = None
    options: dict[str, bool] = {}


class KustomizeSource(Value, frozen=True):
    """Options of a Kustomize source."""

    name_prefix: str = ""
    name_suffix: str = ""
    images: tuple[str, ...] = ()
    replicas: tuple[KustomizeReplica, ...] = ()
    common_labels: dict[str, str] = {}
    common_annotations: dict[str, str] = {}
    common_annotations_envsubst: bool = False
    force_common_labels: bool = False
    force_common_annotations: bool = False
    label_without_selector: bool = False
    label_include_templates: bool = False
    namespace: str = ""
    patches: tuple[KustomizePatch, ...] = ()
    components: tuple[str, ...] = ()
    ignore_missing_components: bool = False
    version: str = ""
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


class JsonnetVariable(Value, frozen=True):
    """An external variable or top-level argument."""

    name: str
    value: str
    code: bool = False


class JsonnetSource(Value, frozen=True):
    """Options of Jsonnet files in a directory."""

    ext_vars: tuple[JsonnetVariable, ...] = ()
    tlas: tuple[JsonnetVariable, ...] = ()
    libs: tuple[str, ...] = ()


class DirectorySource(Value, frozen=True):
    """Options of a plain directory."""

    recurse: bool = False
    include: str = ""
    exclude: str = ""
    disable_extension_filter: bool = False
    jsonnet: JsonnetSource | None = None


class EnvEntry(Value, frozen=True):
    """One environment variable of a plugin."""

    name: str
    value: str


class PluginParameter(Value, frozen=True):
    """One parameter of a plugin: a text, a list or a map."""

    name: str = ""
    string: str | None = None
    array: tuple[str, ...] | None = None
    map: dict[str, str] | None = None


class PluginSource(Value, frozen=True):
    """A config management plugin and its parameters."""

    name: str = ""
    env: tuple[EnvEntry, ...] = ()
    parameters: tuple[PluginParameter, ...] = ()


class ApplicationSource(Value, frozen=True):
    """One repository (or chart) and how to render it."""

    repo_url: str = msgspec.field(name="repoURL")
    path: str = ""
    target_revision: str = ""
    helm: HelmSource | None = None
    kustomize: KustomizeSource | None = None
    directory: DirectorySource | None = None
    plugin: PluginSource | None = None
    chart: str = ""
    ref: str = ""
    name: str = ""
    tag_prefix: str = ""

    @property
    def shown_url(self) -> str:
        """The address as it may be shown: without user and password."""
        return without_logins(self.repo_url)


class DrySource(Value, frozen=True):
    """The unrendered source of a hydrated Application."""

    repo_url: str = msgspec.field(name="repoURL")
    target_revision: str
    path: str
    helm: HelmSource | None = None
    kustomize: KustomizeSource | None = None
    directory: DirectorySource | None = None
    plugin: PluginSource | None = None


class SyncSource(Value, frozen=True):
    """Where hydrated manifests are read from."""

    target_branch: str
    path: str
    repo_url: str = msgspec.field(name="repoURL", default="")


class HydrateTo(Value, frozen=True):
    """The staging branch hydrated manifests are pushed to."""

    target_branch: str


class SourceHydrator(Value, frozen=True):
    """Rendered-manifest branches: dry source, sync source and optional staging branch."""

    dry_source: DrySource
    sync_source: SyncSource
    hydrate_to: HydrateTo | None = None
