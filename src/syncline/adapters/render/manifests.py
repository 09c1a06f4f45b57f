"""Reads one manifest file into objects, each with its place, or says what is wrong with the file.

Called by `syncline.adapters.render.directory` with the text of a file. As with Argo CD a file that is not
a manifest at all (values, notes, workflows) is left out with a warning; one that looks like a manifest, or
holds another object, is an error. A document with two of apiVersion, kind and metadata counts as an object
with a fault: leaving it out silently would delete what it describes. An object without a usable name is handed on:
`syncline.core.compare.prepare` makes one Unknown row of it, and the others go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from syncline.adapters.render.places import positions
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.model.desired import Positions
from syncline.model.errors import Place

_MARKS = (b"apiVersion:", b"kind:", b"metadata:")
_FIELDS = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class FileObject:
    """One object of a file."""

    obj: Object
    line: int
    positions: Positions


class BrokenFile(Exception):
    """A file that makes no objects: where and why."""

    def __init__(self, what: str, place: Place, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.place = place
        self.hint = hint


class NoManifest(Exception):
    """A file that is something else; the text says what gave it away."""


def read(file: str, text: bytes, warnings: list[str]) -> list[FileObject]:
    """Return the objects of a YAML or JSON file; raises `BrokenFile` or `NoManifest`.

    Keys that are given twice are added to the warnings: the last one counts, as with Argo CD.
    """
    repeated: list[yaml.YamlError] = []
    try:
        if file.endswith(".json"):
            _check_json(file, text)
        documents = yaml.load_documents(text, source=file, repeated=repeated)
    except yaml.YamlError as error:
        if file.endswith(".json") or _looks_like_manifest(text):
            what = f'Failed to unmarshal "{_name(file)}": {error.message}'
            raise BrokenFile(what, Place(file, error.line, error.column)) from None
        raise NoManifest(f"line {error.line}: {error.message}") from None
    found: list[FileObject] = []
    strange: list[yaml.Document] = []
    for document in documents:
        if _is_object(document.value):
            found += [_manifest(document, path, obj) for path, obj in objects(file, document, (), document.value)]
        else:
            strange.append(document)
    if strange and (found or file.endswith(".json") or _looks_like_manifest(text)):
        raise BrokenFile("this document is not a Kubernetes object: it has no kind", Place(file, strange[0].line))
    if strange:
        raise NoManifest("it has no kind")
    warnings += [f"{file}:{error.line}: {error.message}; the last one counts" for error in repeated]
    return found


def evaluated(file: str, text: bytes) -> list[FileObject]:
    """Return the objects of what a script made: one, or a list of them; lines of it mean nothing to anybody."""
    documents = yaml.load_documents(text, source=file)
    values = documents[0].value if documents else []
    found: list[FileObject] = []
    for index, value in enumerate(values if isinstance(values, list) else [values]):
        if value is None:
            # What a condition in the script leaves out.
            continue
        path: yaml.Path = (index,) if isinstance(values, list) else ()
        try:
            found += [FileObject(obj, 1, Positions()) for _path, obj in objects(file, documents[0], path, value)]
        except BrokenFile as broken:
            raise BrokenFile(broken.what, Place(file)) from None
    return found


def _check_json(file: str, text: bytes) -> None:
    """Refuse a JSON file that does not hold exactly one value."""
    import orjson

    try:
        orjson.loads(text.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        what = f'Failed to unmarshal "{_name(file)}": {error.msg}'
        raise BrokenFile(what, Place(file, error.lineno, error.colno)) from None


def _looks_like_manifest(text: bytes) -> bool:
    return all(mark in text for mark in _MARKS)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and sum(name in value for name in _FIELDS) >= 2


def _manifest(document: yaml.Document, path: yaml.Path, obj: Object) -> FileObject:
    line = document.position_or_parent(path).line if path else document.line
    return FileObject(obj, line, positions(document, path))


def objects(file: str, document: yaml.Document, path: yaml.Path, obj: Any) -> Iterator[tuple[yaml.Path, Object]]:
    """Yield an object, or the objects of a list, or of lists inside a list; raises `BrokenFile`."""

    def fail(what: str, field: yaml.Path = ()) -> BrokenFile:
        place = document.position_or_parent((*path, *field))
        return BrokenFile(what, Place(file, place.line))

    if not isinstance(obj, dict):
        raise fail("an item of this List is not an object")
    for name in ("apiVersion", "kind"):
        if not isinstance(obj.get(name), str) or not obj[name]:
            raise fail(f"this object has no {name}", (name,))
    if _is_list(obj):
        items = obj["items"]
        if items is not None and not isinstance(items, list):
            raise fail(f"items of this {obj['kind']} is not a list", ("items",))
        for index, item in enumerate(items or ()):
            yield from objects(file, document, (*path, "items", index), item)
        return
    yield path, obj


def _is_list(obj: Object) -> bool:
    """Whether an object is a list of others; a custom kind may be called an AllowList and have a spec."""
    if obj["kind"] == "List":
        return "items" in obj
    return obj["kind"].endswith("List") and "spec" not in obj and isinstance(obj.get("items", ""), list | None)


def _name(file: str) -> str:
    return file.rpartition("/")[2]
