"""Reads a fleet through Argo CD's own API: every cluster it delivers to, with nothing but the caller's token.

Called by the command line. Of Applications that are in order the recorded status is enough; of the others the tree, the
live objects, what fails below them, Events and logs are asked for, a bounded number of each. What no Application
manages (nodes, quotas, storage classes) cannot be seen this way, which the snapshot says.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import msgspec
import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose.graph.view.outline import outlined
from syncline.model import names
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from syncline.ports.kube import ApiError
from syncline.ports.transport import Transport, TransportError
from syncline.verbs.fleet import pod_logs
from syncline.verbs.fleet.argocd_api import ArgoApi
from syncline.verbs.fleet.dump import as_core_event
from syncline.verbs.fleet.hub import FleetRead
from syncline.verbs.fleet.reading import drifted

APPS_AT_MOST = 400
_AT_ONCE = 8
_NODES_AT_MOST = 12
_EVENTS_AT_MOST = 8
_NOT_SEEN = "what no Application manages"
_GOOD = (("sync", "Synced"), ("health", "Healthy"))


class _Place:
    """What has been read of one cluster."""

    def __init__(self, name: str, server: str) -> None:
        self.name = name
        self.server = server
        self.objects: dict[ObjectKey, Object] = {}
        self.events: dict[ObjectKey, Object] = {}
        self.logs: list[Any] = []
        self.unreadable: set[str] = {_NOT_SEEN}
        self.problem = ""

    def snapshot(self) -> ClusterSnapshot:
        return ClusterSnapshot(
            name=self.name,
            server=self.server,
            objects=tuple(self.objects[key] for key in sorted(self.objects)),
            events=tuple(self.events[key] for key in sorted(self.events)),
            logs=tuple(self.logs),
            unreadable=tuple(sorted(self.unreadable)),
            problem=self.problem,
            partial=True,
        )


class _Logs(msgspec.Struct, frozen=True):
    """The pods of one Application, as a reader of logs."""

    api: ArgoApi
    app: Object

    def logs(self, namespace: str, pod: str, options: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yield the lines a container of a pod printed."""
        return self.api.log(self.app, {"namespace": namespace, "podName": pod, "follow": "false", **options})


def requests() -> list[str]:
    """Return the requests of one reading, as lines."""
    app = "GET /api/v1/applications/APP"
    return [
        "GET /api/v1/applications",
        "GET /api/v1/projects",
        "GET /api/v1/applicationsets",
        "GET /api/v1/clusters",
        f"{app}/resource-tree   of each that is not Synced and Healthy",
        f"{app}/managed-resources",
        f"{app}/resource   of what fails below them",
        f"{app}/events   of what fails",
        f"{app}/logs   of containers that failed",
    ]


def policy(role: str = "role:syncline-diagnose") -> list[str]:
    """Return the lines of argocd-rbac-cm that permit one reading, and nothing else."""
    wanted = (
        ("applications", "*/*"),
        ("applicationsets", "*/*"),
        ("logs", "*/*"),
        ("projects", "*"),
        ("clusters", "*"),
    )
    return [f"p, {role}, {resource}, get, {objects}, allow" for resource, objects in wanted]


async def read_through_argocd(transport: Transport, url: str, as_of: str) -> FleetRead:
    """Read the fleet of an argocd-server; raises `ApiError` where not even its Applications may be seen."""
    api = ArgoApi(transport)
    apps = [{"apiVersion": names.API_VERSION, "kind": "Application", **app} for app in await api.items(_APPLICATIONS)]
    home = _Place(names.IN_CLUSTER_NAME, names.IN_CLUSTER_SERVER)
    for app in apps:
        home.objects[key_of(app)] = outlined(app)
    clusters = await _around(api, home)
    places = _places(apps, clusters, home)
    bad = sorted((app for app in apps if not _is_good(app)), key=key_of)
    turn = asyncio.Semaphore(_AT_ONCE)
    await asyncio.gather(*(_read_app(api, app, places[_destination(app)], turn) for app in bad[:APPS_AT_MOST]))
    if len(bad) > APPS_AT_MOST:
        home.unreadable.add(f"objects of {len(bad) - APPS_AT_MOST} more Applications")
    listed = (home, *(place for place in dict.fromkeys(places.values()) if place is not home))
    snapshot = FleetSnapshot(
        as_of=as_of, origin=f"Argo CD at {url}", clusters=tuple(place.snapshot() for place in listed)
    )
    return FleetRead(snapshot, api.requests)


_APPLICATIONS = "/api/v1/applications"


async def _around(api: ArgoApi, home: _Place) -> list[Object]:
    """Read projects and ApplicationSets; return the clusters, as far as they may be seen."""
    found: dict[str, list[Object]] = {}
    for path, kind in (("projects", "AppProject"), ("applicationsets", "ApplicationSet"), ("clusters", "Cluster")):
        try:
            found[kind] = await api.items(f"/api/v1/{path}")
        except (ApiError, TransportError):
            home.unreadable.add(kind)
    for kind in ("AppProject", "ApplicationSet"):
        for obj in found.get(kind, []):
            typed = {"apiVersion": names.API_VERSION, "kind": kind, **obj}
            home.objects[key_of(typed)] = outlined(typed)
    return found.get("Cluster", [])


