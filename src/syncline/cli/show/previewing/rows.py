"""The changes of a preview as rows, joined: what changes the same way in many apps and objects is one row.

Made once and shown by every form of output.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import orjson

from syncline.model.errors import Place
from syncline.model.preview import AppAction, AppChange, FieldEdit, ObjectAction, ObjectChange, Preview

_WIDE = 60
_MARKS = {
    ObjectAction.CREATE: "+",
    ObjectAction.DELETE: "−",
    ObjectAction.CHANGE: "~",
    ObjectAction.RENAME: "→",
    ObjectAction.TRANSFER: "→",
}
_WORDS = {
    AppAction.CREATED: ("+", "new app"),
    AppAction.DELETED: ("−", "deleted app"),
    AppAction.MOVED: ("→", "moved"),
    AppAction.RENAMED: ("→", "renamed"),
    AppAction.CHANGED: ("~", "changed"),
}
_NAMED = re.compile(r"\[name=(?P<name>[^\]]+)\]")
_TEMPLATES = ("spec.template.spec.", "spec.jobTemplate.spec.template.spec.")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One row: what happens, in which apps, to which objects; for fields both values."""

    mark: str
    apps: tuple[str, ...]
    objects: tuple[str, ...] = ()
    path: str = ""
    before: str | None = None
    after: str | None = None
    text: str = ""
    place: Place | None = None

    @property
    def app_words(self) -> str:
        """The apps in a few words."""
        return short_app(self.apps[0]) if len(self.apps) == 1 else f"{len(self.apps)} apps"

    @property
    def object_words(self) -> str:
        """The objects in a few words."""
        names = list(dict.fromkeys(self.objects))
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"{names[0]}{more}" if names else ""

    @property
    def place_words(self) -> str:
        """File and line."""
        return str(self.place) if self.place is not None and self.place.file else ""


def rows(found: Preview, *, noise: bool = False) -> tuple[Row, ...]:
    """Return the rows of a preview, in the order of its apps."""
    joined: dict[tuple[object, ...], Row] = {}
    for row in (row for app in found.apps for row in _of_app(app, noise=noise)):
        key = row.mark, row.path, row.before, row.after, row.text, row.place if row.path else row.objects
        if key in joined:
            first = joined[key]
            row = msgspec.structs.replace(
                first, apps=_union(first.apps, row.apps), objects=_union(first.objects, row.objects)
            )
        joined[key] = row
    return tuple(joined.values())


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _of_app(app: AppChange, *, noise: bool) -> Iterator[Row]:
    mark, words = _WORDS[app.action]
    name = (app.name,)
    if app.action in (AppAction.CREATED, AppAction.DELETED):
        size = f", {app.size} object{'' if app.size == 1 else 's'}" if not app.unknown else ""
        yield Row(mark=mark, apps=name, text=f"{words}{size}{_why(app)}", place=app.place)
        return
    if app.action is AppAction.RENAMED:
        yield Row(mark=mark, apps=name, text=f"was {app.was}", place=app.place)
    for field in app.settings:
        yield _field_row("~", name, (f"Application/{short_app(app.name)}",), field)
    if app.unknown:
        yield Row(mark="?", apps=name, text=f"its objects are not known: {app.unknown}", place=app.place)
    elif app.children and not app.objects:
        many = "" if app.children == 1 else "s"
        yield Row(mark="~", apps=name, text=f"delivers {app.children} Application{many} of these")
    for one in app.objects:
        yield from _of_object(name, one, noise=noise)


def _why(app: AppChange) -> str:
    return f"; its objects are not known: {app.unknown}" if app.unknown else ""


def _of_object(apps: tuple[str, ...], one: ObjectChange, *, noise: bool) -> Iterator[Row]:
    mark, names = _MARKS[one.action], (f"{one.key.kind}/{one.key.name}",)
    if one.action in (ObjectAction.CREATE, ObjectAction.DELETE):
        text = "new" if one.action is ObjectAction.CREATE else "removed"
        hook = f" ({one.phase} hook)" if one.phase != "Sync" else ""
        yield Row(mark=mark, apps=apps, objects=names, text=f"{text}{hook}", place=one.place)
    if one.action is ObjectAction.RENAME and one.was is not None:
        yield Row(mark=mark, apps=apps, objects=names, text=f"was {one.was.name}", place=one.place)
    if one.action is ObjectAction.TRANSFER:
        yield Row(mark=mark, apps=apps, objects=names, text=f"from {one.other}", place=one.place)
    for field in one.fields:
        if not field.noise or noise:
            yield _field_row("~", apps, names, field)


def _field_row(mark: str, apps: tuple[str, ...], objects: tuple[str, ...], field: FieldEdit) -> Row:
    before, after = values(field)
    return Row(
        mark=mark,
        apps=apps,
        objects=objects,
        path=short_path(field.path),
        before=before,
        after=after,
        text=f"({field.noise})" if field.noise else "",
        place=field.place,
    )


def values(field: FieldEdit) -> tuple[str | None, str | None]:
    """Return both values in few words; None for one that is not there."""
    before, after = field.before, field.after
    if isinstance(before, str) and isinstance(after, str):
        if "\n" in before or "\n" in after:
            return _changed_lines(before, after)
        repository, colon, tag = after.rpartition(":")
        if field.path.endswith("image") and colon and before.startswith(f"{repository}:"):
            return before[len(repository) + 1 :], tag
    return shown_value(before), shown_value(after)


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    """Return the first line that differs on each side, and how many do."""
    old, new = before.splitlines(), after.splitlines()
    gone = list((Counter(old) - Counter(new)).elements())
    come = list((Counter(new) - Counter(old)).elements())
    return _first(gone), _first(come)


def _first(lines: Sequence[str]) -> str:
    if not lines:
        return "(nothing)"
    more = f" (+{len(lines) - 1} lines)" if len(lines) > 1 else ""
    return f"{_cut(lines[0].strip())}{more}"


def shown_value(value: Any) -> str | None:
    """Return one value in few words; None where it is not there."""
    if value is msgspec.UNSET:
        return None
    return _cut(value if isinstance(value, str) else orjson.dumps(value).decode())


def _cut(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 1]}…"


def short_path(path: str) -> str:
    """Return a path without what goes without saying."""
    for start in _TEMPLATES:
        path = path.removeprefix(start)
    return _NAMED.sub(r"[\g<name>]", path)


def short_app(name: str) -> str:
    """Return the name of an app without its namespace."""
    return name.rpartition("/")[2]


def noise_counts(found: Preview) -> tuple[tuple[str, int], ...]:
    """Return how many fields were left out as noise, by why."""
    fields = (field for app in found.apps for one in app.objects for field in one.fields if field.noise)
    return tuple(Counter(field.noise for field in fields).most_common())
