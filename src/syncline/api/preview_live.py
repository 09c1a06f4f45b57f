"""Puts what is live beside a preview: the apps that a change touches, compared with a cluster or a dump.

Called by `syncline.api.preview` where somebody names one. Each app is compared as the controller compares it, once as
the base has it and once as the head has it; `syncline.core.preview.live` tells the two apart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from syncline.api.diffing import answered
from syncline.api.pairing import is_managed
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.compare import compare
from syncline.core.compare.context import NodeFor, for_app
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.core.compare.schemas import SchemaCache
from syncline.core.diagnose.repository.world import cluster_of
from syncline.core.preview.apps import Pair, pairs, typed
from syncline.core.preview.live import live_app
from syncline.model import names
from syncline.model.preview import AppChange, LiveApp, LiveView, Preview

if TYPE_CHECKING:
    from syncline.core.diagnose.subjects import Change, Repo, RepoApp
    from syncline.model.comparison import Comparison
    from syncline.model.desired import DesiredObject
    from syncline.model.live_objects import LiveObjects

LiveReader = Callable[[frozenset[GroupKind]], Awaitable["LiveObjects"]]
"""Reads the live objects of some kinds."""


async def with_live(told: Preview, change: Change, read: LiveReader) -> Preview:
    """Return a preview with what is live beside it; only the kinds of the apps that change are read."""
    both = {pair.name: pair for pair in pairs(change.base.apps, change.head.apps)}
    touched = [(one, both[one.name]) for one in told.apps if one.name in both]
    kinds = {item.key.group_kind for _, pair in touched for app in (pair.before, pair.after) for item in _objects(app)}
    live = await read(frozenset(kinds))
    looking = _Looking(change, live, _alone(change))
    apps = [await looking.app(one, pair) for one, pair in touched]
    notes = (*told.notes, *(f"not read: {one}" for one in live.skipped))
    view = LiveView(origin=live.origin, as_of=live.as_of, apps=tuple(apps))
    return msgspec.structs.replace(told, live=view, notes=notes)


def _objects(app: RepoApp | None) -> tuple[DesiredObject, ...]:
    return app.desired.objects if app is not None and app.desired is not None else ()


def _alone(change: Change) -> str:
    """Return the address of the only cluster that the repository delivers to; empty where there are several."""
    found = {cluster_of(read) for repo in (change.base, change.head) for app in repo.apps if (read := typed(app))}
    return next(iter(found)) if len(found) == 1 else ""


class _Looking:
    """Compares apps with what is live."""

    def __init__(self, change: Change, live: LiveObjects, alone: str) -> None:
        self._change, self._live = change, live
        self._here = {names.IN_CLUSTER_SERVER, live.server.rstrip("/"), alone} - {""}
        self._scopes = {**change.base.world.scopes, **change.head.world.scopes}
        self._node_for = _schemas(change, live.objects)

    async def app(self, said: AppChange, pair: Pair) -> LiveApp:
        """Return one app beside what is live."""
        if said.unknown:
            return LiveApp(name=said.name, unknown=said.unknown)
        if said.cluster.rstrip("/") not in self._here:
            return LiveApp(name=said.name, unknown=f"{self._live.origin} is not its cluster ({said.cluster})")
        sets = self._prepared(self._change.base, pair.before), self._prepared(self._change.head, pair.after)
        known = frozenset(item.key for one in sets if one is not None for item in one.objects)
        base = await self._compared(self._change.base, pair.before, sets[0], frozenset())
        head = await self._compared(self._change.head, pair.after, sets[1] or _gone(pair.before), known)
        return live_app(said, base, head, frozenset(self._live.unread), self._change.head.settings.settings)

    def _prepared(self, repo: Repo, app: RepoApp | None) -> PreparedSet | None:
        read = typed(app)
        if app is None or app.desired is None or read is None:
            return None
        return prepare(app.desired, read, repo.settings.settings, self._scopes)

    async def _compared(
        self, repo: Repo, app: RepoApp | None, prepared: PreparedSet | None, known: frozenset[ObjectKey]
    ) -> Comparison | None:
        """Compare one side; `known` are objects that are the app's whatever they say of themselves."""
        if prepared is None:
            return None
        read, settings = typed(app), repo.settings.settings
        context = await answered(
            prepared, self._live.objects, for_app(read, settings, self._node_for, self._live.as_of)
        )
        mine = {key for key, obj in self._live.objects.items() if read is not None and is_managed(obj, read, settings)}
        return compare(prepared, self._live.objects, frozenset(mine | (known & set(self._live.objects))), context)


def _gone(before: RepoApp | None) -> PreparedSet | None:
    """Return nothing at all, for an Application whose objects are deleted with it; None where they stay."""
    finalizers = (before.manifest.obj.get("metadata") or {}).get("finalizers") or () if before is not None else ()
    cascades = any(str(one).startswith(names.RESOURCES_FINALIZER) for one in finalizers)
    return PreparedSet((), (), ()) if cascades else None


def _schemas(change: Change, live: Mapping[ObjectKey, Object]) -> NodeFor:
    rendered = (item.obj for repo in (change.base, change.head) for app in repo.apps for item in _objects(app))
    every = (*live.values(), *rendered)
    return SchemaCache().of([obj for obj in every if obj.get("kind") == "CustomResourceDefinition"]).node_for
