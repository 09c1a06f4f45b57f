"""All clusters of a diagnosis together: where an Application is delivered, what it manages, which line says what.

Built once from a `syncline.model.fleet.FleetSnapshot` and asked by checks through
`syncline.core.diagnose.graph.fault.Node`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core import defined_kinds
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.provenance.set_by import is_same
from syncline.model import names
from syncline.model.desired import Desired, DesiredObject
from syncline.model.diagnosis import Thing
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from syncline.model.layers import Layers

T = TypeVar("T")
APPLICATION = GroupKind(names.GROUP, "Application")
APPLICATION_SET = GroupKind(names.GROUP, "ApplicationSet")
_NOWHERE = ClusterSnapshot(name="", problem="not read")


class FleetIndex:
    """Every cluster, the home of the Applications first."""

    def __init__(self, snapshot: FleetSnapshot) -> None:
        self.snapshot = snapshot
        self.clusters = tuple(ClusterIndex(one, snapshot.as_of) for one in snapshot.clusters)
        self.nowhere = ClusterIndex(_NOWHERE, snapshot.as_of)
        self._by_name = {one.name: one for one in self.clusters}
        self._remembered: dict[object, object] = {}

    @property
    def home(self) -> ClusterIndex:
        """The cluster that holds the Applications."""
        return self.clusters[0] if self.clusters else self.nowhere

    def remembered(self, worked_out: Callable[[FleetIndex], T]) -> T:
        """Return what a function makes of this fleet, which is worked out once."""
        if worked_out not in self._remembered:
            self._remembered[worked_out] = worked_out(self)
        return cast("T", self._remembered[worked_out])

    def cluster(self, name: str) -> ClusterIndex:
        """Return a cluster by its name; an empty one for a name that is not known."""
        return self._by_name.get(name, self.nowhere)

    def find(self, thing: Thing) -> Object | None:
        """Return the object that a thing is; None where it was not read, or is outside."""
        return self.cluster(thing.cluster).get(thing.key) if thing.key is not None else None

    @functools.cached_property
    def apps(self) -> Mapping[ObjectKey, Object]:
        """The Applications."""
        return dict(self.home.of_kind(APPLICATION))

    @functools.cached_property
    def sets(self) -> Mapping[ObjectKey, Object]:
        """The ApplicationSets."""
        return dict(self.home.of_kind(APPLICATION_SET))

    @functools.cached_property
    def _by_server(self) -> Mapping[str, ClusterIndex]:
        found = {one.snapshot.server: one for one in reversed(self.clusters) if one.snapshot.server}
        return found | {names.IN_CLUSTER_SERVER: self.home}

    def destination(self, app: Object) -> ClusterIndex:
        """Return the cluster that an Application is delivered to; an empty one where that was not read."""
        wanted = part(app, "spec", "destination")
        server, name = str(wanted.get("server") or ""), str(wanted.get("name") or "")
        if name == names.IN_CLUSTER_NAME:
            return self.home
        return self._by_server.get(server.rstrip("/"), self.nowhere) if server else self.cluster(name)

    def managed(self, app: Object) -> Iterator[tuple[Thing, Mapping[str, object]]]:
        """Yield what an Application manages, with the row of its status."""
        where = self.destination(app).name
        for row in rows_of(app):
            if row.get("kind") and row.get("name"):
                yield Thing(cluster=where, key=row_key(row)), row

    @functools.cached_property
    def _renders(self) -> Mapping[ObjectKey, Desired]:
        return {one.app: one.desired for one in self.snapshot.rendered if one.desired is not None}

    @functools.cached_property
    def _layers(self) -> Mapping[ObjectKey, Layers]:
        return {one.app: one.layers for one in self.snapshot.rendered}

    def layers(self, app: ObjectKey) -> Layers:
        """Return which layers of an Application's sources say what its objects are."""
        return self._layers.get(app) or Layers()

    def render(self, app: ObjectKey) -> Desired | None:
        """Return what the source of an Application renders; None where that is not known."""
        return self._renders.get(app)

    @functools.cached_property
    def _desired(self) -> Mapping[Thing, tuple[ObjectKey, DesiredObject]]:
        found: dict[Thing, tuple[ObjectKey, DesiredObject]] = {}
        for app, desired in self._renders.items():
            manifest = self.apps.get(app) or {}
            where = self.destination(manifest).name
            space = str(part(manifest, "spec", "destination").get("namespace") or "")
            for item in desired.objects:
                key = item.key
                found.setdefault(Thing(cluster=where, key=key), (app, item))
                if not key.namespace and space:
                    placed = ObjectKey(key.group, key.kind, space, key.name)
                    found.setdefault(Thing(cluster=where, key=placed), (app, item))
        return found

    def desired(self, thing: Thing) -> tuple[ObjectKey, DesiredObject] | None:
        """Return an object as Git has it, and the Application that delivers it; None where that is not known."""
        return self._desired.get(Thing(cluster=thing.cluster, key=thing.key))

    def written_by(self, thing: Thing) -> list[tuple[ObjectKey, DesiredObject]]:
        """Return an object as each Application has it that delivers it and was rendered."""
        found = []
        for app in self.deliverers(thing):
            desired = self._renders.get(app)
            items = (item for item in desired.objects if thing.key and is_same(item.key, thing.key)) if desired else ()
            found += [(app, item) for item in items]
        return found

    def undelivered_by(self, absent: Thing) -> tuple[Thing, ...]:
        """Return the Applications that have an absent object in their source, or record it, and have not made it."""
        desired = self.desired(absent)
        plain = Thing(cluster=absent.cluster, key=absent.key)
        apps = [desired[0]] if desired is not None else self.deliverers(plain)
        return tuple(Thing(cluster=self.home.name, key=app) for app in apps)

    def desired_of(self, cluster: str, kind: GroupKind) -> Iterator[tuple[ObjectKey, DesiredObject]]:
        """Yield what Git has of a kind for a cluster, with the Application that delivers it."""
        for thing, found in self._desired.items():
            if thing.cluster == cluster and thing.key is not None and thing.key.group_kind == kind:
                yield found

    @functools.cached_property
    def _templates(self) -> Mapping[tuple[str, str], list[tuple[ObjectKey, Thing, dict[str, Any]]]]:
        found: dict[tuple[str, str], list[tuple[ObjectKey, Thing, dict[str, Any]]]] = {}
        for thing, (app, item) in self._desired.items():
            labels = part(item.obj, "spec", "template", "metadata", "labels")
            if labels and thing.key is not None and thing.key.namespace:
                found.setdefault((thing.cluster, thing.key.namespace), []).append((app, thing, labels))
        return found

    def templates(self, cluster: str, namespace: str) -> list[tuple[ObjectKey, Thing, dict[str, Any]]]:
        """Return what Git has for a namespace that makes pods: the Application, the thing, and the labels of pods."""
        return self._templates.get((cluster, namespace), [])

    @functools.cached_property
    def _deliverers(self) -> Mapping[Thing, list[ObjectKey]]:
        found: dict[Thing, list[ObjectKey]] = {}
        for key, app in self.apps.items():
            for thing, row in self.managed(app):
                if not row.get("hook"):
                    found.setdefault(thing, []).append(key)
        return found

    def deliverers(self, thing: Thing) -> list[ObjectKey]:
        """Return the Applications that record an object among what they manage, by key."""
        return self._deliverers.get(thing, [])

    @functools.cached_property
    def _generated(self) -> Mapping[ObjectKey, frozenset[str]]:
        return {one.appset: frozenset(one.names) for one in self.snapshot.generated}

    def generated(self, appset: ObjectKey) -> frozenset[str] | None:
        """Return the names of the Applications that a set generates now; None where its generators were not asked."""
        return self._generated.get(appset)

    @functools.cached_property
    def _definers(self) -> Mapping[tuple[str, GroupKind], list[ObjectKey]]:
        found: dict[tuple[str, GroupKind], list[ObjectKey]] = {}
        for app, desired in self._renders.items():
            where = self.destination(self.apps.get(app) or {}).name
            for item in desired.objects:
                if item.obj.get("kind") == defined_kinds.DEFINITION:
                    kind = defined_kinds.defined_kind(item.obj)
                    if kind is not None:
                        found.setdefault((where, kind), []).append(app)
        return found

    @functools.cached_property
    def _recorded_definers(self) -> Mapping[tuple[str, str], list[ObjectKey]]:
        found: dict[tuple[str, str], dict[ObjectKey, None]] = {}
        for key, app in self.apps.items():
            for row in rows_of(app):
                if row.get("kind") == defined_kinds.DEFINITION:
                    group = str(row.get("name") or "").partition(".")[2]
                    found.setdefault((self.destination(app).name, group), {})[key] = None
        return {place: list(apps) for place, apps in found.items()}

    def recorded_definers(self, cluster: str, group: str) -> list[ObjectKey]:
        """Return the Applications that record definitions of a group of kinds among what they manage."""
        return self._recorded_definers.get((cluster, group), [])

    def definers(self, cluster: str, kind: GroupKind) -> list[ObjectKey]:
        """Return the Applications that would deliver the definition of a kind."""
        return self._definers.get((cluster, kind), [])


def part(obj: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return a part of an object that should be a map; empty where it is missing, or has another form."""
    value: Any = obj
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, dict) else {}


def rows_of(app: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of an Application's status that have the form of one."""
    found = part(app, "status").get("resources")
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def row_key(row: Mapping[str, object]) -> ObjectKey:
    """Return the object that a row of an Application's status is about."""
    return ObjectKey(*(str(row.get(name) or "") for name in ("group", "kind", "namespace", "name")))


def title(app: Object) -> str:
    """Return the name of an Application as everybody writes it: namespace/name."""
    return f"{meta.namespace(app)}/{meta.name(app)}"
