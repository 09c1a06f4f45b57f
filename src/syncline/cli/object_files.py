"""Objects, settings and Applications out of files, for every command that works on files alone.

Read by `syncline admin diff|health|plan|settings`. A file is YAML or JSON, holds several documents or lists, and `-` is
standard input. Every object knows its file and the line of its document; lines of fields take time, so they are asked
for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from syncline.apimachinery.keys import Object
    from syncline.apimachinery.yaml import Document
    from syncline.model.desired import DesiredObject, Origin
    from syncline.model.settings import Compat, Settings
    from syncline.model.settings_resources import ResourceOverride

_ARGOCD_CM = "give the file with the ConfigMap argocd-cm"


def located(file: str | Path, *, with_fields: bool = False) -> list[DesiredObject]:
    """Return the objects of a file with where they stand; the lines of their fields too where that is asked for."""
    from syncline.model.desired import DesiredObject
    from syncline.model.errors import InvalidSpec, Place

    name, read = documents(file)
    found = []
    for document in read:
        for obj, path in _expanded(document.value, ()):
            problem = _not_an_object(obj)
            if problem:
                place = Place(name, document.position_or_parent(path).line)
                raise InvalidSpec("this is no Kubernetes object", place=place, hint=problem)
            found.append(DesiredObject(obj, _origin(name, document, path, with_fields=with_fields)))
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


def overrides(cm: str | Path) -> tuple[ResourceOverride, ...]:
    """Return what an argocd-cm in a file says about kinds."""
    from syncline.core.settings import overrides as kinds

    return kinds.parse(_config(cm))


def kinds_settings(cm: str | Path) -> Settings:
    """Return the settings of the first ConfigMap of a file, whatever its name is."""
    from syncline.core.settings.keys import Home
    from syncline.core.settings.parse import parse_texts

    overrides(cm)  # Raises where something about kinds cannot be read, which `parse_texts` would pass over.
    return parse_texts({Home.CM: dict(_config(cm))}).settings


def compat(cm: str | Path | None, given: str | None) -> Compat:
    """Return whose behaviour to follow: what was given, else what an argocd-cm in a file says, else ours."""
    from syncline.model.settings import Compat

    said = given or (_config(cm).get("syncline.compat") if cm is not None else "") or ""
    return Compat(said) if said in list(Compat) else Compat.SYNCLINE


def _config(cm: str | Path) -> Mapping[str, str]:
    from syncline.model.errors import InvalidSpec

    for obj in objects(cm):
        content = obj.get("data")
        if obj["kind"] == "ConfigMap" and isinstance(content, dict):
            return {key: value for key, value in content.items() if isinstance(value, str)}
    raise InvalidSpec(f"{cm} holds no ConfigMap with data", hint=_ARGOCD_CM)


def settings(cm: str | Path | None, compat: str | None = None) -> Settings:
    """Return the settings of a file, with `compat` over what it says; mistakes in them go to standard error."""
    import msgspec

    from syncline.model.settings import Compat

    found = _settings(cm)
    return msgspec.structs.replace(found, compat=Compat(compat)) if compat else found


def _settings(cm: str | Path | None) -> Settings:
    import click

    from syncline.core.settings.entries import places_in
    from syncline.core.settings.parse import Source, parse
    from syncline.model.errors import InvalidSpec
    from syncline.model.settings import Settings

    if cm is None:
        return Settings()
    name, found = documents(cm)
    report = parse([Source(document.value, places_in(document, name)) for document in found])
    if not report.inputs:
        raise InvalidSpec(f"{cm} holds no settings", hint=_ARGOCD_CM)
    for problem in report.problems:
        click.echo(f"{problem.place or cm}: {problem.message}", err=True)
    return report.settings


def documents(file: str | Path) -> tuple[str, list[Document]]:
    """Return the documents of a file, whatever they hold, and the words for where they come from."""
    from syncline.apimachinery import yaml
    from syncline.model.errors import InvalidSpec

    name = "standard input" if str(file) == "-" else str(file)
    content = sys.stdin.buffer.read() if str(file) == "-" else Path(file).read_bytes()
    try:
        return name, yaml.load_documents(content, source=name)
    except yaml.YamlError as error:
        raise InvalidSpec(f"{error}", hint="this file cannot be read as YAML or JSON") from None


def _expanded(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[Any, tuple[str | int, ...]]]:
    """Yield the items of a List, however deep lists lie in lists; items take kind and version from a typed list."""
    if value is None:
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _expanded(item, (*path, number))
    elif isinstance(value, dict) and str(value.get("kind")).endswith("List") and isinstance(value.get("items"), list):
        kind, version = str(value["kind"]).removesuffix("List"), value.get("apiVersion")
        for number, item in enumerate(value["items"]):
            typed = kind and isinstance(item, dict) and "kind" not in item
            whole = {"apiVersion": version, "kind": kind, **item} if typed else item
            yield from _expanded(whole, (*path, "items", number))
    else:
        yield value, path


def _not_an_object(value: Any) -> str:
    """Return what is missing to a Kubernetes object; empty where nothing is."""
    if not isinstance(value, dict):
        return "it is not a map"
    return next((f"it has no {name}" for name in ("kind", "apiVersion") if not value.get(name)), "")


def _origin(name: str, document: Document, path: tuple[str | int, ...], *, with_fields: bool) -> Origin:
    from syncline.model.desired import Origin, Positions

    if not with_fields:
        return Origin(file=name, line=document.line)
    line = document.position_or_parent(path).line
    places = document.named_places(path, root="", join=_longer)
    positions = Positions(tuple(field for field, _ in places), tuple(place.line for _, place in places))
    return Origin(file=name, line=line, positions=positions)


def _longer(text: str, step: str | int) -> str:
    from syncline.apimachinery.paths import FieldPath

    return text + str(FieldPath(("x", step)))[1:] if text else str(FieldPath((step,)))
