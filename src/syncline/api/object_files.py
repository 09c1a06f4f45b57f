"""Objects, settings and Applications out of files, for everything that works on files alone.

Read by `syncline.api.inputs` and by the commands of `syncline admin`. A file is YAML or JSON, holds several documents
or lists, and `-` is standard input. Every object knows its file and the line of its document; lines of fields take
time, so they are asked for.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from syncline.apimachinery.keys import Object
    from syncline.apimachinery.yaml import Document
    from syncline.model.desired import DesiredObject, Origin
    from syncline.model.settings.settings import Settings

NO_OBJECT = "this is not a Kubernetes object"
_ARGOCD_CM = "give the file with the ConfigMap argocd-cm, the ArgoCD resource or the values of the chart"


def located(file: str | Path, *, with_fields: bool = False, any_metadata: bool = False) -> list[DesiredObject]:
    """Return the objects of a file with where they stand; the lines of their fields too where that is asked for.

    Who can tell of metadata that has not its form, object by object, asks for `any_metadata`.
    """
    name, content = _content(file)
    return located_in(content, name, with_fields=with_fields, any_metadata=any_metadata)


def located_in(
    content: bytes, name: str, *, with_fields: bool = False, any_metadata: bool = False
) -> list[DesiredObject]:
    """Return the objects of the content of a file, as `located` does."""
    from syncline.model.desired import DesiredObject
    from syncline.model.errors import InvalidSpec, Place

    found = []
    for document in _documents(content, name):
        for obj, path in _expanded(document.value, ()):
            if problem := _problem(obj, any_metadata=any_metadata):
                place = Place(name, document.position_or_parent(path).line)
                raise InvalidSpec(NO_OBJECT, place=place, hint=problem)
            found.append(DesiredObject(obj, _origin(name, document, path, with_fields=with_fields)))
    return found


def objects_in(value: Mapping[str, Any], *, any_metadata: bool = False) -> list[Object]:
    """Return the object that a dict is, or the items of the List that it is, held to the form of those in files."""
    from syncline.model.errors import InvalidSpec

    found = []
    for obj, _ in _expanded(dict(value), ()):
        if problem := _problem(obj, any_metadata=any_metadata):
            raise InvalidSpec(NO_OBJECT, hint=problem)
        found.append(obj)
    return found


def objects(file: str | Path) -> list[Object]:
    """Return the objects of a file; a List gives its items."""
    return [item.obj for item in located(file)]


def one(file: str | Path, kind: str) -> Object:
    """Return the one object of a kind that a file holds, whatever else it holds."""
    from syncline.model.errors import InvalidSpec

    found = [obj for obj in objects(file) if obj.get("kind") == kind]
    if len(found) != 1:
        raise InvalidSpec(f"{file} holds {len(found)} {kind}s: give a file with exactly one")
    return found[0]


def kinds_settings(cm: str | Path, compat: str | None, tell: Callable[[str], None]) -> Settings:
    """Return what a file says about kinds: its first ConfigMap, whatever its name is, else any other form of settings.

    What a ConfigMap says about kinds has to be readable; other mistakes in it are none of the caller's.
    """
    from syncline.core.settings import overrides
    from syncline.core.settings.keys import Home
    from syncline.core.settings.parse import parse_texts

    config = _config(cm)
    if config is None:
        return settings(cm, compat, tell)
    overrides.parse(config)  # Raises where something cannot be read, which `parse_texts` would pass over.
    return with_compat(parse_texts({Home.CM: dict(config)}).settings, compat)


def _config(cm: str | Path) -> Mapping[str, str] | None:
    for document in documents(cm)[1]:
        for obj, _ in _expanded(document.value, ()):
            content = obj.get("data") if isinstance(obj, dict) and obj.get("kind") == "ConfigMap" else None
            if isinstance(content, dict):
                return {key: value for key, value in content.items() if isinstance(value, str)}
    return None


def settings(cm: str | Path | None, compat: str | None, tell: Callable[[str], None]) -> Settings:
    """Return the settings of a file, with `compat` over what it says; mistakes in them are told."""
    return with_compat(_settings(cm, tell), compat)


def with_compat(found: Settings, compat: str | None) -> Settings:
    """Return settings that follow whose behaviour `compat` names; unchanged where it names nobody's."""
    import msgspec

    from syncline.model.settings.settings import Compat

    return msgspec.structs.replace(found, compat=Compat(compat)) if compat else found


