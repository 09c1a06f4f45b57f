"""What an object that a sync waits for is waiting for itself, down to the container that is the reason.

Asked by whoever follows a sync while nothing moves. An Application leads to the objects it delivers, on whichever
cluster that is. Only that object and what its own selector finds are read, never a whole namespace, since this is asked
again and again. Whatever may not be read gives no words: they are a help, and no reason to stop following.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.core.health import assess
from syncline.core.health.descend import descend
from syncline.core.health.family import OwnedObjects
from syncline.model import application, names
from syncline.model import cluster as clusters
from syncline.model.errors import SynclineError
from syncline.model.health import Health
from syncline.ports.kube import ApiError, Cluster, Discovery
from syncline.ports.transport import TransportError
from syncline.verbs.clusters import Connectors, known_clusters, opened

_APPLICATION = GroupKind(names.GROUP, "Application")
_POD, _JOB = GroupKind("", "Pod"), GroupKind("batch", "Job")
_REPLICA_SET = GroupKind("apps", "ReplicaSet")
_BELOW = {
    GroupKind("apps", "Deployment"): (_REPLICA_SET, _POD),
    GroupKind("argoproj.io", "Rollout"): (_REPLICA_SET, _POD),
    _REPLICA_SET: (_POD,),
    GroupKind("apps", "StatefulSet"): (_POD,),
    GroupKind("apps", "DaemonSet"): (_POD,),
    _JOB: (_POD,),
}
"""The kinds that the selector of a workload finds."""
_DEEPEST = 4
_PATIENCE = 5.0
_WAITING = ("Degraded", "Progressing", "Missing")


class _Place:
    """One cluster, asked once for its kinds."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._discovery: Discovery | None = None

    async def get(self, kind: GroupKind, namespace: str, name: str) -> Object | None:
        resource = (await self._kinds()).find(kind)
        return None if resource is None else await self._cluster.get(resource, namespace, name)

    async def selected(self, kind: GroupKind, namespace: str, selector: str) -> list[Object]:
        resource = (await self._kinds()).find(kind)
        if resource is None:
            return []
        listed = await self._cluster.list(resource, namespace=namespace, label_selector=selector)
        return [{**item, "apiVersion": resource.gvk.api_version, "kind": kind.kind} for item in listed.items]

    async def _kinds(self) -> Discovery:
        if self._discovery is None:
            self._discovery = await self._cluster.discover()
        return self._discovery


class Chains:
    """Follows objects of Applications to what holds them up; clusters are opened when the first object needs them."""

    def __init__(self, home: Cluster, namespace: str, connectors: Connectors, stack: AsyncExitStack) -> None:
        self._home = home
        self._namespace = namespace
        self._connectors = connectors
        self._stack = stack
        self._places: dict[str, _Place] = {}

    async def words(self, app: Object, kind: GroupKind, namespace: str, name: str) -> str:
        """Return `Deployment/web → ReplicaSet/web-1 → Pod/web-1-x → container web: why`; empty when nothing is told."""
        with suppress(ApiError, TransportError, SynclineError, InvalidSelector, TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                return await self._words(app, kind, namespace, name, depth=0)
        return ""

    async def _words(self, app: Object, kind: GroupKind, namespace: str, name: str, *, depth: int) -> str:
        place = await self._place(app)
        obj = await place.get(kind, namespace, name)
        if obj is None or depth >= _DEEPEST:
            return ""
        if kind == _APPLICATION:
            below = await self._of_application(obj, depth=depth + 1)
            return f"Application/{name} → {below}" if below else ""
        health = assess.assess(obj)
        return chain(obj, health, await _below(place, obj)) if health is not None else ""

    async def _of_application(self, app: Object, *, depth: int) -> str:
        """Return the first chain of what an Application delivers and waits for."""
        for row in (app.get("status") or {}).get("resources") or ():
            if (row.get("health") or {}).get("status") in _WAITING:
                kind = GroupKind(row.get("group", ""), row["kind"])
                if words := await self._words(app, kind, row.get("namespace", ""), row["name"], depth=depth):
                    return words
        return ""

    async def _place(self, app: Object) -> _Place:
        """Return the cluster an Application is delivered to, opened if it is the first time."""
        destination = application.parse(app).spec.destination
        address = destination.server.rstrip("/") or destination.name
        if address not in self._places:
            self._places[address] = _Place(await self._opened(destination, address))
        return self._places[address]

    async def _opened(self, destination: application.Destination, address: str) -> Cluster:
        if address in (names.IN_CLUSTER_SERVER, names.IN_CLUSTER_NAME):
            return self._home
        known, _broken = await known_clusters(self._home, self._namespace)
        chosen = clusters.choose(destination, known)
        client = opened(self._home, self._namespace, chosen, self._connectors)
        return await self._stack.enter_async_context(client)


@asynccontextmanager
async def chains(home: Cluster, namespace: str, connectors: Connectors) -> AsyncIterator[Chains]:
    """Yield what follows objects, for the installation in a namespace; the clusters it opens are closed at the end."""
    async with AsyncExitStack() as stack:
        yield Chains(home, namespace, connectors, stack)


async def _below(place: _Place, obj: Object) -> list[Object]:
    """Return what a workload may own, as far as its selector finds it; a CronJob names its Jobs itself."""
    namespace = obj["metadata"].get("namespace", "")
    kind = gvk_of(obj).group_kind
    if kind == GroupKind("batch", "CronJob"):
        active = (obj.get("status") or {}).get("active") or ()
        jobs = [await place.get(_JOB, namespace, str(one.get("name"))) for one in active]
        found = [job for job in jobs if job is not None]
        return [*found, *[pod for job in found for pod in await _below(place, job)]]
    selector = (obj.get("spec") or {}).get("selector")
    if kind not in _BELOW or not isinstance(selector, dict) or not namespace:
        return []
    text = str(LabelSelector.from_object(selector))
    return [item for below in _BELOW[kind] for item in await place.selected(below, namespace, text)] if text else []


def chain(obj: Object, health: Health, below: Sequence[Object]) -> str:
    """Return the way from an object to what holds it up, and why; empty when nothing below is to blame."""
    found = descend(obj, health, OwnedObjects([obj, *below]))
    if found is health:
        return ""
    subject = found.evidence[0].subject or key_of(obj)
    steps = _way(subject, obj, below)
    text = found.message.removeprefix(f"{subject.name}: ")
    part, _, rest = text.partition(": ")
    if part.startswith(("container ", "init container ")):
        return f"{' → '.join([*steps, part])}: {rest}"
    return f"{' → '.join(steps)}: {text}"


def _way(subject: ObjectKey, top: Object, below: Sequence[Object]) -> list[str]:
    """Return the names from the top to the one below that is to blame, by who owns whom."""
    by_uid = {str(item["metadata"].get("uid")): item for item in (top, *below)}
    current = next((item for item in below if key_of(item) == subject), None)
    steps: list[str] = []
    while current is not None and current is not top and len(steps) <= len(below):
        steps.insert(0, key_of(current).short)
        owners = current["metadata"].get("ownerReferences") or ()
        current = next((by_uid[uid] for one in owners if (uid := str(one.get("uid"))) in by_uid), None)
    return [key_of(top).short, *steps]
