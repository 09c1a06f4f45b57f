"""What people see first: Applications that are not in order, or, without Applications, what does not do its job.

Called by `syncline.core.diagnose.graph.diagnose`. Everything else is looked at only because a symptom leads there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.fault import conditions
from syncline.core.diagnose.graph.judge import Judge
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.fleet import FleetIndex, part, title
from syncline.core.diagnose.live.disruption import BUDGET
from syncline.core.diagnose.monitoring.labels import alerted
from syncline.model.diagnosis import Thing

WORKLOADS = (
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("apps", "DaemonSet"),
    GroupKind("apps", "ReplicaSet"),
    GroupKind("", "ReplicationController"),
    GroupKind("batch", "Job"),
    GroupKind("batch", "CronJob"),
    GroupKind("argoproj.io", "Rollout"),
    GroupKind("", "Pod"),
)
_SERVING = (
    GroupKind("", "Service"),
    GroupKind("", "PersistentVolumeClaim"),
    GroupKind("networking.k8s.io", "Ingress"),
    GroupKind("gateway.networking.k8s.io", "Gateway"),
    GroupKind("gateway.networking.k8s.io", "HTTPRoute"),
    BUDGET,
)
_FOUNDATIONS = (GroupKind("", "Node"), GroupKind("", "Namespace"), GroupKind("apiregistration.k8s.io", "APIService"))
FALSE_GREEN = "green but not serving"
"""An Application that is Synced and Healthy, and whose requests end nowhere."""
BLOCKS_DRAIN = "green but blocks a drain"
"""An Application that is Synced and Healthy, and that keeps a node from being drained."""
ALERTING = "alerting"
"""What an alert is about, and what is bad because of whom it calls."""
ALL_THE_SAME = (FALSE_GREEN, BLOCKS_DRAIN)
"""What an Application is though no check of its health or sync says so."""
_BAD_PHASES = ("Running", "Failed", "Error", "Terminating")


class Symptom(msgspec.Struct, frozen=True):
    """Something that is not in order, what everybody calls it, and in which state it is.

    A set that fails is one too, though it is not an app and not `counted` among them.
    """

    thing: Thing
    name: str
    state: str
    counted: bool = True


class Symptoms(msgspec.Struct, frozen=True):
    """All symptoms, among how many, and how many show which state."""

    found: tuple[Symptom, ...]
    total: int

    @property
    def good(self) -> int:
        """How many are in order."""
        return self.total - sum(one.counted for one in self.found)

    @property
    def counts(self) -> dict[str, int]:
        """How many show which state, the most common first."""
        return dict(Counter(one.state for one in self.found).most_common())


def symptoms(judge: Judge) -> Symptoms:
    """Return what is not in order."""
    fleet = judge.fleet
    if fleet.apps:
        return Symptoms((*_of_apps(judge), *_of_sets(judge)), len(fleet.apps))
    looked_at = [(cluster, key, obj) for cluster in fleet.clusters for key, obj in _of_dump(cluster)]
    looked_at += _alerted(fleet, {(cluster.name, key) for cluster, key, _obj in looked_at})
    several = len(fleet.clusters) > 1
    found = tuple(
        Symptom(thing, _name(cluster, obj, several), judge.faults(thing)[0].state)
        for cluster, key, obj in looked_at
        if judge.spreads(thing := Thing(cluster=cluster.name, key=key))
    )
    return Symptoms((*found, *_of_sets(judge)), len(looked_at))


def _alerted(fleet: FleetIndex, known: set[tuple[str, ObjectKey]]) -> list[tuple[ClusterIndex, ObjectKey, Object]]:
    """Return what alerts are about and nobody looks at otherwise, as an autoscaler; not what something else owns."""
    found = []
    for thing in sorted(fleet.remembered(alerted), key=str):
        cluster, obj = fleet.cluster(thing.cluster), fleet.find(thing)
        if thing.key is None or obj is None or (thing.cluster, thing.key) in known:
            continue
        if cluster.owner(obj) is None:
            found.append((cluster, thing.key, obj))
    return found


def symptoms_of(judge: Judge, thing: Thing) -> Symptoms:
    """Return what is not in order with one object, for whoever asks about that one alone."""
    if not judge.is_bad(thing):
        return Symptoms((), 1)
    return Symptoms((Symptom(thing, str(thing), judge.faults(thing)[0].state),), 1)


def _name(cluster: ClusterIndex, obj: Object, several: bool) -> str:
    key = key_of(obj)
    name = f"{key.namespace}/{key.short}" if key.namespace else key.short
    return f"{cluster.name}: {name}" if several else name


def _of_apps(judge: Judge) -> Iterator[Symptom]:
    for key, app in judge.fleet.apps.items():
        thing = Thing(cluster=judge.fleet.home.name, key=key)
        state = state_of(app)
        if not state:
            state = next((fault.state for fault in judge.faults(thing) if fault.state in ALL_THE_SAME), "")
        if state:
            yield Symptom(thing, title(app), state)


def _of_sets(judge: Judge) -> Iterator[Symptom]:
    """Yield the ApplicationSets that fail: the apps they should make are not there to show it."""
    for key, appset in judge.fleet.sets.items():
        thing = Thing(cluster=judge.fleet.home.name, key=key)
        if judge.is_bad(thing):
            yield Symptom(thing, f"ApplicationSet {title(appset)}", "ApplicationSet failing", counted=False)


def state_of(app: Object) -> str:
    """Return in one word how an Application is; empty where it is in order."""
    health = str(part(app, "status", "health").get("status") or "")
    sync = str(part(app, "status", "sync").get("status") or "")
    phase = str(part(app, "status", "operationState").get("phase") or "")
    if meta.deletion_timestamp(app):
        return "Deleting"
    if health not in ("Healthy", ""):
        return health
    if sync != "Synced":
        return sync or "Unknown"
    if not health:
        return "Unknown"
    if phase in _BAD_PHASES:
        return f"sync {phase}"
    broken = any(str(one.get("type") or "").endswith("Error") for one in conditions(app))
    return "Error" if broken else ""


def _of_dump(cluster: ClusterIndex) -> Iterator[tuple[Any, Object]]:
    """Yield what should do its job: workloads that nothing owns, what serves them, and what everything stands on."""
    for kind in WORKLOADS:
        for key, obj in cluster.of_kind(kind):
            if cluster.owner(obj) is None:
                yield key, obj
    for kind in (*_SERVING, *_FOUNDATIONS):
        yield from cluster.of_kind(kind)
