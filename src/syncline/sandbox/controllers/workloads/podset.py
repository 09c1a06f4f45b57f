"""Makes and removes the pods of a workload, and tells of it.

Used by the ReplicaSet, StatefulSet, DaemonSet and Job controllers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from syncline.apimachinery import meta, selectors
from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.errors import StatusError
from syncline.sandbox.store.store import Bucket, ObjectStore, RowKey, StoreEvent

PODS = Bucket("", "pods")


def owner_places(event: StoreEvent, bucket: Bucket, kind: str) -> Iterable[RowKey]:
    """Return the controlling objects of one kind that a changed pod belongs to."""
    for row in (event.row, event.previous):
        if row is not None and row.owners:
            owner = views.pod(row).controller if row.place.bucket == PODS else views.controller_of(row.decode())
            if owner is not None and owner.kind == kind:
                yield RowKey(bucket, row.place.namespace, owner.name)


def takers(store: ObjectStore, event: StoreEvent, bucket: Bucket) -> Iterable[RowKey]:
    """Return the objects whose selector picks a pod that nobody owns."""
    row = event.row
    if event.type == "DELETED" or row.owners or row.deleting or not row.labels:
        return
    for one in store.rows(bucket, row.place.namespace):
        selector = (one.decode().get("spec") or {}).get("selector")
        if selector and selectors.LabelSelector.from_object(selector).matches(row.labels):
            yield one.place


def pods_of(client: Client, owner: Object) -> list[Object]:
    """Return the pods an object controls, taking over matching ones that nobody controls."""
    adopt(client, owner, PODS)
    return list(client.owned(owner, "pods"))


def adopt(client: Client, owner: Object, bucket: Bucket) -> None:
    """Take over objects that the selector picks and nobody owns; let go of those that it no longer picks."""
    selector = (owner.get("spec") or {}).get("selector")
    if not selector or "deletionTimestamp" in owner["metadata"]:
        return
    matcher = selectors.LabelSelector.from_object(selector)
    namespace = owner["metadata"]["namespace"]
    loose = [
        row
        for row in client.store.rows(bucket, namespace)
        if not row.owners and not row.deleting and matcher.matches(row.labels)
    ]
    for row in loose:
        obj = client.decode(row)
        metadata = {**obj["metadata"], "ownerReferences": [owner_reference(owner)]}
        client.update({**obj, "metadata": metadata})
    for row in client.store.owned_by(owner["metadata"]["uid"]):
        if row.place.bucket == bucket and not row.deleting and not matcher.matches(row.labels):
            _let_go(client, client.decode(row), owner)


def _let_go(client: Client, obj: Object, owner: Object) -> None:
    others = [one for one in obj["metadata"]["ownerReferences"] if one.get("uid") != owner["metadata"]["uid"]]
    metadata = {key: value for key, value in obj["metadata"].items() if key != "ownerReferences"}
    if others:
        metadata["ownerReferences"] = others
    client.update({**obj, "metadata": metadata})


def create_pod(
    client: Client,
    owner: Object,
    template: Object,
    *,
    start: str = "",
    extra: dict[str, Any] | None = None,
) -> Object | None:
    """Create one pod, its name begun with `start` or the owner's; a refusal becomes an event and is raised."""
    given = meta.metadata(template)
    metadata: Object = {
        key: dict(given[key]) if isinstance(given[key], dict) else given[key]
        for key in ("labels", "annotations", "finalizers")
        if given.get(key)
    }
    metadata["ownerReferences"] = [owner_reference(owner)]
    metadata["generateName"] = f"{(start or owner['metadata']['name'])[:57]}-"
    body = {"metadata": metadata, "spec": {**(template.get("spec") or {}), **(extra or {})}}
    try:
        pod = client.create("", "Pod", owner["metadata"]["namespace"], body)
    except StatusError as error:
        client.record(owner, "Warning", "FailedCreate", f"Error creating: {error.message}")
        raise
    client.record(owner, "Normal", "SuccessfulCreate", f"Created pod: {pod['metadata']['name']}")
    return pod


def delete_pod(client: Client, owner: Object, pod: Object) -> None:
    """Delete one pod."""
    client.delete(pod)
    client.record(owner, "Normal", "SuccessfulDelete", f"Deleted pod: {pod['metadata']['name']}")


def removal_order(pod: Object) -> tuple[int, int, int, int, str, str]:
    """Sort pods by how gladly they are given up: unscheduled, pending, unready, most restarts, newest."""
    status = pod.get("status") or {}
    ranks = {"Pending": 0, "Unknown": 1, "Running": 2}
    restarts = max((one.get("restartCount", 0) for one in status.get("containerStatuses") or ()), default=0)
    created = pod["metadata"]["creationTimestamp"]
    newest = "".join(chr(0x10FFFF - ord(letter)) for letter in created)
    return (
        1 if (pod.get("spec") or {}).get("nodeName") else 0,
        ranks.get(readiness.phase(pod), 3),
        1 if readiness.is_ready(pod) else 0,
        -restarts,
        newest,
        pod["metadata"]["name"],
    )
