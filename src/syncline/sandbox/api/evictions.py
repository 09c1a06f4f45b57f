"""Evictions: pods that go only as far as their PodDisruptionBudget allows.

Called by `syncline.sandbox.api.subresources`. The numbers are those in the budget's status, which a controller keeps; a
budget that nobody has counted yet lets no pod go.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import answers, deletes, options, writes
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.api.selection import matches_selector
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row

_BUDGETS: Final = Bucket("policy", "poddisruptionbudgets")
_SERVER: Final = WriteOptions(manager="kube-apiserver")
_REFUSED: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL: Final = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_UNPROTECTED: Final = ("Pending", "Succeeded", "Failed")


def evict(backend: Backend, resource: Resource, row: Row, eviction: Object, *, dry_run: bool) -> ServerResponse:
    """Delete a pod if its budget has room."""
    if meta.metadata(eviction).get("name") not in (None, "", row.place.name):
        raise errors.bad_request("name in URL does not match name in Eviction object")
    asked = options.delete({"dryRun": "All"} if dry_run else {}, eviction.get("deleteOptions"))
    pod = row.decode()
    if (pod.get("status") or {}).get("phase") not in _UNPROTECTED:
        _take_from_budget(backend, row, dry_run=asked.dry_run)
    if not asked.dry_run:
        row = _mark(backend, resource, row)
    deletes.delete(backend, resource, row, asked)
    return answers.json({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}, 201)


def _take_from_budget(backend: Backend, row: Row, *, dry_run: bool) -> None:
    found = [one for one in backend.store.rows(_BUDGETS, row.place.namespace) if _selects(one.decode(), row)]
    if len(found) > 1:
        raise errors.StatusError(500, "", _SEVERAL)
    if not found:
        return
    resource = backend.resource("policy", "PodDisruptionBudget")
    budget = resource.decode(found[0])
    status = dict(budget.get("status") or {})
    _check_room(budget, status)
    if dry_run:
        return
    status["disruptionsAllowed"] -= 1
    status["disruptedPods"] = {**(status.get("disruptedPods") or {}), row.place.name: backend.timestamp()}
    if not status["disruptionsAllowed"]:
        status["conditions"] = [_exhausted(backend, budget)]
    writes.update(backend, resource, found[0], {**budget, "status": status}, _SERVER, "status")


def _selects(budget: Object, pod: Row) -> bool:
    selector = (budget.get("spec") or {}).get("selector")
    return selector is not None and matches_selector(selector, pod.labels)


def _check_room(budget: Object, status: Object) -> None:
    name = budget["metadata"]["name"]
    details: dict[str, Any] = {}
    if (status.get("observedGeneration") or 0) < (budget["metadata"].get("generation") or 0):
        told = f"The disruption budget {name} is still being processed by the server."
        details["retryAfterSeconds"] = 10
    elif (status.get("disruptionsAllowed") or 0) < 1:
        needed, healthy = status.get("desiredHealthy") or 0, status.get("currentHealthy") or 0
        told = f"The disruption budget {name} needs {needed} healthy pods and has {healthy} currently"
    else:
        return
    details = {"causes": [{"reason": "DisruptionBudget", "message": told}], **details}
    raise errors.StatusError(
        429, "TooManyRequests", _REFUSED, details, retry_after=int(details.get("retryAfterSeconds") or 0)
    )


def _exhausted(backend: Backend, budget: Object) -> Object:
    return {
        "type": "DisruptionAllowed",
        "status": "False",
        "observedGeneration": budget["metadata"].get("generation") or 0,
        "lastTransitionTime": backend.timestamp(),
        "reason": "InsufficientPods",
        "message": "",
    }


def _mark(backend: Backend, resource: Resource, row: Row) -> Row:
    """Tell on the pod why it goes."""
    pod = resource.decode(row)
    status = dict(pod.get("status") or {})
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": backend.timestamp(),
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    others = [one for one in status.get("conditions") or () if one.get("type") != "DisruptionTarget"]
    pod["status"] = {**status, "conditions": [*others, target]}
    kept = {key: value for key, value in pod.items() if key not in ("apiVersion", "kind")}
    return backend.store.put(row.place, kept, expected=row)
