"""What checks on nodes share about Git: the line that says something, and the edit that would say it better.

As `syncline.core.diagnose.live.written` does for one app: an edit is offered only where files are applied as they
stand, or where one value of a chart alone can be what a field has its own from.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.live.written import by_position
from syncline.core.provenance.chart_values import rewritten, value_behind
from syncline.model.diagnosis import Thing
from syncline.model.finding import Edit, Evidence, EvidenceKind, Fix
from syncline.model.fleet import ChartValue

_AS_THEY_STAND = "Directory"


def line(fleet: FleetIndex, thing: Thing, path: str = "", text: str = "") -> list[Evidence]:
    """Return the line of a field as evidence; nothing where Git does not have the object, or was not rendered."""
    found = fleet.desired(thing)
    path = by_position(found[1].obj, path) if found is not None else path
    if found is None or not found[1].origin.file:
        return []
    if from_chart := _from_chart(fleet, found[0], found[1].obj, path):
        return [_set_by(from_chart, thing, path)]
    if not text and path:
        name, value = _last(path), _value(found[1].obj, path)
        text = name if isinstance(value, dict | list) else f"{name}: {_shown(value)}"
    return [
        Evidence(kind=EvidenceKind.FILE, text=text, subject=thing.key, path=path, place=found[1].origin.place(path))
    ]


def _from_chart(fleet: FleetIndex, app: ObjectKey, obj: dict[str, Any], path: str) -> ChartValue | None:
    """Return the value of a chart that a field has its own from; None where that is not certain."""
    values = fleet.values(app)
    return value_behind(values, path, _value(obj, path)) if values and path else None


def _set_by(found: ChartValue, thing: Thing, path: str) -> Evidence:
    hides = "".join(f", hides {place} ({value})" for place, value in found.hides[:1])
    text = f"{'.'.join(found.path)}: {found.value}{hides}"
    return Evidence(kind=EvidenceKind.FILE, text=text, subject=thing.key, path=path, place=found.place)


def rename(fleet: FleetIndex, thing: Thing, path: str, after: str) -> Fix:
    """Return the fix that gives a field another name: an edit where its line is certain, else in words."""
    found = fleet.desired(thing)
    path = by_position(found[1].obj, path) if found is not None else path
    before = path.rpartition(".")[2]
    name = thing.key.short if thing.key is not None else thing.name
    if found is not None and _is_plain(fleet, found[0]) and path in found[1].origin.positions.paths:
        edit = Edit(place=found[1].origin.place(path), before=f"{before}:", after=f"{after}:")
        return Fix(edits=(edit,))
    return Fix(text=f"write {after} in place of {before} in {name}")


def _is_plain(fleet: FleetIndex, app: ObjectKey) -> bool:
    desired = fleet.render(app)
    return desired is not None and all(kind == _AS_THEY_STAND for kind in desired.source_types)


def rewrite(fleet: FleetIndex, thing: Thing, path: str, after: Any, remark: str = "") -> Fix:
    """Return the fix that gives a field another value: an edit where its line is certain, else the field by name."""
    found = fleet.desired(thing)
    name = thing.key.short if thing.key is not None else thing.name
    text = f"set {path} of {name} to {_shown(after)}"
    if found is None:
        return Fix(text=f"{text}{f'; {remark}' if remark else ''}")
    app, item = found
    before = _value(item.obj, path)
    if (
        _is_plain(fleet, app)
        and path in item.origin.positions.paths
        and isinstance(before, (str, int))
        and not isinstance(before, bool)
    ):
        edit = Edit(place=item.origin.place(path), before=_shown(before), after=_shown(after))
        return Fix(text=remark, edits=(edit,))
    behind = _from_chart(fleet, app, item.obj, path)
    if behind is not None and (wanted := rewritten(behind, _shown(before), _shown(after))):
        if behind.place.line:
            return Fix(text=remark, edits=(Edit(place=behind.place, before=behind.value, after=wanted),))
        return Fix(text=f"set {'.'.join(behind.path)} to {wanted} in {behind.place}")
    return Fix(text=f"{text}; its line: syncline blame {name} '{path}' --app {app.name}")


def _last(path: str) -> str:
    """Return the name of the field that a path ends with; a name with dots in it stays whole."""
    last = FieldPath.parse(path).steps[-1]
    return last if isinstance(last, str) else path.rpartition(".")[2]


def _value(obj: dict[str, Any], path: str) -> Any:
    value = FieldPath.parse(path).resolve(obj)
    return None if value is MISSING else value


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
