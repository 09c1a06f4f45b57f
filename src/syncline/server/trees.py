"""The objects of an Application as Argo CD's resource tree: nodes with parents, health, images and a few facts.

Used by the routes of trees with one look at an Application.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.core.health import checkup
from syncline.core.health.checkup import Checkup
from syncline.core.summary import images_of
from syncline.verbs.look import Seen
from syncline.verbs.resources import managed_keys, orphaned_keys

Node = dict[str, Any]


def tree(seen: Seen) -> dict[str, Any]:
    """Return the whole tree: what the Application manages and what that owns; and orphans where they are watched."""
    assessment = seen.assessment
    judge = checkup.of_snapshot(assessment.snapshot, assessment.live)
    managed = managed_keys(assessment)
    by_uid = {meta.uid(obj): key for key, obj in assessment.live.items()}
    nodes = [_node(obj, judge, by_uid) for key, obj in sorted(assessment.live.items()) if key in managed]
    missing = [row for row in assessment.comparison.rows if not row.live and not row.hook]
    nodes += [_missing(row.key, row.version) for row in missing]
    return {"nodes": nodes, "orphanedNodes": list(_orphans(seen, judge)), "hosts": _hosts(nodes), "shardsCount": 0}


def _orphans(seen: Seen, judge: Checkup) -> Iterator[Node]:
    project = seen.assessment.snapshot.project or {}
    if (project.get("spec") or {}).get("orphanedResources") is None:
        return
    index = seen.place.live.index
    for key in orphaned_keys(seen):
        if (obj := index.get(key)) is not None:
            yield _node(obj, judge, {})


def _node(obj: Object, judge: Checkup, by_uid: Mapping[str, ObjectKey]) -> Node:
    key, health = key_of(obj), judge(obj)
    found: Node = {
        **_ref(key, gvk_of(obj).version),
        "uid": meta.uid(obj),
        "resourceVersion": meta.resource_version(obj),
        "createdAt": meta.metadata(obj).get("creationTimestamp"),
    }
    if parents := [{**_ref(by_uid[uid], ""), "uid": uid} for uid in _owners(obj) if uid in by_uid]:
        found["parentRefs"] = parents
    if health is not None:
        found["health"] = {"status": health.status.value, **({"message": health.message} if health.message else {})}
    if images := images_of(obj):
        found["images"] = list(images)
    if info := list(_info(obj)):
        found["info"] = [{"name": name, "value": value} for name, value in info]
    if network := _network(obj):
        found["networkingInfo"] = network
    return found


def _missing(key: ObjectKey, version: str) -> Node:
    return {**_ref(key, version), "health": {"status": "Missing"}}


def _ref(key: ObjectKey, version: str) -> Node:
    found = {"group": key.group, "version": version, "kind": key.kind, "namespace": key.namespace, "name": key.name}
    return {name: value for name, value in found.items() if value}


def _owners(obj: Object) -> Iterable[str]:
    return (str(owner.get("uid") or "") for owner in meta.owner_references(obj))


def _info(obj: Object) -> Iterator[tuple[str, str]]:
    """Yield the facts that Argo CD shows beside some kinds."""
    key, status, spec = key_of(obj), _dict(obj.get("status")), _dict(obj.get("spec"))
    if key.kind == "Pod" and not key.group:
        yield from _pod_info(obj, status, spec)
    elif key.kind == "ReplicaSet" and (revision := meta.annotations(obj).get("deployment.kubernetes.io/revision")):
        yield "Revision", f"Rev:{revision}"
    elif key.kind == "PersistentVolumeClaim" and status.get("phase"):
        yield "Status", str(status["phase"])


def _pod_info(obj: Object, status: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    containers = [one for one in status.get("containerStatuses") or () if isinstance(one, dict)]
    waiting = [_dict(_dict(one.get("state")).get("waiting")).get("reason") for one in containers]
    reason = next(filter(None, waiting), None) or status.get("reason") or status.get("phase")
    if meta.metadata(obj).get("deletionTimestamp"):
        reason = "Terminating"
    if reason:
        yield "Status Reason", str(reason)
    if spec.get("nodeName"):
        yield "Node", str(spec["nodeName"])
    total = len(spec.get("containers") or ())
    yield "Containers", f"{sum(bool(one.get('ready')) for one in containers)}/{total}"
    restarts = sum(int(one.get("restartCount") or 0) for one in containers)
    if restarts:
        yield "Restart Count", str(restarts)


def _network(obj: Object) -> Node:
    """Return whom an object leads to: labels that a Service selects, and addresses it is reached at."""
    key, spec = key_of(obj), _dict(obj.get("spec"))
    found: Node = {}
    if key.kind == "Pod" and not key.group:
        found["labels"] = dict(meta.labels(obj))
    elif key.kind == "Service" and not key.group:
        found["targetLabels"] = dict(_dict(spec.get("selector")))
        ingress = _dict(_dict(obj.get("status")).get("loadBalancer")).get("ingress")
        found["ingress"] = [one for one in ingress or () if isinstance(one, dict)]
    elif key.kind == "Ingress":
        names = {str(_dict(_dict(path.get("backend")).get("service")).get("name") or "") for path in _paths(spec)}
        found["targetRefs"] = [
            {"group": "", "kind": "Service", "namespace": key.namespace, "name": name} for name in sorted(names - {""})
        ]
    return {name: value for name, value in found.items() if value}


def _paths(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for rule in spec.get("rules") or ():
        for path in _dict(_dict(rule).get("http")).get("paths") or ():
            yield _dict(path)


def _hosts(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes that pods of the Application run on, by name."""
    named = {fact["value"] for node in nodes for fact in node.get("info", ()) if fact["name"] == "Node"}
    return [{"name": name} for name in sorted(named)]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
