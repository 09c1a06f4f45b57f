"""Puts pods on nodes, makes room for important ones, or says why none fits.

Whether a node suits is `syncline.sandbox.controllers.scheduling.placement`, whether its claims do is
`syncline.sandbox.controllers.storage.claims`. A pod that fits nowhere is looked at again when nodes, claims or other
pods change. Pods whose own wishes and whose neighbours' are empty are placed without looking at other pods at all.
Pods of another scheduler wait until a pod runs that has its name, and is played by this one then.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.scheduling import affinity, placement, preemption
from syncline.sandbox.controllers.scheduling.placement import Around, Neighbour, PodRequest, Refusal
from syncline.sandbox.controllers.storage.claims import Claims
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

_PODS = Bucket("", "pods")
_NODES = Bucket("", "nodes")
_CLAIMS = Bucket("", "persistentvolumeclaims")
_NAME = "default-scheduler"


class Scheduler:
    """Plays the scheduler."""

    name = "scheduler"
    buckets = (_PODS, _NODES, _CLAIMS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component=_NAME, manager="kube-scheduler")
        self._claims = Claims(backend)
        self._seen: dict[RowKey, float] = {}
        self._unfit: dict[RowKey, None] = {}
        self._foreign: dict[RowKey, str] = {}
        """Pods of other schedulers, with the scheduler's name."""
        self._used: dict[str, dict[str, int]] = {}
        self._ports: dict[str, set[tuple[int, str]]] = {}
        self._counted: dict[str, tuple[str, views.PodView]] = {}
        self._unsociable: dict[str, None] = {}

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at unscheduled pods; at all that fitted nowhere when something may have made room."""
        row = event.row
        if row.place.bucket == _PODS:
            freed = self._track(event)
            if event.type == "DELETED":
                self._seen.pop(row.place, None)
                self._unfit.pop(row.place, None)
                self._foreign.pop(row.place, None)
            elif not views.pod(row).node:
                yield row.place
            yield from [place for place, scheduler in self._foreign.items() if scheduler in row.place.name]
            if not freed:
                return
        yield from tuple(self._unfit)

    def reconcile(self, place: RowKey) -> float | None:
        """Schedule one pod."""
        pod = self._client.get(place)
        if pod is None or pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
            return None
        if pod["spec"].get("schedulingGates"):
            self._gate(pod)
            return None
        if not self._is_ours(place, str(pod["spec"].get("schedulerName") or _NAME)):
            return None
        now = self._backend.clock.monotonic()
        seen = self._seen.setdefault(place, now)
        wait = seen + self._backend.settings.speeds.schedule - now
        if wait > 0:
            return wait
        around = self._around(pod)
        node, message = self._choose(pod, around)
        if node is None:
            self._refuse(place, pod, message)
            return None
        self._bind(place, pod, node)
        return None

    def _is_ours(self, place: RowKey, scheduler: str) -> bool:
        """Tell whether a pod is to be placed here: other schedulers are played once one of their pods is ready."""
        rows = self._backend.store.rows(_PODS) if scheduler != _NAME else ()
        if scheduler == _NAME or any(
            scheduler in row.place.name and row.place != place and readiness.is_ready(row.decode()) for row in rows
        ):
            self._foreign.pop(place, None)
            return True
        self._foreign[place] = scheduler
        return False

    def _gate(self, pod: Object) -> None:
        gates = {"reason": "SchedulingGated", "message": "Scheduling is blocked due to non-empty scheduling gates"}
        self._not_scheduled(pod, gates)

    def _bind(self, place: RowKey, pod: Object, node: str) -> None:
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
        status.pop("nominatedNodeName", None)
        status["conditions"] = readiness.with_condition(list(status.get("conditions") or ()), scheduled)
        self._backend.store.put(place, bound, expected=row)
        name = f"{place.namespace}/{place.name}"
        self._client.record(pod, "Normal", "Scheduled", f"Successfully assigned {name} to {node}")

    def _refuse(self, place: RowKey, pod: Object, message: str) -> None:
        self._unfit[place] = None
        if self._not_scheduled(pod, {"reason": "Unschedulable", "message": message}):
            self._client.record(pod, "Warning", "FailedScheduling", message)

    def _not_scheduled(self, pod: Object, told: dict[str, str]) -> bool:
        known = readiness.condition(pod, "PodScheduled") or {}
        if known.get("message") == told["message"]:
            return False
        now = self._backend.timestamp()
        condition = {"type": "PodScheduled", "status": "False", "lastTransitionTime": now, **told}
        status = dict(pod.get("status") or {})
        status["conditions"] = readiness.with_condition(list(status.get("conditions") or ()), condition)
        self._client.set_status(pod, status)
        return True

    def _around(self, pod: Object) -> Around:
        spec = pod["spec"]
        sociable = spec.get("affinity") or spec.get("topologySpreadConstraints") or self._unsociable
        nodes = [views.node(row) for row in self._backend.store.rows(_NODES)]
        return Around(
            nodes=nodes,
            used=self._used,
            neighbours=self._neighbours() if sociable else [],
            ports=self._ports,
            volumes=self._claims.refusal,
        )

    def _neighbours(self) -> list[Neighbour]:
        found = []
        for row in self._backend.store.rows(_PODS):
            view = views.pod(row)
            if view.node and not view.ended:
                found.append(Neighbour(row.place.namespace, row.labels, view.node, view.anti))
        return found

    def _choose(self, pod: Object, around: Around) -> tuple[str | None, str]:
        """Return the emptiest node that fits, or why none does."""
        total = len(around.nodes)
        if not total:
            return None, "no nodes available to schedule pods"
        if pod["spec"].get("resourceClaims"):  # no node has devices to give
            return None, placement.told(total, [[Refusal("cannot allocate all claims")]] * total)
        problem = self._claims.problem(pod)
        if problem:
            return None, placement.told(total, [[Refusal(problem)]] * total).replace(f"{total} {problem}", problem, 1)
        wanted = PodRequest.of(pod)
        refused: dict[str, list[Refusal]] = {}
        best: tuple[int, int, str] | None = None
        for node in around.nodes:
            found = placement.refusals(wanted, node, around)
            if found:
                refused[node.name] = found
                continue
            liking = affinity.preference(pod["spec"], node.labels, node.name)
            rank = (-liking, self._used.get(node.name, {}).get("pods", 0), node.name)
            best = rank if best is None or rank < best else best
        if best is not None:
            return best[2], ""
        self._make_room(wanted, refused, around)
        return None, placement.told(total, refused.values())

    def _make_room(self, wanted: PodRequest, refused: dict[str, list[Refusal]], around: Around) -> None:
        pod = wanted.pod
        priority = int(pod["spec"].get("priority") or 0)
        if pod["spec"].get("preemptionPolicy") == "Never" or (pod.get("status") or {}).get("nominatedNodeName"):
            return
        hopeful = [node for node, found in refused.items() if all(one.helpful for one in found)]
        if not hopeful:
            return
        below: dict[str, list[preemption.Victim]] = {}
        for row in self._backend.store.rows(_PODS):
            view = views.pod(row)
            if view.node in hopeful and view.active and view.priority < priority:
                below.setdefault(view.node, []).append(preemption.Victim(row.place, row.labels, view))
        choice = preemption.choose(wanted, below, around)
        if choice is not None:
            preemption.carry_out(self._client, pod, *choice)

    def _track(self, event: StoreEvent) -> bool:
        """Keep count of what runs where; returns whether room was made."""
        row = event.row
        before = self._counted.pop(row.uid, None)
        if before is not None:
            used = self._used[before[0]]
            for name, amount in before[1].requests.items():
                used[name] -= amount
            self._ports.get(before[0], set()).difference_update(before[1].ports)
            self._unsociable.pop(row.uid, None)
        view = views.pod(row)
        if not view.node or view.ended or event.type == "DELETED":
            return before is not None
        self._counted[row.uid] = (view.node, view)
        used = self._used.setdefault(view.node, {})
        for name, amount in view.requests.items():
            used[name] = used.get(name, 0) + amount
        if view.ports:
            self._ports.setdefault(view.node, set()).update(view.ports)
        if view.anti:
            self._unsociable[row.uid] = None
        return False
