"""Reads one cluster for a diagnosis: every kind that matters, page by page, several at once, and never writes.

Called by `syncline.verbs.fleet.hub` for the home of the Applications and for each cluster they are delivered to. What
may not be read is named and the rest goes on: somebody who may read a namespace only sees that namespace.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.view.looked_at import SECRET
from syncline.core.diagnose.graph.view.outline import outlined
from syncline.model import names
from syncline.model.fleet import ClusterSnapshot
from syncline.ports.kube import ApiError, ApiResource, ClusterReader, Discovery
from syncline.ports.transport import TransportError
from syncline.verbs.fleet import kinds, pod_logs

APPLICATION = GroupKind(names.GROUP, "Application")
_AT_ONCE = 8
_ANSWERS_WITHIN = 20.0
_REFUSED = (401, 403)
_GONE = (404, 405)
_NAMESPACES_AT_MOST = 30


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What to read: the cluster's names, and the namespaces that are tried where not all may be read."""

    name: str
    server: str = ""
    namespaces: tuple[str, ...] = ()
    secret_metadata: bool = False
    drifted: frozenset[ObjectKey] = frozenset()


class ClusterRead(msgspec.Struct, frozen=True):
    """What was read of a cluster, and with how many requests."""

    snapshot: ClusterSnapshot
    requests: int = 0


class _Taken:
    """What has arrived so far."""

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self.objects: dict[ObjectKey, Object] = {}
        self.events: dict[ObjectKey, Object] = {}
        self.unreadable: set[str] = set()
        self.requests = 3
        self.drifted: Collection[ObjectKey] = wish.drifted

    def take(self, obj: Object) -> None:
        kept = outlined(obj, self.drifted)
        key = key_of(kept)
        if key.group_kind == kinds.EVENT:
            self.events[key] = kept
        else:
            self.objects[key] = kept

    def of_kind(self, kind: GroupKind) -> list[Object]:
        return [obj for key, obj in self.objects.items() if key.group_kind == kind]


async def read_cluster(cluster: ClusterReader, wish: Wish) -> ClusterRead:
    """Read one cluster; where it does not answer, the snapshot says why."""
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN):
            discovery = await cluster.discover()
    except (ApiError, TransportError) as error:
        return ClusterRead(ClusterSnapshot(name=wish.name, server=wish.server, problem=str(error)), 3)
    except TimeoutError:
        late = f"no answer within {_ANSWERS_WITHIN:.0f} s"
        return ClusterRead(ClusterSnapshot(name=wish.name, server=wish.server, problem=late), 3)
    taken = _Taken(wish)
    await _read_kinds(cluster, kinds.wanted(discovery, secret_metadata=wish.secret_metadata), taken)
    logs = await pod_logs.read(cluster, pod_logs.failed(taken.of_kind(kinds.POD)))
    return _result(taken, logs, discovery)


def _result(taken: _Taken, logs: pod_logs.LogsRead, discovery: Discovery) -> ClusterRead:
    unreadable = {*taken.unreadable, *(f"{group} (API group)" for group in discovery.failed)}
    if logs.refused:
        unreadable.add("pods/log")
    wish = taken.wish
    snapshot = ClusterSnapshot(
        name=wish.name,
        server=wish.server,
        objects=tuple(taken.objects[key] for key in sorted(taken.objects)),
        events=tuple(taken.events[key] for key in sorted(taken.events)),
        logs=logs.logs,
        unreadable=tuple(sorted(unreadable)),
        secrets_listed=wish.secret_metadata and str(SECRET) not in taken.unreadable,
    )
    return ClusterRead(snapshot, taken.requests + logs.asked)


async def _read_kinds(cluster: ClusterReader, resources: list[ApiResource], taken: _Taken) -> None:
    """Read Applications before the rest: they say where else to look, and whose writers matter."""
    turn = asyncio.Semaphore(_AT_ONCE)
    by_kind = {one.gvk.group_kind: one for one in resources}
    if apps := by_kind.pop(APPLICATION, None):
        await _read_kind(cluster, apps, taken, turn, taken.wish.namespaces)
    found = taken.of_kind(APPLICATION)
    taken.drifted = taken.wish.drifted | frozenset(drifted(found))
    named = tuple(dict.fromkeys([*taken.wish.namespaces, *destination_namespaces(found)]))[:_NAMESPACES_AT_MOST]
    readable: tuple[str, ...] = named
    if pods := by_kind.pop(kinds.POD, None):
        # Whoever may not read pods in a namespace is not asked sixty more times whether something else may be read.
        readable = await _read_kind(cluster, pods, taken, turn, named)
    namespaces = tuple(dict.fromkeys([*taken.wish.namespaces, *readable]))
    await asyncio.gather(*(_read_kind(cluster, one, taken, turn, namespaces) for one in by_kind.values()))


def drifted(apps: Iterable[Object]) -> Iterable[ObjectKey]:
    """Yield the objects that Applications call OutOfSync: of those it matters who wrote which field."""
    for app in apps:
        for row in (app.get("status") or {}).get("resources") or ():
            if row.get("status") == "OutOfSync":
                yield ObjectKey(*(str(row.get(part) or "") for part in ("group", "kind", "namespace", "name")))


def destination_namespaces(apps: Iterable[Object]) -> list[str]:
    """Return the namespaces that Applications are delivered to, those of most apps first."""
    counts: dict[str, int] = {}
    for app in apps:
        namespace = str(((app.get("spec") or {}).get("destination") or {}).get("namespace") or "")
        counts[namespace] = counts.get(namespace, 0) + 1
    counts.pop("", None)
    return sorted(counts, key=lambda one: (-counts[one], one))


async def _read_kind(
    cluster: ClusterReader, resource: ApiResource, taken: _Taken, turn: asyncio.Semaphore, namespaces: tuple[str, ...]
) -> tuple[str, ...]:
    """Read a kind everywhere, or else where it may be read; return the namespaces it was read in one by one."""
    async with turn:
        try:
            await _read_pages(cluster, resource, taken, "")
        except ApiError as error:
            if error.code in _GONE:
                return ()
            taken.unreadable.add(str(resource.gvk.group_kind))
            if error.code in _REFUSED and resource.namespaced:
                return await _read_some(cluster, resource, taken, namespaces)
        except TransportError:
            taken.unreadable.add(str(resource.gvk.group_kind))
        return ()


async def _read_some(
    cluster: ClusterReader, resource: ApiResource, taken: _Taken, namespaces: tuple[str, ...]
) -> tuple[str, ...]:
    found = []
    for namespace in namespaces:
        try:
            await _read_pages(cluster, resource, taken, namespace)
        except ApiError:
            continue
        except TransportError:
            break
        found.append(namespace)
    return tuple(found)


async def _read_pages(cluster: ClusterReader, resource: ApiResource, taken: _Taken, namespace: str) -> None:
    kind = resource.gvk.group_kind
    pages = cluster.pages(
        resource,
        namespace=namespace,
        field_selector="type=Warning" if kind == kinds.EVENT else "",
        metadata_only=kind == SECRET,
    )
    async for page in pages:
        taken.requests += 1
        for obj in page.items:
            taken.take(obj)
