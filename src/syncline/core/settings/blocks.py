"""Reads the settings that are YAML inside a text: filters of kinds, compare options, global projects, scopes.

Called by `syncline.core.settings.assemble`. Field names count without regard to capitals, as Go decodes them. A field
that does not exist is named in `Block.unknown` and the rest still holds; a block of the wrong shape is an
`InvalidValue`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from syncline.apimachinery import yaml
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.core.settings.values import InvalidValue, boolean, words
from syncline.model.settings.parts import GlobalProject
from syncline.model.settings.resources import CompareOptions, ResourceFilter, StatusFields

T = TypeVar("T")


class Block(msgspec.Struct, Generic[T], frozen=True):
    """What a block says, the fields in it that do not exist, the ones that do, and a value that was passed over."""

    value: T
    unknown: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    complaint: str = ""


def load(text: str) -> Any:
    """Return the value of a block; an empty one is None."""
    try:
        documents = yaml.load_documents(text)
    except yaml.YamlError as error:
        raise InvalidValue(f"is not YAML: {error.message} (line {error.line} of the block)") from None
    if len(documents) > 1:
        raise InvalidValue("holds more than one YAML document")
    return documents[0].value if documents else None


def anything(text: str) -> Block[None]:
    """Read a block of which only the form matters here; its content is somebody else's, and may be secret."""
    load(text)
    return Block(None)


def filters(text: str) -> Block[tuple[ResourceFilter, ...]]:
    """Read `resource.exclusions` or `resource.inclusions`."""
    known = ("apiGroups", "kinds", "clusters")
    found: list[ResourceFilter] = []
    unknown: list[str] = []
    for item in _list(load(text)):
        fields, extra = _fields(item, (*known, "selector"))
        unknown += extra
        found.append(
            ResourceFilter(**{name: _texts(fields.get(spelled), spelled) for name, spelled in _FILTER.items()})
        )
    return Block(tuple(found), tuple(unknown), known)


def compare_options(text: str) -> Block[CompareOptions]:
    """Read `resource.compareoptions`; a word that `ignoreResourceStatusField` does not know means its default."""
    known = ("ignoreAggregatedRoles", "ignoreResourceStatusField", "ignoreDifferencesOnResourceUpdates")
    loaded = load(text)
    fields, unknown = _fields(loaded if loaded is not None else {}, known)
    status = _STATUS.get(str(fields.get(known[1], "")).lower())
    options = CompareOptions(
        ignore_aggregated_roles=_boolean(fields, known[0], otherwise=False),
        ignore_status=status or StatusFields.ALL,
        ignore_differences_on_updates=_boolean(fields, known[2], otherwise=True),
    )
    complaint = "" if status else f"has {known[1]} that is not all, crd or none; all is used instead"
    return Block(options, unknown, known, complaint)


def global_projects(text: str) -> Block[tuple[GlobalProject, ...]]:
    """Read `globalProjects`: a project and the labels of the projects it holds for."""
    known = ("projectName", "labelSelector")
    found: list[GlobalProject] = []
    unknown: list[str] = []
    for item in _list(load(text)):
        fields, extra = _fields(item, known)
        unknown += extra
        if not isinstance(fields.get("projectName"), str):
            raise InvalidValue("holds an entry without projectName")
        found.append(_global_project(fields))
    return Block(tuple(found), tuple(unknown), known)


def scopes(text: str) -> tuple[str, ...]:
    """Read `scopes`: a YAML list, or words with commas between them."""
    loaded = load(text)
    return _texts(loaded, "scopes") if isinstance(loaded, list) else words(text)


_STATUS: Mapping[str, StatusFields] = {
    "": StatusFields.ALL,
    "all": StatusFields.ALL,
    "crd": StatusFields.CRD,
    "none": StatusFields.NONE,
    "off": StatusFields.NONE,
    "false": StatusFields.NONE,
}
_FILTER: Mapping[str, str] = {"api_groups": "apiGroups", "kinds": "kinds", "clusters": "clusters"}


def _global_project(fields: Mapping[str, Any]) -> GlobalProject:
    selector = fields.get("labelSelector")
    try:
        shaped = msgspec.convert(selector or {}, _Selector)
        requirements = LabelSelector.from_object(msgspec.to_builtins(shaped)).requirements
    except (msgspec.ValidationError, InvalidSelector) as error:
        raise InvalidValue(f"has an invalid labelSelector: {error}") from None
    return GlobalProject(project=fields["projectName"], requirements=requirements)


class _Expression(msgspec.Struct):
    key: str = ""
    operator: str = ""
    values: list[str] = []


class _Selector(msgspec.Struct, rename="camel"):
    match_labels: dict[str, str] = {}
    match_expressions: list[_Expression] = []


def _fields(value: Any, known: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the fields of a mapping under their right spelling, and the ones that do not exist."""
    if not isinstance(value, dict):
        raise InvalidValue("must hold fields (name: value)")
    spelled = {name.lower(): name for name in known}
    found = {spelled[str(name).lower()]: inner for name, inner in value.items() if str(name).lower() in spelled}
    return found, tuple(str(name) for name in value if str(name).lower() not in spelled)


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidValue("is not a list (lines that start with a dash)")
    return value


def _texts(value: Any, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidValue(f"has {name} that is not a list of strings")
    return tuple(value)


def _boolean(fields: Mapping[str, Any], name: str, *, otherwise: bool) -> bool:
    value = fields.get(name)
    if value is None or isinstance(value, bool):
        return otherwise if value is None else value
    try:
        return boolean(str(value))
    except InvalidValue:
        raise InvalidValue(f"has {name} that is not true or false") from None
