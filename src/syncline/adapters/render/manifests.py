"""Reads one manifest file into objects, each with its place, or says what is wrong with the file.

Called by `syncline.adapters.render.directory` with the text of a file. As with Argo CD a file that is not
a manifest at all (values, notes, workflows) is left out with a warning; one that looks like a manifest, or
holds another object, has an object with a fault: leaving it out silently would delete what it describes. What has no
apiVersion, kind or usable name is handed on: `syncline.core.compare.prepare` makes one Unknown row of it, and the
others go on. What is not even a map is handed on as an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from syncline.adapters.render.places import positions
from syncline.apimachinery import meta, yaml
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
    for document in documents:
        found += [_manifest(document, path, obj) for path, obj in objects((), document.value)]
    known = any(_is_object(document.value) for document in documents)
    if documents and not (known or file.endswith(".json") or _looks_like_manifest(text)):
        raise NoManifest("it has no kind")
    warnings += [f"{file}:{error.line}: {error.message}; the last one counts" for error in repeated]
    return found


def evaluated(file: str, text: bytes) -> list[FileObject]:
    """Return the objects of what a script made: one, or a list of them; lines of it mean nothing to anybody."""
    documents = yaml.load_documents(text, source=file)
    values = documents[0].value if documents else []
    found: list[FileObject] = []
    for value in values if isinstance(values, list) else [values]:
        if value is None:
            # What a condition in the script leaves out.
            continue
        found += [FileObject(obj, 1, Positions()) for _path, obj in objects((), value)]
    return found


def told(obj: Object, place: Place) -> str:
    """Return the sentence about an object that is not one of Kubernetes; empty for all others."""
    lacks = meta.untyped(obj)
    return f"{place}: this is not a Kubernetes object: it has no {lacks}" if lacks else ""


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


def objects(path: yaml.Path, obj: Any) -> Iterator[tuple[yaml.Path, Object]]:
    """Yield an object, or the objects of a list, or of lists inside a list, each with its path in the document."""
    if not isinstance(obj, dict):
        yield path, {}
    elif not meta.untyped(obj) and _is_list(obj):
        for index, item in enumerate(obj["items"] or ()):
            yield from objects((*path, "items", index), item)
    else:
        yield path, obj


def _is_list(obj: Object) -> bool:
    """Whether an object is a list of others; a custom kind may be called an AllowList and have a spec."""
    kind, has_items = str(obj["kind"]), isinstance(obj.get("items", ""), list | None)
    return has_items and (kind == "List" or (kind.endswith("List") and "spec" not in obj))


def _name(file: str) -> str:
    return file.rpartition("/")[2]
