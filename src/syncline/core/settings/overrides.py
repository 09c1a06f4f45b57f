"""Reads what argocd-cm says about kinds: `resource.customizations` in one block, and the keys that split it up.

Given the data of the ConfigMap; the overrides go into the settings and to `syncline.core.health.scripts`. A split key
replaces the same part of the block and leaves its other parts alone. Field names are read in any case, as Go does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from syncline.apimachinery import yaml
from syncline.core.settings import values
from syncline.model.errors import InvalidSpec
from syncline.model.settings.resources import (
    ActionDefinition,
    IgnoredFields,
    KnownTypeField,
    ResourceActions,
    ResourceOverride,
)

_BLOCK = "resource.customizations"
_IGNORING = ("ignoreDifferences", "ignoreResourceUpdates")
"""The parts in which `_Kind` stands for a core kind too: with Argo CD trusted managers of core kinds need it."""
_Part = TypeVar("_Part")


def parse(settings: Mapping[str, str]) -> tuple[ResourceOverride, ...]:
    """Return the overrides, sorted by pattern; raises InvalidSpec naming the key that cannot be read."""
    found = _of_block(settings.get(_BLOCK) or "")
    for key in sorted(settings):
        part, dot, kind = key.removeprefix(f"{_BLOCK}.").partition(".")
        reader = _SPLIT.get(part)
        if reader is None or not dot or not key.startswith(f"{_BLOCK}."):
            continue
        pattern = _pattern(kind.removeprefix("_") if part in _IGNORING else kind, key)
        override = found.get(pattern) or ResourceOverride(pattern=pattern)
        field, read = reader
        found[pattern] = msgspec.structs.replace(override, **{field: read(settings[key], key)})
    return tuple(found[pattern] for pattern in sorted(found))


def _of_block(text: str) -> dict[str, ResourceOverride]:
    block = _mapping(_loaded(text, _BLOCK), _BLOCK)
    return {pattern: _override(pattern, part, f"{_BLOCK}: {pattern}") for pattern, part in block.items()}


def _override(pattern: str, value: Any, place: str) -> ResourceOverride:
    parts = _mapping(value, place)
    opened = _field(parts, "health.lua.useOpenLibs")
    return ResourceOverride(
        pattern=pattern,
        health_lua=str(_field(parts, "health.lua") or ""),
        use_open_libs=(_field(parts, "useOpenLibs") if opened is None else opened) in (True, "true"),
        actions=_optional(_actions, _field(parts, "actions"), f"{place}: actions"),
        ignore_differences=_optional(_ignored, _field(parts, "ignoreDifferences"), f"{place}: ignoreDifferences"),
        ignore_resource_updates=_optional(
            _ignored, _field(parts, "ignoreResourceUpdates"), f"{place}: ignoreResourceUpdates"
        ),
        known_type_fields=_known(_field(parts, "knownTypeFields"), f"{place}: knownTypeFields"),
    )


def _pattern(kind: str, key: str) -> str:
    """Return `group/Kind` for `group_Kind`, `Kind` for core kinds, and `*/*` for `all`."""
    if kind == "all":
        return "*/*"
    parts = kind.split("_")
    if not all(parts) or len(parts) > 2:
        raise InvalidSpec(f"{key} does not name a kind", hint="end it with group_Kind, or with Kind for core kinds")
    return "/".join(parts)


def _actions(value: Any, place: str) -> ResourceActions:
    parts = _mapping(_loaded(value, place), place)
    definitions = _field(parts, "definitions")
    named = [_mapping(one, place) for one in (definitions if isinstance(definitions, list) else ())]
    return ResourceActions(
        discovery_lua=str(_field(parts, "discovery.lua") or ""),
        definitions=tuple(
            ActionDefinition(name=str(_field(one, "name") or ""), action_lua=str(_field(one, "action.lua") or ""))
            for one in named
        ),
        merge_builtin=_field(parts, "mergeBuiltinActions") is True,
    )


def _ignored(value: Any, place: str) -> IgnoredFields:
    parts = _mapping(_loaded(value, place), place)
    return IgnoredFields(
        json_pointers=_texts(_field(parts, "jsonPointers"), place),
        jq_path_expressions=_texts(_field(parts, "jqPathExpressions"), place),
        managed_fields_managers=_texts(_field(parts, "managedFieldsManagers"), place),
    )


def _known(value: Any, place: str) -> tuple[KnownTypeField, ...]:
    loaded = _loaded(value, place)
    items = [_mapping(one, place) for one in (loaded if isinstance(loaded, list) else ())]
    return tuple(KnownTypeField(str(_field(one, "field") or ""), str(_field(one, "type") or "")) for one in items)


def _loaded(value: Any, place: str) -> Any:
    """Return the YAML of a text; Argo CD nests YAML texts in YAML, and people leave out the bar."""
    if not isinstance(value, str):
        return value
    try:
        return yaml.load(value, source=place) if value.strip() else None
    except yaml.YamlError as error:
        raise InvalidSpec(f"{error} (this setting is YAML)") from None


def _boolean(value: str, place: str) -> bool:
    try:
        return values.boolean(value)
    except values.InvalidValue as error:
        raise InvalidSpec(f"{place} {error}") from None


def _text(value: str, _place: str) -> str:
    return value


def _optional(read: Callable[[Any, str], _Part], value: Any, place: str) -> _Part | None:
    return None if value is None else read(value, place)


def _mapping(value: Any, place: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidSpec(f"{place} is not a map of names to values")
    return value


def _texts(value: Any, place: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidSpec(f"{place} has a field that is not a list of strings")
    return tuple(value)


def _field(parts: Mapping[str, Any], name: str) -> Any:
    if name in parts:
        return parts[name]
    return next((value for key, value in parts.items() if key.lower() == name.lower()), None)


_SPLIT: Mapping[str, tuple[str, Callable[[Any, str], Any]]] = {
    "health": ("health_lua", _text),
    "useOpenLibs": ("use_open_libs", _boolean),
    "actions": ("actions", _actions),
    "ignoreDifferences": ("ignore_differences", _ignored),
    "ignoreResourceUpdates": ("ignore_resource_updates", _ignored),
    "knownTypeFields": ("known_type_fields", _known),
}
