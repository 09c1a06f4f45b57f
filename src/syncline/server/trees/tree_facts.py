"""What Argo CD shows beside the nodes of a tree: states of pods, revisions, images, and where objects can be reached.

Called by `syncline.server.trees.nodes` with live objects, which nobody has checked: what is malformed counts as not
there. A pod's state is the word that `kubectl get pods` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from syncline.apimachinery import meta, quantity
from syncline.apimachinery.keys import Object, key_of
from syncline.core.summary import addresses_of

_REVISIONS = {
    ("apps", "Deployment"): "deployment.kubernetes.io/revision",
    ("apps", "ReplicaSet"): "deployment.kubernetes.io/revision",
    ("argoproj.io", "Rollout"): "rollout.argoproj.io/revision",
}
_TERMINAL = ("Succeeded", "Failed")
REQUESTED = ("cpu", "memory")


def images(obj: Object) -> list[str]:
    """Return the images of a pod, each once."""
    key = key_of(obj)
    if key.kind != "Pod" or key.group:
        return []
    spec = members(obj.get("spec"))
    named = [str(one["image"]) for one in chain(*map(listed, _lists(spec))) if one.get("image")]
    return list(dict.fromkeys(named))


def _lists(spec: Mapping[str, Any]) -> tuple[Any, Any]:
    return spec.get("initContainers"), spec.get("containers")


def info(obj: Object) -> Iterator[tuple[str, str]]:
    """Yield the facts that Argo CD shows beside some kinds."""
    key = key_of(obj)
    revision = meta.annotations(obj).get(_REVISIONS.get((key.group, key.kind), ""))
    if revision and str(revision).isdigit() and int(revision):
        yield "Revision", f"Rev:{revision}"
    if key.kind == "Pod" and not key.group:
        yield from _pod_info(obj)
    elif key.kind == "PersistentVolumeClaim" and (phase := members(obj.get("status")).get("phase")):
        yield "Status", str(phase)


def _pod_info(obj: Object) -> Iterator[tuple[str, str]]:
    status, spec = members(obj.get("status")), members(obj.get("spec"))
    if reason := pod_reason(obj):
        yield "Status Reason", reason
    yield "Node", str(spec.get("nodeName") or "")
    sidecars = {str(one.get("name")) for one in listed(spec.get("initContainers")) if _is_sidecar(one)}
    own, first = listed(status.get("containerStatuses")), listed(status.get("initContainerStatuses"))
    ready = sum(bool(one.get("ready")) and "running" in members(one.get("state")) for one in own)
    ready += sum(bool(one.get("ready")) for one in first if str(one.get("name")) in sidecars)
    yield "Containers", f"{ready}/{len(listed(spec.get('containers'))) + len(sidecars)}"
    if restarts := sum(int(one.get("restartCount") or 0) for one in (*first, *own)):
        yield "Restart Count", str(restarts)
    if status.get("phase") not in _TERMINAL:
        for name in REQUESTED:
            yield name, str(requested(spec, name))


def _is_sidecar(container: Mapping[str, Any]) -> bool:
    return container.get("restartPolicy") == "Always"


def pod_reason(obj: Object) -> str:
    """Return the state of a pod in one word, as `kubectl get pods` has it."""
    status = members(obj.get("status"))
    conditions = {one.get("type"): one for one in listed(status.get("conditions"))}
    reason = str(status.get("reason") or status.get("phase") or "")
    if members(conditions.get("PodScheduled")).get("reason") == "SchedulingGated":
        reason = "SchedulingGated"
    held = _held_by_init(obj)
    if not held or members(conditions.get("Initialized")).get("status") == "True":
        held = _of_containers(listed(status.get("containerStatuses")), held or reason)
    reason = held or reason
    if meta.metadata(obj).get("deletionTimestamp"):
        if status.get("reason") == "NodeLost":
            return "Unknown"
        return reason if status.get("phase") in _TERMINAL else "Terminating"
    return reason


def _held_by_init(obj: Object) -> str:
    """Return what the first init container that is not through waits for; empty where all are."""
    spec = members(obj.get("spec"))
    first = listed(spec.get("initContainers"))
    sidecars = {one.get("name") for one in first if _is_sidecar(one)}
    for place, one in enumerate(listed(members(obj.get("status")).get("initContainerStatuses"))):
        state = members(one.get("state"))
        ended, waiting = state.get("terminated"), members(state.get("waiting"))
        if isinstance(ended, dict):
            if ended.get("exitCode") == 0:
                continue
            return f"Init:{_end(ended)}"
        if one.get("name") in sidecars and one.get("started"):
            continue
        if waiting.get("reason") and waiting["reason"] != "PodInitializing":
            return f"Init:{waiting['reason']}"
        return f"Init:{place}/{len(first)}"
    return ""


def _of_containers(statuses: list[dict[str, Any]], otherwise: str) -> str:
    """Return what the first container that does not run says; a completed one counts only where none runs."""
    reason, running = otherwise, False
    for one in reversed(statuses):
        state = members(one.get("state"))
        if waits := members(state.get("waiting")).get("reason"):
            reason = str(waits)
        elif isinstance(state.get("terminated"), dict):
            reason = _end(state["terminated"])
        elif one.get("ready") and "running" in state:
            running = True
    return "Running" if reason == "Completed" and running else reason


def _end(ended: Mapping[str, Any]) -> str:
    if ended.get("reason"):
        return str(ended["reason"])
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"


def requested(spec: Mapping[str, Any], name: str) -> int:
    """Return the thousandths of a resource that a pod asks for: its containers, or its hungriest init container."""
    sidecars = most = 0
    for one in listed(spec.get("initContainers")):
        own = _request(members(one.get("resources")).get("requests"), name)
        if _is_sidecar(one):
            sidecars += own
            most = max(most, sidecars)
        else:
            most = max(most, sidecars + own)
    total = sum(_request(members(one.get("resources")).get("requests"), name) for one in listed(spec.get("containers")))
    return max(total + sidecars, most) + _request(spec.get("overhead"), name)


def _request(amounts: Any, name: str) -> int:
    return thousandths(members(amounts).get(name, 0))


def thousandths(amount: Any) -> int:
    """Return a quantity in thousandths; 0 where it is not one."""
    try:
        return quantity.parse(amount).milli_value if isinstance(amount, str | int | float) else 0
    except quantity.InvalidQuantity:
        return 0


def network(obj: Object) -> dict[str, Any]:
    """Return whom an object leads to: labels that a Service selects, and addresses it is reached at."""
    key, spec = key_of(obj), members(obj.get("spec"))
    found: dict[str, Any] = {"externalURLs": sorted(addresses_of(obj))}
    if key.kind == "Pod" and not key.group:
        found["labels"] = dict(meta.labels(obj))
    elif key.kind == "Service" and not key.group:
        found["targetLabels"] = members(spec.get("selector"))
        found["ingress"] = _ingress(obj) if spec.get("type") == "LoadBalancer" else []
    elif key.kind == "Ingress":
        names = {str(members(members(path.get("backend")).get("service")).get("name") or "") for path in _paths(spec)}
        found["ingress"] = _ingress(obj)
        found["targetRefs"] = [
            {"kind": "Service", "namespace": key.namespace, "name": name} for name in sorted(names - {""})
        ]
    return {name: value for name, value in found.items() if value}


def _ingress(obj: Object) -> list[dict[str, Any]]:
    found = listed(members(members(obj.get("status")).get("loadBalancer")).get("ingress"))
    names = [next((name for name in ("hostname", "ip") if one.get(name)), "") for one in found]
    return [{name: one[name]} for one, name in zip(found, names, strict=True) if name]


def _paths(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for rule in listed(spec.get("rules")):
        yield from listed(members(rule.get("http")).get("paths"))


def members(value: Any) -> dict[str, Any]:
    """Return an object, or an empty one where it is something else."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, or none where it is something else."""
    items: Iterable[Any] = value if isinstance(value, list) else ()
    return [one for one in items if isinstance(one, dict)]
