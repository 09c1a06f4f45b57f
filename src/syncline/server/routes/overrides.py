"""What settings say about kinds, as Argo CD's settings route has it: clients that compare for themselves need it.

Used by the route of settings, for those who are signed in. What is ignored stands there as a text; JSON is YAML too.
Actions are left out: the server runs them.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import orjson

from syncline.model.settings.resources import IgnoredFields, ResourceOverride, StatusFields
from syncline.model.settings.settings import Settings

_STATUS_OF: Final = {
    StatusFields.ALL: "*/*",
    StatusFields.CRD: "apiextensions.k8s.io/CustomResourceDefinition",
}


def resource_overrides(settings: Settings) -> dict[str, Any]:
    """Return what is special about kinds, by `group/Kind`; ignoring `status` is among it."""
    found = {one.pattern: one for one in settings.overrides}
    status = _STATUS_OF.get(settings.compare.ignore_status)
    if status is not None:
        one = found.get(status) or ResourceOverride(pattern=status)
        ignored = one.ignore_differences or IgnoredFields()
        whole = msgspec.structs.replace(ignored, json_pointers=(*ignored.json_pointers, "/status"))
        found[status] = msgspec.structs.replace(one, ignore_differences=whole)
    return {name: _shown(one) for name, one in sorted(found.items())}


def _shown(one: ResourceOverride) -> dict[str, Any]:
    told: dict[str, Any] = {
        "health.lua": one.health_lua,
        "health.lua.useOpenLibs": one.use_open_libs,
        "ignoreDifferences": _text(one.ignore_differences),
        "ignoreResourceUpdates": _text(one.ignore_resource_updates),
        "knownTypeFields": [{"field": field.field, "type": field.type} for field in one.known_type_fields],
    }
    return {name: value for name, value in told.items() if value}


def _text(ignored: IgnoredFields | None) -> str:
    if ignored is None:
        return ""
    told = {
        "jsonPointers": ignored.json_pointers,
        "jqPathExpressions": ignored.jq_path_expressions,
        "managedFieldsManagers": ignored.managed_fields_managers,
    }
    return orjson.dumps({name: value for name, value in told.items() if value}).decode()