def _places(apps: Iterable[Object], clusters: Iterable[Object], home: _Place) -> dict[str, _Place]:
    """Return the clusters by what Applications call them: address or name."""
    places: dict[str, _Place] = {names.IN_CLUSTER_SERVER: home, names.IN_CLUSTER_NAME: home, "": home}
    for cluster in clusters:
        server, name = str(cluster.get("server") or "").rstrip("/"), str(cluster.get("name") or "")
        place = places.get(server) or _Place(name or server, server)
        places[server] = place
        places.setdefault(name, place)
        state = cluster.get("connectionState") or (cluster.get("info") or {}).get("connectionState") or {}
        if state.get("status") == "Failed":
            place.problem = str(state.get("message") or "Argo CD cannot reach it")
    for app in apps:
        called = _destination(app)
        places.setdefault(called, _Place(called, called if "://" in called else ""))
    return places


def _destination(app: Object) -> str:
    destination = (app.get("spec") or {}).get("destination") or {}
    return str(destination.get("server") or destination.get("name") or "").rstrip("/")


def _is_good(app: Object) -> bool:
    status = app.get("status") or {}
    return all((status.get(part) or {}).get("status") == word for part, word in _GOOD) and not status.get("conditions")


async def _read_app(api: ArgoApi, app: Object, place: _Place, turn: asyncio.Semaphore) -> None:
    """Read what one Application manages and what fails below it."""
    async with turn:
        try:
            await _read_managed(api, app, place)
            nodes = (await api.of_app(app, "resource-tree")).get("nodes") or ()
            await _read_failing(api, app, place, [one for one in nodes if isinstance(one, dict)])
        except ApiError as error:
            place.unreadable.add("objects of some Applications" if error.code == 403 else "some objects")
            return
        except TransportError:
            place.unreadable.add("some objects")
            return
        pods = [obj for key, obj in place.objects.items() if key.kind == "Pod" and not key.group]
        mine = {str(one.get("name")) for one in nodes if one.get("kind") == "Pod"}
        wanted = pod_logs.failed(pod for pod in pods if meta.name(pod) in mine)
        read = await pod_logs.read(_Logs(api, app), wanted[:_EVENTS_AT_MOST])
        place.logs += read.logs
        if read.refused:
            place.unreadable.add("pods/log")


async def _read_managed(api: ArgoApi, app: Object, place: _Place) -> None:
    wanted = frozenset(drifted([app]))
    items = (await api.of_app(app, "managed-resources")).get("items") or ()
    for item in items:
        live = _parsed(item.get("liveState"))
        if live is not None:
            place.objects[key_of(live)] = outlined(live, wanted)


def _parsed(text: Any) -> Object | None:
    try:
        found = orjson.loads(text) if isinstance(text, str) and text else None
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and not meta.untyped(found) else None


async def _read_failing(api: ArgoApi, app: Object, place: _Place, nodes: list[Object]) -> None:
    """Read what is not Healthy and is not managed itself, with its owners up to what is managed; and their Events."""
    by_uid = {str(node.get("uid") or ""): node for node in nodes}
    failing = [node for node in nodes if (node.get("health") or {}).get("status") not in (None, "Healthy")]
    wanted: dict[ObjectKey, Object] = {}
    for node in _one_of_each_owner(failing):
        for one in _lineage(node, by_uid):
            key = _node_key(one)
            if key not in place.objects and len(wanted) < _NODES_AT_MOST:
                wanted.setdefault(key, one)
    for key, node in wanted.items():
        answer = await api.of_app(
            app,
            "resource",
            resourceName=key.name,
            namespace=key.namespace,
            group=key.group,
            kind=key.kind,
            version=str(node.get("version") or ""),
        )
        if (live := _parsed(answer.get("manifest"))) is not None:
            place.objects[key] = outlined(live)
    for node in [*_one_of_each_owner(failing)][:_EVENTS_AT_MOST]:
        await _read_events(api, app, place, node)


def _one_of_each_owner(nodes: Iterable[Object]) -> Iterator[Object]:
    """Yield two nodes of those that have the same owner: they fail alike, and two tell a count from a single one."""
    seen: dict[tuple[str, str], int] = {}
    for node in nodes:
        parents = node.get("parentRefs") or ()
        owner = str(parents[0].get("uid") or parents[0].get("name")) if parents else str(node.get("uid") or "")
        same = (str(node.get("kind")), owner)
        seen[same] = seen.get(same, 0) + 1
        if seen[same] <= _ALIKE:
            yield node


_ALIKE = 2


def _lineage(node: Object, by_uid: Mapping[str, Object]) -> Iterator[Object]:
    seen: set[str] = set()
    current: Object | None = node
    while current is not None and (uid := str(current.get("uid") or "")) not in seen:
        seen.add(uid)
        yield current
        parents = current.get("parentRefs") or ()
        current = next((by_uid[uid] for one in parents if (uid := str(one.get("uid"))) in by_uid), None)


def _node_key(node: Object) -> ObjectKey:
    return ObjectKey(*(str(node.get(part) or "") for part in ("group", "kind", "namespace", "name")))


async def _read_events(api: ArgoApi, app: Object, place: _Place, node: Object) -> None:
    key = _node_key(node)
    answer = await api.of_app(
        app,
        "events",
        resourceUID=str(node.get("uid") or ""),
        resourceNamespace=key.namespace,
        resourceName=key.name,
    )
    for event in answer.get("items") or ():
        typed = as_core_event({"apiVersion": "v1", "kind": "Event", **event})
        if typed.get("type") == "Warning":
            place.events[key_of(typed)] = outlined(typed)
