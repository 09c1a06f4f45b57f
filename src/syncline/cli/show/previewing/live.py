"""What is live beside a preview, in the words that every form of output shows: drift and net effect, kept apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from syncline.cli.show.previewing.rows import short_app, short_path, shown_value
from syncline.cli.show.previewing.sentences import many
from syncline.model.preview import LiveApp, LiveChange, LiveField, LiveView, ObjectAction, Preview

DRIFT, NET = "drift", "net effect"
_ACTIONS = {
    (DRIFT, ObjectAction.CREATE): "is not live",
    (DRIFT, ObjectAction.DELETE): "is live, and not in Git",
    (NET, ObjectAction.CREATE): "is created",
    (NET, ObjectAction.DELETE): "is deleted, where pruning is on",
}


class LiveRow(NamedTuple):
    """One line: of which part, app and object; both values of a field; who wrote it, and what it means."""

    part: str
    app: str
    object: str
    path: str
    before: str
    after: str
    text: str


def rows(view: LiveView) -> list[LiveRow]:
    """Return the drift first, then the net effect."""
    return [
        row
        for part in (DRIFT, NET)
        for app in view.apps
        for change in (app.drift if part == DRIFT else app.net)
        for row in _of_object(part, app, change)
    ]


def _of_object(part: str, app: LiveApp, change: LiveChange) -> Sequence[LiveRow]:
    name = short_app(app.name)
    if change.action is not ObjectAction.CHANGE:
        note = f" ({change.note.value})" if change.note is not None else ""
        return [LiveRow(part, name, change.key.short, "", "", "", f"{_ACTIONS[part, change.action]}{note}")]
    return [_of_field(part, name, change.key.short, one) for one in change.fields]


def _of_field(part: str, app: str, name: str, one: LiveField) -> LiveRow:
    git, live = shown_value(one.git), shown_value(one.live)
    before, after = (git, live) if part == DRIFT else (live, git)
    writer = f"written by {one.manager}{f' at {one.time}' if one.time else ''}" if one.manager else ""
    said = ", ".join(word for word in (writer, one.note.value if one.note is not None else "") if word)
    return LiveRow(part, app, name, short_path(one.path), before or "absent", after or "absent", said)


def headline(found: Preview) -> str:
    """Return the three parts in numbers, and where the live objects come from."""
    view = found.live
    if view is None:
        return ""
    changes = sum(max(1, len(one.fields)) for app in found.apps for one in app.objects)
    counts = [f"{many(changes, 'change')} in Git"]
    counts += [f"{_count(view, DRIFT)} drifted before it", f"a sync then writes {_count(view, NET)}"]
    unknown = [one for one in view.apps if one.unknown]
    if unknown:
        counts.append(f"{many(len(unknown), 'app')} not compared")
    as_of = f", as of {view.as_of}" if view.as_of else ""
    return f"{view.origin}{as_of}: {', '.join(counts)}"


def _count(view: LiveView, part: str) -> int:
    listed = (change for app in view.apps for change in (app.drift if part == DRIFT else app.net))
    return sum(max(1, len(one.fields)) for one in listed)


def left_out(view: LiveView) -> list[str]:
    """Return what could not be compared, and why."""
    found = [f"{short_app(one.name)}: {one.unknown}" for one in view.apps if one.unknown]
    kinds = sorted({kind for one in view.apps for kind in one.unread})
    return [*found, *([f"kinds that were not read: {', '.join(kinds)}"] if kinds else [])]
