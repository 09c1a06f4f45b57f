"""Finds the line of a file at which an object begins, where a tool has made the object from the file.

Used by `syncline.adapters.render.helm.template` and `syncline.adapters.render.kustomize.build`. Tools print objects in
an order of their own, leave some out and make several of one: so the objects that a file declares are told apart by
kind, group, name and namespace, and counted only where nothing else tells them apart. The line is that of `kind:`; in a
file that declares nothing of the kind it is the first line. Of objects that a kustomization generates it is the entry
that names them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from syncline.adapters.render import manifests, template_fields
from syncline.adapters.render.places import positions_in_common
from syncline.adapters.render.template_objects import Declaration, template_declarations
from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import Object
from syncline.model.desired import Positions
from syncline.model.errors import Place, SourceError

_ENTRY = re.compile(r"^\s*-?\s*[\"']?name[\"']?:\s*[\"']?([\w.-]+)[\"']?\s*(?:#.*)?$")
_ACTION = "{{"
_DEFINITION = "CustomResourceDefinition"
_LONGEST = 200_000


@dataclass(frozen=True, slots=True)
class MadeObject:
    """An object that a tool printed, and the file that made it."""

    file: str
    obj: Object


class Lines:
    """The files of one render and what they declare."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._declared: dict[str, list[Declaration] | None] = {}
        self._plain: dict[str, dict[int, tuple[yaml.Document, yaml.Path]]] = {}
        """The objects of files that are YAML as they stand, by the line of their kind."""

    def places(self, made: Sequence[MadeObject]) -> list[Place]:
        """Return the place of each object, in their order."""
        grouped: dict[tuple[str, str], list[int]] = {}
        for index, one in enumerate(made):
            grouped.setdefault((one.file, str(one.obj.get("kind"))), []).append(index)
        found: dict[int, Place] = {}
        for (file, kind), indices in grouped.items():
            lines = self._lines(file, kind, [made[index].obj for index in indices])
            found.update({index: Place(file, line) for index, line in zip(indices, lines, strict=True)})
        return [found[index] for index in range(len(made))]

    def fields(self, place: Place, obj: Object) -> Positions:
        """Return the lines of the fields of an object that a tool made of a file, as far as its text tells them."""
        text = self._text(place.file) if place.line else ""
        if not text or len(text) > _LONGEST or obj.get("kind") == _DEFINITION:
            return Positions()  # those of definitions are thousands, and nobody asks for them
        if _ACTION in text:
            return template_fields.fields(text, place.line, obj)
        if place.file not in self._plain:
            found = _objects(place.file, text)
            self._plain[place.file] = {line: (document, path) for line, document, path in found}
        written = self._plain[place.file].get(place.line)
        return positions_in_common(*written, obj) if written is not None else Positions()

    def entry(self, file: str, name: str) -> Place:
        """Return the entry of a kustomization that generated an object of a name; the longest one that fits."""
        numbered = enumerate(self._text(file).splitlines(), start=1)
        found = [(len(entry[1]), line) for line, row in numbered if (entry := _ENTRY.match(row)) and entry[1] in name]
        return Place(file, max(found, key=lambda one: one[0])[1] if found else 0)

    def _lines(self, file: str, kind: str, objects: Sequence[Object]) -> list[int]:
        if file not in self._declared:
            self._declared[file] = _declarations(file, self._text(file))
        declared = self._declared[file]
        if declared is None:
            return [0] * len(objects)
        return _matched([one for one in declared if one.kind == kind], objects)

    def _text(self, file: str) -> str:
        try:
            return self._read(file).decode("utf-8", "replace") if file else ""
        except SourceError:
            # It came out of a packed subchart.
            return ""


def _declarations(file: str, text: str) -> list[Declaration] | None:
    """Return what a file declares; None where there is no file."""
    if not text:
        return None
    plain = list(_plain(file, text)) if _ACTION not in text else []
    return plain or template_declarations(text)


def _plain(file: str, text: str) -> Iterator[Declaration]:
    for line, document, path in _objects(file, text):
        obj = document.value
        for step in path:
            obj = obj[step]
        yield _declaration(obj, line)


def _objects(file: str, text: str) -> Iterator[tuple[int, yaml.Document, yaml.Path]]:
    """Yield the objects of a text: the line of the kind, the document, and where in it the object is."""
    try:
        for document in yaml.load_documents(text.encode(), source=file):
            for path, obj in manifests.objects((), document.value):
                if not meta.untyped(obj):
                    yield document.position_or_parent((*path, "kind")).line, document, path
    except yaml.YamlError:
        return


def _declaration(obj: dict[str, Any], line: int) -> Declaration:
    name, namespace = meta.name(obj), meta.namespace(obj)
    return Declaration(obj["kind"], line, name, obj["apiVersion"], namespace, is_plain=True)


def _matched(declared: Sequence[Declaration], objects: Sequence[Object]) -> list[int]:
    """Return the line of each object: of the declaration that fits best, of equal ones in turn."""
    if not declared:
        return [1] * len(objects)
    lines: list[int] = [0] * len(objects)
    turns: Counter[tuple[int, ...]] = Counter()
    for index, obj in enumerate(objects):
        fits = [
            (one.fit(str(obj.get("apiVersion")), meta.name(obj), meta.namespace(obj)), one.line) for one in declared
        ]
        best = max(fit for fit, _line in fits)
        if best.name:
            equal = tuple(line for fit, line in fits if fit == best)
            lines[index] = equal[min(turns[equal], len(equal) - 1)]
            turns[equal] += 1
    # What a patch has renamed is one of those that made nothing else.
    left = [one.line for one in declared if one.line not in lines] or [one.line for one in declared]
    for index, line in enumerate(lines):
        if not line:
            lines[index] = left.pop(0) if len(left) > 1 else left[0]
    return lines