def _settings(cm: str | Path | None, tell: Callable[[str], None]) -> Settings:
    from syncline.core.settings import profiles
    from syncline.core.settings.entries import places_in
    from syncline.core.settings.parse import SettingsInput, parse
    from syncline.model.errors import InvalidSpec
    from syncline.model.settings.settings import Settings

    if cm is None:
        return Settings()
    name, found = documents(cm)
    profile = profiles.profile_of(document.value for document in found)
    report = parse([SettingsInput(document.value, places_in(document, name)) for document in found], profile=profile)
    if not report.inputs:
        raise InvalidSpec(f"{cm} contains no settings", hint=_ARGOCD_CM)
    for problem in report.problems:
        tell(f"{problem.place or cm}: {problem.message}")
    return report.settings


def text(file: str | Path) -> str:
    """Return what a file holds, as text."""
    from syncline.model.errors import InvalidSpec

    try:
        return _content(file)[1].decode()
    except UnicodeDecodeError:
        raise InvalidSpec(f"{file} is not a text file") from None


def documents_if_any(content: str, name: str) -> list[Document]:
    """Return the documents of a text that is YAML with maps; none where it is some other text, such as CSV."""
    from syncline.apimachinery import yaml

    try:
        found = yaml.load_documents(content.encode(), source=name)
    except yaml.YamlError:
        return []
    return [document for document in found if isinstance(document.value, dict)]


def _content(file: str | Path) -> tuple[str, bytes]:
    from syncline.model.errors import InvalidSpec

    name = "standard input" if str(file) == "-" else str(file)
    try:
        return name, sys.stdin.buffer.read() if str(file) == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InvalidSpec(f"{name} cannot be read: {error.strerror}") from None


def documents(file: str | Path) -> tuple[str, list[Document]]:
    """Return the documents of a file, whatever they hold, and the words for where they come from."""
    name, content = _content(file)
    return name, _documents(content, name)


def _documents(content: bytes, name: str) -> list[Document]:
    from syncline.apimachinery import yaml
    from syncline.model.errors import InvalidSpec

    try:
        return yaml.load_documents(content, source=name)
    except yaml.YamlError as error:
        raise InvalidSpec(f"{error}", hint="this file cannot be read as YAML or JSON") from None


def _expanded(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[Any, tuple[str | int, ...]]]:
    """Yield the items of a List, however deep lists lie in lists; items take kind and version from a typed list."""
    if value is None:
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _expanded(item, (*path, number))
    elif isinstance(value, dict) and _is_list(value):
        kind, version = str(value["kind"]).removesuffix("List"), value.get("apiVersion")
        for number, item in enumerate(value.get("items") or ()):
            typed = kind and isinstance(item, dict) and "kind" not in item
            whole = {"apiVersion": version, "kind": kind, **item} if typed else item
            yield from _expanded(whole, (*path, "items", number))
    else:
        yield value, path


def _is_list(value: Mapping[str, Any]) -> bool:
    """Whether a map is a list of objects; one without items, as printed where nothing was found, is an empty one."""
    kind, items = str(value.get("kind")), value.get("items")
    return kind.endswith("List") and (
        isinstance(items, list) or (items is None and (kind == "List" or "items" in value))
    )


def _problem(value: Any, *, any_metadata: bool) -> str:
    """Return why something is not a Kubernetes object; empty where it is one."""
    return _not_an_object(value) or ("" if any_metadata else _odd_metadata(value))


def _not_an_object(value: Any) -> str:
    """Return what is missing to a Kubernetes object; empty where nothing is."""
    if not isinstance(value, dict):
        return "it is not a map"
    for name in ("kind", "apiVersion"):
        if not value.get(name):
            return f"it has no {name}"
        if not isinstance(value[name], str):
            return f"its {name} is not a string"
    return ""


def _odd_metadata(obj: Object) -> str:
    """Return which part of the metadata has not its form; empty where all have."""
    from syncline.core.metadata_form import odd_metadata

    return " ".join(odd_metadata(obj)).strip()


def _origin(name: str, document: Document, path: tuple[str | int, ...], *, with_fields: bool) -> Origin:
    from syncline.model.desired import Origin, Positions

    if not with_fields:
        return Origin(file=name, line=document.line)
    line = document.position_or_parent(path).line
    places = document.named_places(path, root="", join=_longer)
    positions = Positions(tuple(field for field, _ in places), tuple(place.line for _, place in places))
    return Origin(file=name, line=line, positions=positions)


def _longer(text: str, step: str | int) -> str:
    return text + _step(step) if text else _first(step)


@functools.lru_cache(maxsize=4096)
def _step(step: str | int) -> str:
    """Return how a step is written after another one."""
    from syncline.apimachinery.paths import FieldPath

    return str(FieldPath(("x", step)))[1:]


@functools.lru_cache(maxsize=256)
def _first(step: str | int) -> str:
    from syncline.apimachinery.paths import FieldPath

    return str(FieldPath((step,)))
