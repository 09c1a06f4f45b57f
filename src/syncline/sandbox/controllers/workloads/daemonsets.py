"""Keeps one pod of a DaemonSet on every node that fits."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery import intorstring, meta
from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.scheduling import affinity
from syncline.sandbox.controllers.workloads import podset, readiness, revisions
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

BUCKET = Bucket("apps", "daemonsets")
_NODES = Bucket("", "nodes")
_TOLERATED = tuple(
    {"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": effect}
    for what, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
)

_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation in which the API server counts the templates of a set."""


class DaemonSets:
    """Plays the DaemonSet controller."""

    name = "daemonsets"
    buckets = (BUCKET, podset.PODS, _NODES)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="daemonset-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed sets, at the sets of changed pods, and at all when a node changed."""
        bucket = event.row.place.bucket
        if bucket == BUCKET:
            if event.type != "DELETED":
                yield event.row.place
        elif bucket == _NODES:
            yield from (row.place for row in self._backend.store.rows(BUCKET))
        else:
            yield from podset.owner_places(event, BUCKET, "DaemonSet")

    def reconcile(self, place: RowKey) -> float | None:
        """Create, replace or remove pods, then count."""
        obj = self._client.get(place)
        if obj is None or "deletionTimestamp" in obj["metadata"]:
            return None
        nodes, tolerant = self._fitting(obj)
        pods = [pod for pod in podset.pods_of(self._client, obj) if readiness.is_active(pod)]
        _, ending = revisions.keep(self._client, obj, pods, label=revisions.HASH)
        by_node: dict[str, list[Object]] = {}
        for pod in pods:
            by_node.setdefault(_wanted_node(pod), []).append(pod)
        for node in nodes:
            if node not in by_node:
                self._create(obj, node, ending)
        for node, found in sorted(by_node.items()):
            for pod in found[1:] if node in nodes or node in tolerant else found:
                podset.delete_pod(self._client, obj, pod)
        self._replace(obj, pods, nodes, ending)
        return self._count(place, nodes, ending)

    def _fitting(self, obj: Object) -> tuple[list[str], list[str]]:
        """Return the nodes that get a pod, and those where one that is there may stay."""
        spec = obj["spec"]["template"].get("spec") or {}
        tolerations = [*(spec.get("tolerations") or ()), *_TOLERATED]
        found: list[str] = []
        tolerant: list[str] = []
        for row in self._backend.store.rows(_NODES):
            node = row.decode()
            taints = (node.get("spec") or {}).get("taints") or ()
            refused = {one.get("effect") for one in taints if not affinity.tolerated(one, tolerations)}
            if not affinity.selected(spec, node["metadata"].get("labels") or {}, row.place.name):
                continue
            if not refused & {"NoSchedule", "NoExecute"}:
                found.append(row.place.name)
            elif "NoExecute" not in refused:
                tolerant.append(row.place.name)
        return found, tolerant

    def _create(self, obj: Object, node: str, ending: str) -> None:
        template = obj["spec"]["template"]
        metadata = meta.metadata(template)
        labels = {**(metadata.get("labels") or {}), revisions.HASH: ending}
        generation = (obj["metadata"].get("annotations") or {}).get(_GENERATION)
        if generation:
            labels["pod-template-generation"] = generation
        marked = {**template, "metadata": {**metadata, "labels": labels}}
        field = {"key": "metadata.name", "operator": "In", "values": [node]}
        required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
        bound = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        spec = template.get("spec") or {}
        extra = {
            "affinity": {**(spec.get("affinity") or {}), **bound},
            "tolerations": [*(spec.get("tolerations") or ()), *(dict(one) for one in _TOLERATED)],
        }
        podset.create_pod(self._client, obj, marked, extra=extra)

    def _replace(self, obj: Object, pods: list[Object], nodes: list[str], ending: str) -> None:
        """Delete pods of an older template, as many as may be missing at once."""
        strategy = obj["spec"].get("updateStrategy") or {}
        if strategy.get("type") == "OnDelete":
            return
        old = [pod for pod in pods if (pod["metadata"].get("labels") or {}).get(revisions.HASH) != ending]
        if not old:
            return
        allowed = (strategy.get("rollingUpdate") or {}).get("maxUnavailable", 1)
        budget = max(1, intorstring.scaled(allowed, len(nodes), round_up=True))
        budget -= sum(1 for pod in pods if not readiness.is_ready(pod) and pod not in old)
        budget -= max(0, len(nodes) - len(pods))
        old.sort(key=lambda pod: (readiness.is_ready(pod), pod["metadata"]["name"]))
        for pod in old[: max(0, budget)]:
            podset.delete_pod(self._client, obj, pod)

    def _count(self, place: RowKey, nodes: list[str], ending: str) -> float | None:
        obj = self._client.get(place)
        if obj is None:
            return None
        pods = [pod for pod in self._client.owned(obj, "pods") if readiness.is_active(pod)]
        minimum = int(obj["spec"].get("minReadySeconds") or 0)
        now = self._backend.clock.now()
        waits = [readiness.available_in(pod, minimum, now) for pod in pods]
        available = sum(1 for wait in waits if wait == 0.0)
        updated = [pod for pod in pods if (pod["metadata"].get("labels") or {}).get(revisions.HASH) == ending]
        status = readiness.without_zeros(
            {
                "currentNumberScheduled": len({_wanted_node(pod) for pod in pods} & set(nodes)),
                "numberMisscheduled": len({_wanted_node(pod) for pod in pods} - set(nodes)),
                "desiredNumberScheduled": len(nodes),
                "numberReady": sum(1 for wait in waits if wait is not None),
                "observedGeneration": obj["metadata"].get("generation", 0),
                "updatedNumberScheduled": len(updated),
                "numberAvailable": available,
                "numberUnavailable": max(0, len(nodes) - available),
            },
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
        )
        self._client.set_status(obj, status)
        return min((wait for wait in waits if wait), default=None)


def _wanted_node(pod: Object) -> str:
    if pod["spec"].get("nodeName"):
        return str(pod["spec"]["nodeName"])
    wanted = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    terms = (wanted.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or [{}]
    fields = terms[0].get("matchFields") or [{}]
    values = fields[0].get("values") or [""]
    return str(values[0])
