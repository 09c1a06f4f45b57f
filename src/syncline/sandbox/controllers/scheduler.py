"""Puts pods on nodes, or says why none fits.

Looks at cordons, taints, node selectors, required node affinity, resource requests and the pods' claims. A pod that
fits nowhere is looked at again when nodes, claims or other pods change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import readiness, views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.store import Bucket, Event, Place, Row

_PODS = Bucket("", "pods")
_NODES = Bucket("", "nodes")
_CLAIMS = Bucket("", "persistentvolumeclaims")
_CLASSES = Bucket("storage.k8s.io", "storageclasses")
_AMOUNTS = ("cpu", "memory", "pods")


class Scheduler:
    """Plays the scheduler."""

    name = "scheduler"
    buckets = (_PODS, _NODES, _CLAIMS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="default-scheduler", manager="kube-scheduler")
        self._seen: dict[Place, float] = {}
        self._unfit: dict[Place, None] = {}
        self._used: dict[str, dict[str, int]] = {}
        self._counted: dict[str, tuple[str, dict[str, int]]] = {}

    def places(self, event: Event) -> Iterable[Place]:
        """Look at unscheduled pods; at all that fitted nowhere when something may have made room."""
        row = event.row
        if row.place.bucket == _PODS:
            freed = self._track(event)
            if event.type == "DELETED":
                self._seen.pop(row.place, None)
                self._unfit.pop(row.place, None)
            elif not views.pod(row).node:
                yield row.place
            if not freed:
                return
        yield from tuple(self._unfit)

    def reconcile(self, place: Place) -> float | None:
        """Schedule one pod."""
        pod = self._client.get(place)
        if pod is None or _node_of(pod) or "deletionTimestamp" in pod["metadata"]:
            return None
        if pod["spec"].get("schedulingGates"):
            return None
        now = self._backend.clock.monotonic()
        seen = self._seen.setdefault(place, now)
        wait = seen + self._backend.settings.speeds.schedule - now
        if wait > 0:
            return wait
        node, message = self._choose(pod)
        if node is None:
            self._refuse(place, pod, message)
            return None
        self._bind(place, pod, node)
        return None

    def _bind(self, place: Place, pod: Object, node: str) -> None:
        self._unfit.pop(place, None)
        self._seen.pop(place, None)
        row = self._backend.store.at(place)
        if row is None:
            return
        bound = row.decode()
        bound["spec"]["nodeName"] = node
        now = self._backend.timestamp()
        scheduled = {
            "type": "PodScheduled",
            "status": "True",
            "lastTransitionTime": now,
        }
        status = bound.setdefault("status", {})
        status["conditions"] = readiness.with_condition(list(status.get("conditions") or ()), scheduled)
        self._backend.store.put(place, bound, expected=row)
        name = f"{place.namespace}/{place.name}"
        self._client.record(pod, "Normal", "Scheduled", f"Successfully assigned {name} to {node}")

    def _refuse(self, place: Place, pod: Object, message: str) -> None:
        self._unfit[place] = None
        known = readiness.condition(pod, "PodScheduled") or {}
        if known.get("message") == message:
            return
        condition = {
            "type": "PodScheduled",
            "status": "False",
            "lastTransitionTime": self._backend.timestamp(),
            "reason": "Unschedulable",
            "message": message,
        }
        status = dict(pod.get("status") or {})
        status["conditions"] = readiness.with_condition(list(status.get("conditions") or ()), condition)
        self._client.set_status(pod, status)
        self._client.record(pod, "Warning", "FailedScheduling", message)

    def _choose(self, pod: Object) -> tuple[str | None, str]:
        """Return the emptiest node that fits, or why none does."""
        problem = self._claims_problem(pod)
        rows = list(self._backend.store.rows(_NODES))
        total = len(rows)
        if problem:
            return None, f"0/{total} nodes are available: {problem} {_no_preemption(total)}"
        reasons: dict[str, int] = {}
        best: tuple[int, str] | None = None
        for row in rows:
            refused = self._refusals(pod, row)
            for reason in refused:
                reasons[reason] = reasons.get(reason, 0) + 1
            if not refused:
                load = (self._used.get(row.place.name, {}).get("pods", 0), row.place.name)
                best = load if best is None or load < best else best
        if best is not None:
            return best[1], ""
        if not total:
            return None, "no nodes available to schedule pods"
        told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        return None, f"0/{total} nodes are available: {told}. {_no_preemption(total)}"

    def _refusals(self, pod: Object, row: Row) -> list[str]:
        node = row.decode()
        spec = node.get("spec") or {}
        taints = list(spec.get("taints") or ())
        if spec.get("unschedulable"):
            return ["node(s) were unschedulable"]
        tolerations = pod["spec"].get("tolerations") or ()
        for taint in taints:
            if taint.get("effect") != "PreferNoSchedule" and not tolerated(taint, tolerations):
                value = f": {taint['value']}" if taint.get("value") else ": "
                return [f"node(s) had untolerated taint {{{taint.get('key')}{value}}}"]
        labels = node["metadata"].get("labels") or {}
        if not selected(pod["spec"], labels, row.place.name):
            return ["node(s) didn't match Pod's node affinity/selector"]
        return self._lacking(pod, node)

    def _lacking(self, pod: Object, node: Object) -> list[str]:
        free = (node.get("status") or {}).get("allocatable") or {}
        used = self._used.get(node["metadata"]["name"], {})
        wanted = views.requests(pod)
        words = {"pods": "Too many pods"}
        return [
            words.get(name, f"Insufficient {name}")
            for name, amount in wanted.items()
            if amount and used.get(name, 0) + amount > views.milli(free.get(name, "0"))
        ]

    def _claims_problem(self, pod: Object) -> str:
        for volume in pod["spec"].get("volumes") or ():
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            if not claim:
                continue
            row = self._backend.store.get(_CLAIMS, pod["metadata"]["namespace"], claim)
            if row is None:
                return f'persistentvolumeclaim "{claim}" not found.'
            obj = row.decode()
            if (obj.get("status") or {}).get("phase") != "Bound" and not self._binds_later(obj):
                return "pod has unbound immediate PersistentVolumeClaims."
        return ""

    def _binds_later(self, claim: Object) -> bool:
        row = self._backend.store.get(_CLASSES, "", (claim.get("spec") or {}).get("storageClassName") or "")
        return row is not None and row.decode().get("volumeBindingMode") == "WaitForFirstConsumer"

    def _track(self, event: Event) -> bool:
        """Keep count of what runs where; returns whether room was made."""
        row = event.row
        before = self._counted.pop(row.uid, None)
        if before is not None:
            used = self._used[before[0]]
            for name, amount in before[1].items():
                used[name] -= amount
        view = views.pod(row)
        if not view.node or view.ended or event.type == "DELETED":
            return before is not None
        wanted = view.requests
        self._counted[row.uid] = (view.node, wanted)
        used = self._used.setdefault(view.node, {})
        for name, amount in wanted.items():
            used[name] = used.get(name, 0) + amount
        return False


def _no_preemption(total: int) -> str:
    return f"preemption: 0/{total} nodes are available: {total} Preemption is not helpful for scheduling."


def _node_of(pod: Object) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")


def tolerated(taint: Mapping[str, Any], tolerations: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether one of the tolerations covers a taint."""
    for one in tolerations:
        if one.get("effect") and one["effect"] != taint.get("effect"):
            continue
        if one.get("operator") == "Exists":
            if not one.get("key") or one["key"] == taint.get("key"):
                return True
        elif one.get("key") == taint.get("key") and (one.get("value") or "") == (taint.get("value") or ""):
            return True
    return False


def selected(spec: Mapping[str, Any], labels: Mapping[str, str], name: str) -> bool:
    """Tell whether a pod's node selector and required node affinity pick a node."""
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(_term_holds(term, labels, name) for term in required.get("nodeSelectorTerms") or ())


def _term_holds(term: Mapping[str, Any], labels: Mapping[str, str], name: str) -> bool:
    fields = {"metadata.name": name}
    return all(_holds(one, labels) for one in term.get("matchExpressions") or ()) and all(
        _holds(one, fields) for one in term.get("matchFields") or ()
    )


def _holds(one: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(one.get("key", "")), list(one.get("values") or ())
    match one.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and value.lstrip("-").isdigit() and int(value) > int(values[0])
        case "Lt":
            return value is not None and value.lstrip("-").isdigit() and int(value) < int(values[0])
    return False
