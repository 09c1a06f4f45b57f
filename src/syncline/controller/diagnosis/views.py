"""Makes of the live views what a diagnosis looks at; nothing is listed a second time.

Called by `syncline.controller.diagnosis.publisher`. Objects are decoded a few at a time, so that deliveries go on in
between. Of Secrets nothing is taken but names and keys. Where there are more objects than fit, only those are taken
which are beside Applications that are not in order, and nothing counts as absent then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.controller.app_key import APPLICATION, application_key
from syncline.controller.clusters.destinations import Destinations
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.events import EVENT
from syncline.controller.sources.desired import DesiredSources
from syncline.controller.sources.layers import layers_of
from syncline.core.diagnose.graph.symptoms import state_of
from syncline.core.diagnose.graph.view.fleet import row_key, rows_of
from syncline.core.diagnose.graph.view.looked_at import SECRET, is_looked_at
from syncline.core.diagnose.graph.view.outline import outlined
from syncline.model import application, names
from syncline.model.desired import Desired
from syncline.model.errors import InvalidSpec
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Rendered
from syncline.model.layers import Layers
from syncline.model.snapshot import Snapshot

OBJECTS = 50_000
"""So many objects of all clusters are decoded for one diagnosis at most."""
_AROUND = 10_000
"""So many are decoded for a question about one Application."""
_AT_A_TIME = 200
_LAYERED = 50
"""Of so many apps that are not in order the layers of their sources are worked out."""


async def fleet(destinations: Destinations, sources: DesiredSources, now: str) -> FleetSnapshot:
    """Return all open clusters as they are in view, the home of the Applications first."""
    opened = [place for one in destinations.known() if (place := destinations.opened(one.server)) is not None]
    home = [place for place in opened if place.known.server == names.IN_CLUSTER_SERVER]
    others = [place for place in opened if place.known.server != names.IN_CLUSTER_SERVER]
    apps = list(home[0].live.index.of_kind(APPLICATION)) if home else []
    bad = {row_key(row) for app in apps if state_of(app) for row in rows_of(app)}
    beside = {"", *(key.namespace for key in bad)} if sum(len(one.live.index) for one in opened) > OBJECTS else None
    clusters = [
        await _cluster(place.known.name, place.known.server, place.live, bad, beside) for place in (*home, *others)
    ]
    rendered = [one async for one in _rendered(sources, {key_of(app): app for app in apps if state_of(app)})]
    return FleetSnapshot(as_of=now, origin="live views", clusters=tuple(clusters), rendered=tuple(rendered))


async def around(destinations: Destinations, snapshot: Snapshot) -> FleetSnapshot:
    """Return the clusters that an Application has to do with, for whoever looks for causes outside of it."""
    opened = [place for one in destinations.known() if (place := destinations.opened(one.server)) is not None]
    opened.sort(key=lambda place: place.known.server != names.IN_CLUSTER_SERVER)
    own = {row_key(row) for row in rows_of(snapshot.app)} | {key_of(obj) for obj in snapshot.live}
    many = sum(len(one.live.index) for one in opened) > _AROUND
    beside = {"", *(key.namespace for key in own)} if many else None
    clusters = [await _cluster(place.known.name, place.known.server, place.live, own, beside) for place in opened]
    there = snapshot.destination.server if snapshot.destination is not None else names.IN_CLUSTER_SERVER
    with_logs = (msgspec.structs.replace(one, logs=snapshot.logs) if one.server == there else one for one in clusters)
    rendered = Rendered(app=key_of(snapshot.app), desired=snapshot.desired, layers=snapshot.layers)
    return FleetSnapshot(as_of=snapshot.as_of, origin="live views", clusters=tuple(with_logs), rendered=(rendered,))


async def _rendered(sources: DesiredSources, bad: Mapping[ObjectKey, Object]) -> AsyncIterator[Rendered]:
    """Yield the last render of every app, of some that are not in order with the layers that its values are set by."""
    left = _LAYERED
    for key, desired in sources.last_renders():
        app = bad.get(application_key(key))
        layers = Layers()
        if app is not None and left:
            left -= 1
            layers = await _layers(sources, app, desired)
        yield Rendered(app=application_key(key), desired=desired, layers=layers)


async def _layers(sources: DesiredSources, app: Object, desired: Desired) -> Layers:
    try:
        parsed = application.parse(app)
    except InvalidSpec:
        return Layers()
    of = parsed.spec.all_sources
    if len(of) != len(desired.revisions):
        return Layers()  # its sources have changed since
    return await layers_of(sources, parsed, of, desired.revisions, desired)


async def _cluster(
    name: str, server: str, live: LiveCluster, bad: set[ObjectKey], beside: set[str] | None
) -> ClusterSnapshot:
    if live.unreachable:
        return ClusterSnapshot(name=name, server=server, problem=live.unreachable)
    objects = [obj async for obj in _objects(live, bad, beside)]
    return ClusterSnapshot(
        name=name,
        server=server,
        objects=tuple(objects),
        events=live.events.every(),
        unreadable=_unreadable(live),
        secrets_listed=not live.unlisted(SECRET),
        partial=beside is not None,
    )


async def _objects(live: LiveCluster, bad: set[ObjectKey], beside: set[str] | None) -> AsyncIterator[Object]:
    taken = 0
    for kind in live.index.kinds():
        if not is_looked_at(kind) and kind != SECRET:
            continue
        for key in live.index.keys(kind):
            if beside is not None and key.namespace not in beside and kind != APPLICATION:
                continue
            obj = live.index.seen(key)
            if obj is not None:
                yield outlined(obj, bad)
            taken += 1
            if taken % _AT_A_TIME == 0:
                await asyncio.sleep(0)


def _unreadable(live: LiveCluster) -> tuple[str, ...]:
    """Return the kinds that are not in view: refused by the server, or left out by settings."""
    listed = {one.gvk.group_kind for one in live.discovery.resources if "list" in one.verbs}
    kinds = listed - {EVENT}
    hidden = {kind for kind in kinds if is_looked_at(kind) and live.index.excluded(kind)}
    unseen = {kind for kind in hidden if not live.index.has_kind(kind)} | {one for one in kinds if live.unlisted(one)}
    return tuple(sorted(str(kind) for kind in unseen))
