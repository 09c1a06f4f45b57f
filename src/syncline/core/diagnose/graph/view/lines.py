"""What checks on nodes share about Git: the line that says something, and the edit that would say it better.

As `syncline.core.diagnose.live.written` does for one app: an edit is offered only where one line is certain to say what
the field is, be it a plain file, a layer of a chart's values or a patch of a kustomization.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.live.written import by_position
from syncline.core.provenance.set_by import Field, last, set_by, shown
from syncline.model.diagnosis import Thing
from syncline.model.finding import Edit, Evidence, EvidenceKind, Fix


def line(fleet: FleetIndex, thing: Thing, path: str = "", text: str = "") -> list[Evidence]:
    """Return the line of a field as evidence; nothing where Git does not have the object, or was not rendered."""
    found = _field(fleet, thing, path)
    if found is None or not found[1].origin.file:
        return []
    field = found[1]
    by = set_by(field)
    if by is not None and (by.place != field.origin.place(field.path) or not text):
        return [Evidence(kind=EvidenceKind.FILE, text=by.text, subject=thing.key, path=field.path, place=by.place)]
    if not text and field.path:
        name, value = last(field.path), field.value
        text = name if isinstance(value, dict | list) else f"{name}: {shown(value)}"
    place = field.origin.place(field.path)
    return [Evidence(kind=EvidenceKind.FILE, text=text, subject=thing.key, path=field.path, place=place)]


def _field(fleet: FleetIndex, thing: Thing, path: str) -> tuple[ObjectKey, Field] | None:
    """Return a field as Git has it, and the app that delivers it; None where that is not known."""
    found = fleet.desired(thing)
    if found is None:
        return None
    app, item = found
    desired = fleet.render(app)
    return app, Field(
        item.key,
        item.obj,
        item.origin,
        by_position(item.obj, path),
        fleet.layers(app),
        desired.source_types if desired is not None else (),
    )


def rename(fleet: FleetIndex, thing: Thing, path: str, after: str) -> Fix:
    """Return the fix that gives a field another name: an edit where its line is certain, else in words."""
    found = _field(fleet, thing, path)
    path = found[1].path if found is not None else path
    before = path.rpartition(".")[2]
    name = thing.key.short if thing.key is not None else thing.name
    if found is not None and (by := set_by(found[1])) is not None and by.place == found[1].origin.place(path):
        return Fix(edits=(Edit(place=by.place, before=f"{before}:", after=f"{after}:"),))
    return Fix(text=f"write {after} in place of {before} in {name}")


def rewrite(fleet: FleetIndex, thing: Thing, path: str, after: Any, remark: str = "") -> Fix:
    """Return the fix that gives a field another value: an edit where its line is certain, else the field by name."""
    found = _field(fleet, thing, path)
    name = thing.key.short if thing.key is not None else thing.name
    text = f"set {path} of {name} to {shown(after)}"
    if found is None:
        return Fix(text=f"{text}{f'; {remark}' if remark else ''}")
    app, field = found
    by = set_by(field)
    if by is not None and (edit := by.edit(field.value, after)):
        return Fix(text=remark, edits=(edit,))
    if by is not None and (words := by.instead(field.value, after)):
        return Fix(text=words)
    return Fix(text=f"{text}; its line: syncline blame {name} '{path}' --app {app.name}")
