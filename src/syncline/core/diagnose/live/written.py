"""What the rules on live objects share about Git: the line that says something, and the edit that would say it better.

An edit is offered only where the line is certain: files that are applied as they stand. What a chart or a
kustomization makes has its values elsewhere, so there the field is named, with the command that finds its line.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.apimachinery.paths import MISSING, FieldPath, KeyMatch
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.subjects import App
from syncline.model.errors import Place
from syncline.model.finding import Edit, Evidence, EvidenceKind, Fix

_AS_THEY_STAND = "Directory"


def item(app: App, key: ObjectKey) -> Prepared | None:
    """Return an object as Git has it; None where it has not, or was not rendered."""
    prepared = app.assessment.prepared
    return next((one for one in (*prepared.objects, *prepared.hooks) if one.key == key), None)


def place(app: App, key: ObjectKey, path: str = "") -> Place | None:
    """Return file and line of a field, or of what is nearest above it; None where Git does not have the object."""
    found = item(app, key)
    if found is None or not found.origin.file:
        return None
    return found.origin.place(by_position(found.obj, path))


def by_position(obj: Object, path: str) -> str:
    """Return a path with the positions of list entries for their names, as lines are known."""
    if "=" not in path:
        return path
    steps: list[Any] = []
    value: Any = obj
    for step in FieldPath.parse(path).steps:
        if isinstance(step, KeyMatch) and isinstance(value, list):
            wanted = dict(step.keys)
            entries = (at for at, one in enumerate(value) if all(one.get(name) == wanted[name] for name in wanted))
            step = next(entries, step)
        below = value if isinstance(value, (dict, list)) else {}
        try:
            value = below[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            value = None
        steps.append(step)
    return str(FieldPath(tuple(steps)))


def line(app: App, key: ObjectKey, path: str, text: str = "") -> list[Evidence]:
    """Return the line of a field as evidence, with its value unless another text is given; nothing without a line."""
    where = place(app, key, path)
    if where is None:
        return []
    if not text and path:
        last = FieldPath.parse(path).steps[-1]
        name = last if isinstance(last, str) else path.rpartition(".")[2]
        text = f"{name}: {_shown(value(app, key, path))}"
    return [Evidence(kind=EvidenceKind.FILE, text=text, subject=key, path=path, place=where)]


def rewrite(app: App, key: ObjectKey, path: str, after: Any, *, then: str = "", remark: str = "") -> Fix:
    """Return the fix that gives a field another value."""
    before = value(app, key, path)
    where = _certain(app, key, path)
    if where is not None and isinstance(before, (str, int, float)) and not isinstance(before, bool):
        return Fix(text=remark, edits=(Edit(place=where, before=_shown(before), after=_shown(after)),), command=then)
    return _elsewhere(app, key, path, f"set {path} of {key.short} to {_shown(after)}", then)


def remove(app: App, key: ObjectKey, path: str, *, remark: str = "") -> Fix:
    """Return the fix that takes a field of one line out."""
    before, where = value(app, key, path), _certain(app, key, path)
    if where is not None and isinstance(before, (str, int)) and not isinstance(before, bool):
        return Fix(text=remark, edits=(Edit(place=where, before=f"{path.rpartition('.')[2]}: {_shown(before)}"),))
    return _elsewhere(app, key, path, f"take {path} of {key.short} out", "")


def clear(app: App, key: ObjectKey, path: str, *, remark: str = "") -> Fix:
    """Return the fix that sets a switch to false."""
    where = _certain(app, key, path)
    if where is not None:
        name = path.rpartition(".")[2]
        return Fix(text=remark, edits=(Edit(place=where, before=f"{name}: true", after=f"{name}: false"),))
    return _elsewhere(app, key, path, f"set {path} of {key.short} to false", "")


def rename(app: App, key: ObjectKey, path: str, after: str) -> Fix:
    """Return the fix that gives a field another name."""
    before = path.rpartition(".")[2]
    where = _certain(app, key, path)
    if where is not None:
        return Fix(edits=(Edit(place=where, before=f"{before}:", after=f"{after}:"),))
    return _elsewhere(app, key, path, f"write {after} in place of {before} in {key.short}", "")


def _elsewhere(app: App, key: ObjectKey, path: str, text: str, then: str) -> Fix:
    """Return a decision about a field whose line only a render by trial finds."""
    name = app.assessment.app.metadata.name
    found = item(app, key)
    if found is None:
        return Fix(text=f"{text}, where {name} has it from", command=then)
    return Fix(text=f"{text}; its line: syncline blame {key.short} '{path}' --app {name}", command=then)


def _certain(app: App, key: ObjectKey, path: str) -> Place | None:
    """Return the line of a field where it is sure to say what the object has."""
    found, desired = item(app, key), app.assessment.snapshot.desired
    if found is None or desired is None or any(kind != _AS_THEY_STAND for kind in desired.source_types):
        return None
    exact = by_position(found.obj, path)
    return found.origin.place(exact) if exact in found.origin.positions.paths else None


def value(app: App, key: ObjectKey, path: str) -> Any:
    """Return what Git has at a field; None where it has nothing."""
    found = item(app, key)
    there = FieldPath.parse(path).resolve(found.obj) if found is not None else MISSING
    return None if there is MISSING else there


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
