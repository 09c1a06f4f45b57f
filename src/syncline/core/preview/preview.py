"""Puts a preview together: pairs apps, compares those that are not proven equal, reads the consequences.

Called by `syncline.api.preview` with two snapshots and the lines that differ between their files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.compare.prepare import Prepared, prepare
from syncline.core.compare.schemas import SchemaCache
from syncline.core.diagnose.repository.world import cluster_of
from syncline.core.diagnose.subjects import Change, Repo, RepoApp
from syncline.core.preview import findings
from syncline.core.preview.apps import Pair, pairs, same_manifest, typed
from syncline.core.preview.effects import effects, timelines
from syncline.core.preview.fields import Sides, edits, manifest_edits
from syncline.core.preview.held import held
from syncline.core.preview.lines import ChangedLines, Search, read_by
from syncline.core.preview.objects import by_key, changes
from syncline.core.preview.scene import Changed, Scene
from syncline.model import names
from syncline.model.errors import Place
from syncline.model.finding import Finding
from syncline.model.preview import AppAction, AppChange, FieldEdit, NotLooked, ObjectAction, ObjectChange, Preview

_APPLICATION = GroupKind(names.GROUP, "Application")


def preview(
    change: Change,
    lines: ChangedLines,
    *,
    as_of: str,
    found: tuple[Sequence[Finding], Sequence[Finding]] = ((), ()),
    is_here: Callable[[str], bool] = lambda _url: True,
    not_looked: Sequence[NotLooked] = (),
    notes: Sequence[str] = (),
) -> Preview:
    """Return what a change does.

    `found` are the findings on both sides, `as_of` is the time for windows, and `is_here` tells whether an address may
    mean this repository: an Application that takes nothing from it changes only where its own fields do.
    """
    both = pairs(change.base.apps, change.head.apps)
    equal = [pair for pair in both if pair.equal or (pair.unknown and (not lines or not pair.takes_from(is_here)))]
    unknown = [pair for pair in both if pair.unknown and pair not in equal] + held(both, change)
    others = [pair for pair in both if pair not in equal and pair not in unknown]
    comparing = _Comparing(change, lines)
    changed = _without_reported(_transferred([comparing.changed(pair) for pair in others], comparing))
    scene = Scene(tuple(changed), change.base, change.head, comparing.node_for, as_of)
    new, fixed, kept = findings.compared(*found)
    return Preview(
        base=change.base.revision,
        head=change.head.revision,
        total=len(both),
        equal=len(equal),
        unknown=tuple(pair.name for pair in unknown),
        objects=sum(len(app.desired.objects) for app in change.head.apps if app.desired is not None),
        apps=tuple(one.change for one in changed),
        effects=effects(scene, new),
        timelines=timelines(scene),
        new=new,
        fixed=fixed,
        kept=kept,
        not_looked=tuple(not_looked),
        notes=tuple(notes),
    )


class _Comparing:
    """What both sides of all apps are compared with."""

    def __init__(self, change: Change, lines: ChangedLines) -> None:
        self._change, self._lines = change, lines
        self._scopes = {**change.base.world.scopes, **change.head.world.scopes}
        definitions = (
            item.obj
            for repo in (change.base, change.head)
            for app in repo.apps
            for item in (app.desired.objects if app.desired is not None else ())
            if item.obj.get("kind") == "CustomResourceDefinition"
        )
        self.node_for = SchemaCache().of(definitions).node_for

    def changed(self, pair: Pair) -> Changed:
        """Return an app that is not proven equal, with what is different."""
        before, after = self._prepared(self._change.base, pair.before), self._prepared(self._change.head, pair.after)
        one = pair.after or pair.before
        assert one is not None  # noqa: S101 - a pair has a side
        app = typed(pair.after) or typed(pair.before)
        action = _action(pair)
        sides = self.sides(pair)
        unknown = _unknown(pair)
        said = AppChange(
            name=pair.name,
            action=action,
            was=str(pair.before) if action is AppAction.RENAMED else "",
            cluster=cluster_of(app) if app is not None else "",
            place=one.manifest.origin.place(),
            settings=self._settings(pair),
            objects=() if unknown else changes(before, after, sides),
            size=len(after or before),
            unknown=unknown,
            unsteady=sides.unsteady,
        )
        return Changed(said, app, before, after)

    def sides(self, pair: Pair) -> Sides:
        """Return how the objects of an app are compared."""
        desired = [app.desired for app in (pair.before, pair.after) if app is not None and app.desired is not None]
        read = {path for one in desired for path in (*one.files, *(entry.path for entry in one.inputs))}
        read |= {app.manifest.origin.file for app in (pair.before, pair.after) if app is not None}
        # A values file of another source is known by the name of that source.
        read |= {path.partition("/")[2] for path in read if path.startswith("$")}
        search = Search(self._lines, read_by(self._lines, filter(None, read)))
        settings = self._change.head.settings.settings
        return Sides(self.node_for, settings, search, unsteady=any(not one.steady for one in desired))

    def _prepared(self, repo: Repo, app: RepoApp | None) -> dict[ObjectKey, Prepared]:
        read = typed(app)
        if app is None or app.desired is None or read is None:
            return {}
        return by_key(prepare(app.desired, read, repo.settings.settings, self._scopes))

    def _settings(self, pair: Pair) -> tuple[FieldEdit, ...]:
        if pair.before is None or pair.after is None or same_manifest(pair.before, pair.after):
            return ()
        files = {app.manifest.origin.file for app in (pair.before, pair.after)}
        search = Search(self._lines, read_by(self._lines, files))
        origin = pair.after.manifest.origin

        def place(path: str) -> Place:
            return origin.place(path)

        return manifest_edits(pair.before.manifest.obj, pair.after.manifest.obj, search, place)


def _action(pair: Pair) -> AppAction:
    if pair.before is None:
        return AppAction.CREATED
    if pair.after is None:
        return AppAction.DELETED
    if str(pair.before) != str(pair.after):
        return AppAction.RENAMED
    old, new = typed(pair.before), typed(pair.after)
    if old is None or new is None:
        return AppAction.CHANGED
    moved = (cluster_of(old), old.spec.destination.namespace) != (cluster_of(new), new.spec.destination.namespace)
    return AppAction.MOVED if moved else AppAction.CHANGED


def _unknown(pair: Pair) -> str:
    """Return why the objects of an app cannot be compared; empty where they can."""
    for app, words in ((pair.after, ""), (pair.before, "before this change: ")):
        if app is not None and app.desired is None:
            return f"{words}{app.problem or 'could not be rendered here'}"
    return ""


def _transferred(changed: list[Changed], comparing: _Comparing) -> list[Changed]:
    """Join what leaves one app and comes into another: that is one object with another owner."""
    gone = {
        (one.change.cluster, item.key): one
        for one in changed
        for item in one.change.objects
        if item.action is ObjectAction.DELETE
    }
    left: dict[str, set[ObjectKey]] = {}
    result = []
    for one in changed:
        objects: list[ObjectChange] = []
        before = dict(one.before)
        for item in one.change.objects:
            source = gone.get((one.change.cluster, item.key)) if item.action is ObjectAction.CREATE else None
            if source is None or source is one:
                objects.append(item)
                continue
            old, new = source.before[item.key], one.after[item.key]
            before[item.key] = old
            left.setdefault(source.name, set()).add(item.key)
            sides = Sides(comparing.node_for, comparing.sides(Pair(None, None)).settings, Search({}, ()))
            fields = edits(old, new, sides)
            objects.append(
                msgspec.structs.replace(item, action=ObjectAction.TRANSFER, other=source.name, fields=fields)
            )
        said = msgspec.structs.replace(one.change, objects=tuple(objects))
        result.append(Changed(said, one.app, before, one.after))
    return [_leaving(one, frozenset(left.get(one.name, ()))) for one in result]


def _leaving(one: Changed, keys: frozenset[ObjectKey]) -> Changed:
    if not keys:
        return one
    kept = tuple(item for item in one.change.objects if item.key not in keys)
    return Changed(msgspec.structs.replace(one.change, objects=kept), one.app, one.before, one.after, keys)


def _without_reported(changed: Iterable[Changed]) -> list[Changed]:
    """Count the Applications that an app delivers and that are reported on their own: they are not shown twice."""
    found = list(changed)
    reported = {one.name.rpartition("/")[2] for one in found} | {
        one.change.was.rpartition("/")[2] for one in found if one.change.was
    }
    result = []
    for one in found:
        shown = tuple(item for item in one.change.objects if not _is_reported(item, reported))
        children = len(one.change.objects) - len(shown)
        said = msgspec.structs.replace(one.change, objects=shown, children=children)
        result.append(Changed(said, one.app, one.before, one.after, one.left))
    return result


def _is_reported(item: ObjectChange, names_reported: set[str]) -> bool:
    return item.key.group_kind == _APPLICATION and item.key.name in names_reported
