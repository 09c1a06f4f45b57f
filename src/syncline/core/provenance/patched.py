"""Which fields of an app's objects kustomizations set, over what the base says, and on which line each value stands.

Called by `syncline.controller.sources.layers` with the files of a render. Fields that stand in the base as they were
rendered, and that no patch names, are left out: their lines are known by the objects' own positions.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.provenance import blame, kustomizations
from syncline.core.provenance.blame import BlameCause
from syncline.core.provenance.read_files import ReadFiles, parsed
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.layers import PatchedField
from syncline.model.masking import is_secret
from syncline.model.sources.source import KustomizeSource

_AT_MOST = 3000
"""So many fields of one app are looked up: a patch for all objects of a large app sets more than anybody asks about."""
_ENTRY = 12
"""So many lines an entry may be long in which a value is looked for."""
_IDENTITY = ("apiVersion", "kind", "metadata")


def patched_fields(
    folder: str, files: ReadFiles, objects: Iterable[DesiredObject], settings: KustomizeSource | None
) -> Iterator[PatchedField]:
    """Yield the fields of objects that a kustomization, or the Application's settings for it, gave their values."""
    named = tuple(dict.fromkeys(_named_paths(files)))
    left = _AT_MOST
    for item in objects:
        if is_secret(item.obj):
            continue
        for path in _candidates(item, named):
            left -= 1
            if left < 0:
                return
            if found := _patched(folder, files, item, path, settings):
                yield found


def _candidates(item: DesiredObject, named: Sequence[FieldPath]) -> list[FieldPath]:
    """Return the fields that may have been set by somebody else than the file of the object, by position."""
    known = set(item.origin.positions.paths)
    found: dict[str, FieldPath] = {}
    for path in (*named, *blame.leaves(item.obj)):
        steps = blame.indexed(item.obj, path)
        if not steps or steps[0] in _IDENTITY or isinstance(FieldPath(steps).resolve(item.obj), dict | list):
            continue
        exact = FieldPath(steps)
        if str(exact) not in known or path in named:
            found.setdefault(str(exact), exact)
    return list(found.values())


def _named_paths(files: ReadFiles) -> Iterator[FieldPath]:
    """Yield the fields that kustomizations name in patches and counts, whichever object they are for."""
    for file in files.files:
        if posixpath.basename(file) not in kustomizations.NAMES:
            continue
        for document in files.documents(file):
            value = document.value if isinstance(document.value, dict) else {}
            if value.get("replicas"):
                yield FieldPath(("spec", "replicas"))
            for patch in _patches(value):
                for said in _said(files, posixpath.dirname(file), patch):
                    yield from _of_operations(said) if isinstance(said, list) else blame.leaves(said)


def _patches(kustomization: dict[str, Any]) -> Iterator[Any]:
    for name in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        found = kustomization.get(name)
        yield from found if isinstance(found, list) else ()


def _said(files: ReadFiles, folder: str, patch: Any) -> Iterator[Any]:
    """Yield the documents of a patch: written in the kustomization itself, or in a file beside it."""
    inline = patch.get("patch") if isinstance(patch, dict) else patch
    path = patch.get("path") if isinstance(patch, dict) else patch
    documents = files.documents(posixpath.normpath(posixpath.join(folder, path))) if isinstance(path, str) else []
    if not documents and isinstance(inline, str):
        documents = parsed("", inline.encode())
    yield from (document.value for document in documents if isinstance(document.value, dict | list))


def _of_operations(operations: list[Any]) -> Iterator[FieldPath]:
    for one in operations:
        pointer = str(one.get("path") or "") if isinstance(one, dict) else ""
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        if steps and "-" not in steps:
            above = tuple(int(step) if step.isdecimal() else step for step in steps)
            yield from blame.leaves(one.get("value"), above)


def _patched(
    folder: str, files: ReadFiles, item: DesiredObject, path: FieldPath, settings: KustomizeSource | None
) -> PatchedField | None:
    value = path.resolve(item.obj)
    if value is MISSING or value is None:
        return None
    own = kustomizations.of_application(settings, item, path) if settings else ()
    causes = own or kustomizations.causes(folder, files, item, path)
    line, said = blame.written_in(files.documents(item.origin.file), item, path)
    base = Place(item.origin.file, line) if line else None
    if not causes:
        if base is None or str(path) in item.origin.positions.paths:
            return None
        return PatchedField(key=item.key, path=str(path), place=base, value=_on_line(files, base, (said,)))
    place, text = _value_place(files, causes[0], _parts(value))
    return PatchedField(
        key=item.key,
        path=str(path),
        place=place,
        value=text,
        by=causes[0].text or causes[0].kind,
        hides=base,
        hidden=_shown(said) if base is not None and not isinstance(said, dict | list) else "",
    )


def _parts(value: Any) -> tuple[Any, ...]:
    """Return what of a value may stand on a line: all of it, or of an image its tag, digest or name."""
    text = _shown(value)
    name, _at, digest = text.partition("@")
    _name, colon, tag = name.rpartition(":")
    return (value, *((digest,) if digest else ()), *((tag,) if colon and "/" not in tag else ()))


def _value_place(files: ReadFiles, cause: BlameCause, parts: Sequence[Any]) -> tuple[Place, str]:
    """Return the line of an entry or patch that says the value, and what stands there; the entry's own without one."""
    rows = files.lines(cause.place.file)
    first = cause.place.line
    if not first or first > len(rows):
        return cause.place, ""
    depth = _depth(rows[first - 1])
    for line in range(first, min(first + _ENTRY, len(rows) + 1)):
        row = rows[line - 1]
        if line > first and row.strip() and _depth(row) < depth:
            break
        place = Place(cause.place.file, line)
        if (line == first or cause.kind != "file") and (text := _on_line(files, place, parts)):
            return place, text
    return cause.place, ""


def _depth(row: str) -> int:
    """Return how far a line is indented; an entry of a list is as deep as what follows its dash."""
    bare = row.lstrip(" ")
    return len(row) - len(bare.removeprefix("- ").lstrip(" ")) if bare.startswith("- ") else len(row) - len(bare)


def _on_line(files: ReadFiles, place: Place, parts: Sequence[Any]) -> str:
    """Return the first of some texts that stands on a line, as a word of its own behind its key; else nothing."""
    rows = files.lines(place.file)
    row = rows[place.line - 1] if 0 < place.line <= len(rows) else ""
    said = row.partition(": ")[2] or row.partition("- ")[2]
    for part in parts:
        text = _shown(part)
        if text and re.search(rf"(?<![\w.-]){re.escape(text)}(?![\w.-])", said):
            return text
    return ""


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
