"""The objects of an Application as Argo CD's resource tree: nodes with parents, health, images and a few facts.

Used by the routes of trees with one look at an Application.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of, key_of
from syncline.core.health import checkup
from syncline.core.health.checkup import Checkup
from syncline.model.comparison import ComparedObject
from syncline.server.trees import tree_facts as facts
from syncline.verbs.look import Seen
from syncline.verbs.resources import denied_to, managed_keys, orphaned_keys

Node = dict[str, Any]
_POD = GroupKind("", "Pod")
_FEW_PODS = 2_000


def tree(seen: Seen) -> dict[str, Any]:
    """Return the whole tree: what the Application manages and what that owns; and orphans where they are watched."""
    assessment = seen.assessment
    judge = checkup.of_snapshot(assessment.snapshot, assessment.live)
    managed = managed_keys(assessment)
    by_uid = {meta.uid(obj): _ref(key, gvk_of(obj).version) for key, obj in assessment.live.items()}
    nodes = [_node(obj, judge, by_uid) for key, obj in sorted(assessment.live.items()) if key in managed]
    missing = [row for row in assessment.comparison.rows if not row.live and not row.hook]
    nodes += [_missing(row) for row in missing]
    hosts = _hosts(nodes, seen)
    return {"nodes": nodes, "orphanedNodes": list(_orphans(seen, judge)), "hosts": hosts, "shardsCount": 0}


def _orphans(seen: Seen, judge: Checkup) -> Iterator[Node]:
    project = seen.assessment.snapshot.project or {}
    if (project.get("spec") or {}).get("orphanedResources") is None:
        return
    index = seen.place.live.index
    for key in orphaned_keys(seen):
        if (obj := index.get(key)) is not None:
            yield _node(obj, judge, {})


def _node(obj: Object, judge: Checkup, by_uid: Mapping[str, Node]) -> Node:
    key, health = key_of(obj), judge(obj)
    found: Node = {
        **_ref(key, gvk_of(obj).version),
        "uid": meta.uid(obj),
        "resourceVersion": meta.resource_version(obj),
        "createdAt": meta.metadata(obj).get("creationTimestamp"),
    }
    if parents := [{**by_uid[uid], "uid": uid} for uid in _owners(obj) if uid in by_uid]:
        found["parentRefs"] = parents
    if health is not None:
        found["health"] = {"status": health.status.value, **({"message": health.message} if health.message else {})}
    if images := facts.images(obj):
        found["images"] = images
    if info := list(facts.info(obj)):
        found["info"] = [{"name": name, "value": value} for name, value in info]
    if network := facts.network(obj):
        found["networkingInfo"] = network
    return found


def _missing(row: ComparedObject) -> Node:
    if not row.is_permitted:
        return {**_ref(row.key, row.version), "info": [{"name": "Not permitted", "value": row.message}]}
    return {**_ref(row.key, row.version), "health": {"status": "Missing"}}


def _ref(key: ObjectKey, version: str) -> Node:
    found = {"group": key.group, "version": version, "kind": key.kind, "namespace": key.namespace, "name": key.name}
    return {name: value for name, value in found.items() if value}


def _owners(obj: Object) -> Iterable[str]:
    return (str(owner.get("uid") or "") for owner in meta.owner_references(obj))


def _hosts(nodes: Iterable[Node], seen: Seen) -> list[Node]:
    """Return the nodes that pods of the Application run on: what each has, and who asked for how much of it.

    Where the project does not permit Nodes, a host is the name that stands in the pods.
    """
    index = seen.place.live.index
    keys = {ObjectKey("", "Pod", node.get("namespace", ""), node["name"]) for node in nodes if _is_pod(node)}
    if not keys:
        return []
    pods: dict[str, list[tuple[bool, Object]]] = {}
    everywhere = index.keys(_POD)
    # What neighbours ask for is a look at every pod of the cluster: nobody is to wait for that where there are many.
    for key in everywhere if len(everywhere) <= _FEW_PODS else keys:
        if (obj := index.get(key)) is not None:
            name = str(facts.members(obj.get("spec")).get("nodeName") or "")
            pods.setdefault(name, []).append((key in keys, obj))
    used = sorted(name for name, found in pods.items() if name and any(own for own, _ in found))
    if denied_to(seen.assessment, [ObjectKey("", "Node", "", name) for name in used]):
        return [{"name": name} for name in used]
    return [_host(name, index.get(ObjectKey("", "Node", "", name)) or {}, pods[name]) for name in used]


def _is_pod(node: Node) -> bool:
    return bool(node.get("kind") == "Pod" and not node.get("group"))


def _host(name: str, machine: Object, pods: list[tuple[bool, Object]]) -> Node:
    status = facts.members(machine.get("status"))
    capacity = facts.members(status.get("capacity"))
    rows = []
    for resource in (*facts.REQUESTED, "storage"):
        has = facts.thousandths(capacity.get(resource, 0))
        own = sum(_asked(obj, resource) for mine, obj in pods if mine)
        others = sum(_asked(obj, resource) for mine, obj in pods if not mine and not _is_over(obj))
        row = {"resourceName": resource, "requestedByApp": own, "requestedByNeighbors": others, "capacity": has}
        if has:
            rows.append({member: value for member, value in row.items() if value})
    found = {"name": name, "resourcesInfo": rows, "systemInfo": facts.members(status.get("nodeInfo"))}
    return {member: value for member, value in found.items() if value}


def _asked(pod: Object, resource: str) -> int:
    return facts.requested(facts.members(pod.get("spec")), resource)


def _is_over(pod: Object) -> bool:
    return facts.members(pod.get("status")).get("phase") in ("Succeeded", "Failed")
