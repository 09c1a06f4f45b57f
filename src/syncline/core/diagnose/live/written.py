"""What the rules on live objects share about Git: the line that says something, and the edit that would say it better.

An edit is offered only where the line is certain: in files that are applied as they stand, in the layer of a chart's
values that wins, in the patch of a kustomization that is last. Else the field is named, with the command that finds its
line by trying.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.apimachinery.paths import MISSING, FieldPath, KeyMatch
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.subjects import App
from syncline.core.provenance.set_by import Field, last, set_by, shown
from syncline.model.errors import Place
from syncline.model.finding import Edit, Evidence, EvidenceKind, Fix


def item(app: App, key: ObjectKey) -> Prepared | None:
    """Return an object as Git has it; None where it has not, or was not rendered."""
    prepared = app.assessment.prepared
    return next((one for one in (*prepared.objects, *prepared.hooks) if one.key == key), None)


def place(app: App, key: ObjectKey, path: str = "") -> Place | None:
    """Return file and line of a field, or of what is nearest above it; None where Git does not have the object."""
    field = _field(app, key, path)
    if field is None or not field.origin.file:
        return None
    by = set_by(field)
    return by.place if by is not None else field.origin.place(field.path)


def _field(app: App, key: ObjectKey, path: str) -> Field | None:
    found, snapshot = item(app, key), app.assessment.snapshot
    if found is None:
        return None
    tools = snapshot.desired.source_types if snapshot.desired is not None else ()
    return Field(found.key, found.obj, found.origin, by_position(found.obj, path), snapshot.layers, tools)


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
    field = _field(app, key, path)
    if field is None or not field.origin.file:
        return []
    by = set_by(field)
    where = by.place if by is not None else field.origin.place(field.path)
    if by is not None and (not text or where != field.origin.place(field.path)):
        text = by.text
    elif not text and path:
        text = f"{last(field.path)}: {shown(field.value)}"
    return [Evidence(kind=EvidenceKind.FILE, text=text, subject=key, path=path, place=where)]


def rewrite(app: App, key: ObjectKey, path: str, after: Any, *, then: str = "", remark: str = "") -> Fix:
    """Return the fix that gives a field another value."""
    field = _field(app, key, path)
    by = set_by(field) if field is not None else None
    if field is not None and by is not None:
        if edit := by.edit(field.value, after):
            return Fix(text=remark, edits=(edit,), command=then)
        if words := by.instead(field.value, after):
            return Fix(text=words, command=then)
    return _elsewhere(app, key, path, f"set {path} of {key.short} to {shown(after)}", then)


def remove(app: App, key: ObjectKey, path: str, *, remark: str = "") -> Fix:
    """Return the fix that takes a field of one line out."""
    return _edited(app, key, path, lambda name, before: (f"{name}: {before}", ""), remark) or _elsewhere(
        app, key, path, f"take {path} of {key.short} out", ""
    )


def clear(app: App, key: ObjectKey, path: str, *, remark: str = "") -> Fix:
    """Return the fix that sets a switch to false."""
    return _edited(app, key, path, lambda name, before: (f"{name}: {before}", f"{name}: false"), remark) or _elsewhere(
        app, key, path, f"set {path} of {key.short} to false", ""
    )


def rename(app: App, key: ObjectKey, path: str, after: str) -> Fix:
    """Return the fix that gives a field another name."""
    before = path.rpartition(".")[2]
    return _edited(app, key, path, lambda name, _value: (f"{name}:", f"{after}:")) or _elsewhere(
        app, key, path, f"write {after} in place of {before} in {key.short}", ""
    )


def _edited(
    app: App, key: ObjectKey, path: str, change: Callable[[str, str], tuple[str, str]], remark: str = ""
) -> Fix | None:
    """Return the change of a line that has both name and value of a field; None where no line is certain to."""
    field = _field(app, key, path)
    by = set_by(field) if field is not None else None
    if field is None or by is None or by.place != field.origin.place(field.path):
        return None
    before, after = change(last(field.path), by.value)
    return Fix(text=remark, edits=(Edit(place=by.place, before=before, after=after),))


def _elsewhere(app: App, key: ObjectKey, path: str, text: str, then: str) -> Fix:
    """Return a decision about a field whose line only a render by trial finds."""
    name = app.assessment.app.metadata.name
    found = item(app, key)
    if found is None:
        return Fix(text=f"{text}, where {name} has it from", command=then)
    return Fix(text=f"{text}; its line: syncline blame {key.short} '{path}' --app {name}", command=then)


def value(app: App, key: ObjectKey, path: str) -> Any:
    """Return what Git has at a field; None where it has nothing."""
    found = item(app, key)
    there = FieldPath.parse(path).resolve(found.obj) if found is not None else MISSING
    return None if there is MISSING else there
