"""Settings about kinds of objects: which are seen at all, and what is special about some of them.

Filled by `syncline.core.settings` from `resource.*` keys; read by comparison, health and actions. Everything is
hashable, so that a whole `Settings` can be part of a memo key. Lua and jq are kept as texts: nobody runs them here.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class IgnoredFields(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Fields that do not count: by JSON pointer, by jq path, or because a manager owns them."""

    json_pointers: tuple[str, ...] = ()
    jq_path_expressions: tuple[str, ...] = ()
    managed_fields_managers: tuple[str, ...] = ()


class ActionDefinition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One action on an object, as a Lua text."""

    name: str
    action_lua: str = ""


class ResourceActions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The actions of a kind: which are offered now, and what each does."""

    discovery_lua: str = ""
    definitions: tuple[ActionDefinition, ...] = ()
    merge_builtin: bool = False


class KnownTypeField(msgspec.Struct, frozen=True):
    """A field of a custom kind that holds a core type such as `core/v1/PodSpec`, and is normalized like one."""

    field: str
    type: str


class ResourceOverride(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is special about a kind. `pattern` is `group/Kind` (core kinds: `Kind`) and may be a glob.

    `*/*` stands for `all`; like Argo CD's it does not match core kinds by glob, since those have no slash.
    """

    pattern: str
    health_lua: str = ""
    use_open_libs: bool = False
    actions: ResourceActions | None = None
    ignore_differences: IgnoredFields | None = None
    ignore_resource_updates: IgnoredFields | None = None
    known_type_fields: tuple[KnownTypeField, ...] = ()


class Customizations(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, eq=False):
    """Scripts of a folder laid out as Argo CD's `resource_customizations`: they stand in for what is built in.

    `exact` is by `group/Kind`; patterns are in alphabetical order. Settings are part of memo keys, and hundreds of
    scripts are too many to hash each time: their number has to do.
    """

    exact: dict[str, ResourceOverride] = {}
    patterns: tuple[ResourceOverride, ...] = ()

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Customizations):
            return self is other
        return self.exact == other.exact and self.patterns == other.patterns

    def __hash__(self) -> int:
        return hash((len(self.exact), len(self.patterns)))


NO_CUSTOMIZATIONS = Customizations()


class ResourceFilter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A class of objects: groups and clusters are globs, kinds are names or `*`; an empty list stands for all."""

    api_groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()


class StatusFields(StrEnum):
    """Whose `status` written in Git is left out of the comparison."""

    ALL = "all"
    CRD = "crd"
    NONE = "none"


class CompareOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How all kinds are compared."""

    ignore_aggregated_roles: bool = False
    ignore_status: StatusFields = StatusFields.ALL
    ignore_differences_on_updates: bool = True


class RespectRbac(StrEnum):
    """Whether kinds that may not be listed are left out: no, by trying, or by asking the API server first."""

    OFF = ""
    NORMAL = "normal"
    STRICT = "strict"
