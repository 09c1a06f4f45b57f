"""What checks on nodes share about Git: the line that says something, and the edit that would say it better.

As `syncline.core.diagnose.written` does for one app: an edit is offered only where files are applied as they stand.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.diagnose.graph.fleet import FleetIndex
from syncline.model.diagnosis import Thing
from syncline.model.finding import Edit, Evidence, EvidenceKind, Fix

_AS_THEY_STAND = "Directory"


def line(fleet: FleetIndex, thing: Thing, path: str = "", text: str = "") -> list[Evidence]:
    """Return the line of a field as evidence; nothing where Git does not have the object, or was not rendered."""
    found = fleet.desired(thing)
    if found is None or not found[1].origin.file:
        return []
    if not text and path:
        text = f"{path.rpartition('.')[2]}: {_shown(_value(found[1].obj, path))}"
    return [
        Evidence(kind=EvidenceKind.FILE, text=text, subject=thing.key, path=path, place=found[1].origin.place(path))
    ]


def rewrite(fleet: FleetIndex, thing: Thing, path: str, after: Any, remark: str = "") -> Fix:
    """Return the fix that gives a field another value: an edit where its line is certain, else the field by name."""
    found = fleet.desired(thing)
    name = thing.key.short if thing.key is not None else thing.name
    text = f"set {path} of {name} to {_shown(after)}"
    if found is None:
        return Fix(text=f"{text}{f'; {remark}' if remark else ''}")
    app, item = found
    desired = fleet.render(app)
    before = _value(item.obj, path)
    plain = desired is not None and all(kind == _AS_THEY_STAND for kind in desired.source_types)
    if (
        plain
        and path in item.origin.positions.paths
        and isinstance(before, (str, int))
        and not isinstance(before, bool)
    ):
        edit = Edit(place=item.origin.place(path), before=_shown(before), after=_shown(after))
        return Fix(text=remark, edits=(edit,))
    return Fix(text=f"{text}; its line: syncline blame {name} '{path}' --app {app.name}")


def _value(obj: dict[str, Any], path: str) -> Any:
    value = FieldPath.parse(path).resolve(obj)
    return None if value is MISSING else value


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
