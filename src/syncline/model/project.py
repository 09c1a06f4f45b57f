"""The AppProject: what Applications of a team may use. Argo CD's object, field by field."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import misread
from syncline.model.application import Metadata, without_nulls
from syncline.model.errors import InvalidSpec
from syncline.model.sources.source import Value


class ProjectDestination(Value, frozen=True):
    """A cluster and namespace pattern."""

    server: str = ""
    name: str = ""
    namespace: str = ""


class GroupKindPattern(Value, frozen=True):
    """A kind, with globs."""

    group: str
    kind: str
    name: str = ""


class JWTToken(Value, frozen=True):
    """A token that was issued for a role."""

    iat: int
    exp: int = 0
    id: str = ""


class ProjectRole(Value, frozen=True):
    """A role with its policies, groups and tokens."""

    name: str
    description: str = ""
    policies: tuple[str, ...] = ()
    jwt_tokens: tuple[JWTToken, ...] = msgspec.field(name="jwtTokens", default=())
    groups: tuple[str, ...] = ()


class SyncWindow(Value, frozen=True):
    """A time in which syncs are allowed or denied."""

    kind: str = ""
    schedule: str = ""
    duration: str = ""
    applications: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    manual_sync: bool = False
    time_zone: str = ""
    and_operator: bool = False
    description: str = ""
    sync_overrun: bool = False


class OrphanedResourceKey(Value, frozen=True):
    """Orphans to leave out."""

    group: str = ""
    kind: str = ""
    name: str = ""


class OrphanedResources(Value, frozen=True):
    """Watch for objects that belong to no app."""

    warn: bool | None = None
    ignore: tuple[OrphanedResourceKey, ...] = ()


class SignatureKey(Value, frozen=True):
    """A key that commits must be signed with."""

    key_id: str = msgspec.field(name="keyID")


class DestinationServiceAccount(Value, frozen=True):
    """Who to act as in a destination."""

    server: str
    default_service_account: str
    namespace: str = ""


class ProjectSpec(Value, frozen=True):
    """The rules of a project."""

    source_repos: tuple[str, ...] = ()
    destinations: tuple[ProjectDestination, ...] = ()
    description: str = ""
    roles: tuple[ProjectRole, ...] = ()
    cluster_resource_whitelist: tuple[GroupKindPattern, ...] = ()
    cluster_resource_blacklist: tuple[GroupKindPattern, ...] = ()
    namespace_resource_whitelist: tuple[GroupKindPattern, ...] | None = None
    namespace_resource_blacklist: tuple[GroupKindPattern, ...] = ()
    orphaned_resources: OrphanedResources | None = None
    sync_windows: tuple[SyncWindow, ...] = ()
    signature_keys: tuple[SignatureKey, ...] = ()
    source_integrity: dict[str, Any] | None = None
    source_namespaces: tuple[str, ...] = ()
    permit_only_project_scoped_clusters: bool = False
    destination_service_accounts: tuple[DestinationServiceAccount, ...] = ()


class RoleTokens(Value, frozen=True):
    """Tokens of one role."""

    items: tuple[JWTToken, ...] = ()


class ProjectStatus(Value, frozen=True):
    """Tokens by role."""

    jwt_tokens_by_role: dict[str, RoleTokens] = {}


class AppProject(Value, frozen=True):
    """An AppProject as a typed value."""

    metadata: Metadata
    spec: ProjectSpec = ProjectSpec()
    status: ProjectStatus | None = None


def parse(obj: Object) -> AppProject:
    """Return the typed project; raises `InvalidSpec` naming the field that cannot be read."""
    wanted = {name: obj[name] for name in ("metadata", "spec", "status") if name in obj}
    try:
        return msgspec.convert(without_nulls(wanted), AppProject)
    except msgspec.ValidationError as error:
        name = meta.name(obj) or "?"
        raise InvalidSpec(f"AppProject {name} cannot be read: {misread.sentence(error)}") from None
