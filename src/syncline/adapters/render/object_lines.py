"""Finds the line of a file at which an object begins, where a tool has made the object from the file.

Used by `syncline.adapters.render.helm.template` and `syncline.adapters.render.kustomize.build`. Tools print objects in
an order of their own, leave some out and make several of one: so the objects that a file declares are told apart by
kind, group, name and namespace, and counted only where nothing else tells them apart. The line is that of `kind:`; in a
file that declares nothing of the kind it is the first line. Of objects that a kustomization generates it is the entry
that names them.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from syncline.adapters.render import manifests, template_fields
from syncline.adapters.render.places import positions
from syncline.adapters.render.template_objects import Declaration, template_declarations
from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.model.desired import Positions
from syncline.model.errors import Place, SourceError

_ENTRY = re.compile(r"^\s*-?\s*[\"']?name[\"']?:\s*[\"']?([\w.-]+)[\"']?\s*(?:#.*)?$")
_ACTION = "{{"


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
        self._sites: dict[Place, tuple[yaml.Document, yaml.Path]] = {}
        """Where objects of plain files stand, by the line of their kind."""

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
        """Return the lines of the fields of an object that a template made, as far as its text tells them."""
        return template_fields.fields(self._text(place.file), place.line, obj) if place.line else Positions()

    def kept_fields(self, place: Place, obj: Object) -> Positions:
        """Return the lines of the fields that an object has as its plain file says them, and nothing changed since."""
        site = self._sites.get(place)
        if site is None or obj.get("kind") == template_fields.DEFINITION:
            return Positions()
        document, prefix = site
        declared = functools.reduce(lambda value, step: value[step], prefix, document.value)
        every = positions(document, prefix)
        kept = [one for one in zip(every.paths, every.lines, strict=True) if _is_kept(one[0], declared, obj)]
        return Positions(tuple(path for path, _line in kept), tuple(line for _path, line in kept))

    def entry(self, file: str, name: str) -> Place:
        """Return the entry of a kustomization that generated an object of a name; the longest one that fits."""
        numbered = enumerate(self._text(file).splitlines(), start=1)
        found = [(len(entry[1]), line) for line, row in numbered if (entry := _ENTRY.match(row)) and entry[1] in name]
        return Place(file, max(found, key=lambda one: one[0])[1] if found else 0)

    def _lines(self, file: str, kind: str, objects: Sequence[Object]) -> list[int]:
        if file not in self._declared:
            self._declared[file] = _declarations(file, self._text(file), self._sites)
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


def _is_kept(path: str, declared: Any, obj: Object) -> bool:
    steps = FieldPath.parse(path)
    before, after = steps.resolve(declared), steps.resolve(obj)
    if isinstance(after, dict | list):
        return type(before) is type(after)
    return after is not MISSING and bool(before == after)


def _declarations(
    file: str, text: str, sites: dict[Place, tuple[yaml.Document, yaml.Path]]
) -> list[Declaration] | None:
    """Return what a file declares, and note where; None where there is no file."""
    if not text:
        return None
    plain = list(_plain(file, text, sites)) if _ACTION not in text else []
    return plain or template_declarations(text)


def _plain(file: str, text: str, sites: dict[Place, tuple[yaml.Document, yaml.Path]]) -> Iterator[Declaration]:
    try:
        for document in yaml.load_documents(text.encode(), source=file):
            for path, obj in manifests.objects((), document.value):
                if not meta.untyped(obj):
                    line = document.position_or_parent((*path, "kind")).line
                    sites[Place(file, line)] = document, path
                    yield _declaration(obj, line)
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
