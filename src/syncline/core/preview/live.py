"""Keeps apart what a pull request changes, what had drifted before it, and what a sync does after the merge.

Called by `syncline.api.preview_live` with one app compared with its live objects twice: as the base has it, and as the
head has it. A field is told by whether it differs there: drift is against the base, the net effect against the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.paths import FieldPath
from syncline.core.compare import tracking
from syncline.model.comparison import ComparedObject, Comparison, Difference
from syncline.model.preview import (
    AppChange,
    LiveApp,
    LiveChange,
    LiveField,
    LiveNote,
    ObjectAction,
)
from syncline.model.settings.settings import Settings

_Paths = dict[ObjectKey, frozenset[str]]


def live_app(
    change: AppChange,
    base: Comparison | None,
    head: Comparison | None,
    unread: frozenset[GroupKind],
    settings: Settings,
) -> LiveApp:
    """Return one app beside what is live; a side that is not there has no comparison."""
    changed = {one.key: frozenset(field.path for field in one.fields) for one in change.objects}
    changed |= {one.was: frozenset() for one in change.objects if one.was is not None}
    before = _differing(base, unread, settings)
    after = _differing(head, unread, settings)
    at_base, at_head = _paths(before), _paths(after)
    return LiveApp(
        name=change.name,
        drift=tuple(_change(row, found, changed, at_head) for row, found in before),
        net=tuple(_change(row, found, changed, at_base, net=True) for row, found in after),
        unread=tuple(sorted({str(row.key.group_kind) for row in _rows(base, head) if row.key.group_kind in unread})),
    )


def _rows(*comparisons: Comparison | None) -> Iterator[ComparedObject]:
    for one in comparisons:
        yield from one.rows if one is not None else ()


def _differing(
    found: Comparison | None, unread: frozenset[GroupKind], settings: Settings
) -> list[tuple[ComparedObject, tuple[Difference, ...]]]:
    """Return the objects that differ, each with the fields that count; marks of tracking do not."""
    marks = tracking.marks(settings)
    result = []
    for row in _rows(found):
        if row.hook or row.key.group_kind in unread:
            continue
        fields = tuple(one for one in row.differences if FieldPath.parse(one.path).steps not in marks)
        if fields or row.live != row.desired:
            result.append((row, fields))
    return sorted(result, key=lambda one: one[0].key)


def _paths(found: Iterable[tuple[ComparedObject, tuple[Difference, ...]]]) -> _Paths:
    return {row.key: frozenset(one.path for one in fields) for row, fields in found}


def _change(
    row: ComparedObject, fields: tuple[Difference, ...], changed: _Paths, other: _Paths, *, net: bool = False
) -> LiveChange:
    """Return one object of one side; `other` has what differs on the other side."""
    action = ObjectAction.CHANGE
    if row.live != row.desired:
        action = ObjectAction.CREATE if row.desired else ObjectAction.DELETE
        mine = row.key in changed and row.key not in other
        of_change = LiveNote.OF_THE_CHANGE if net else LiveNote.WRITTEN_DOWN
        return LiveChange(key=row.key, action=action, note=of_change if mine else LiveNote.REVERTED)
    paths, differing = changed.get(row.key, frozenset()), other.get(row.key, frozenset())
    return LiveChange(
        key=row.key,
        action=action,
        fields=tuple(_field(one, mine=one.path in paths, both=one.path in differing, net=net) for one in fields),
    )


def _field(one: Difference, *, mine: bool, both: bool, net: bool) -> LiveField:
    note = LiveNote.OVERWRITTEN if mine and both else LiveNote.REVERTED
    if mine and not both:
        note = LiveNote.OF_THE_CHANGE if net else LiveNote.WRITTEN_DOWN
    return LiveField(path=one.path, git=one.desired, live=one.live, manager=one.manager, time=one.time, note=note)
