"""Keeps the history of a StatefulSet or DaemonSet: one ControllerRevision per template, the newest numbered highest.

Called by their controllers whenever they look at a set. Going back to an older template makes its revision the newest
again; revisions that no pod uses go once there are more than the set wants to keep.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.controllers.workloads import podset, readiness
from syncline.sandbox.store.store import Bucket, RowKey

HASH: Final = "controller-revision-hash"
"""The label with which a pod names its revision: by name for StatefulSets, by hash for DaemonSets."""
_REVISIONS: Final = Bucket("apps", "controllerrevisions")
_PLURAL: Final = "controllerrevisions"
_REPLACE: Final = {"$patch": "replace"}


def keep(client: Client, obj: Object, pods: Iterable[Object], *, label: str) -> tuple[str, str]:
    """Return name and hash of the revision of the current template, after bringing the history up to date.

    `label` names the label under which a revision itself carries its hash.
    """
    podset.adopt(client, obj, _REVISIONS)
    ending = readiness.template_hash(obj["spec"]["template"])
    name = f"{obj['metadata']['name']}-{ending}"
    known = {one["metadata"]["name"]: one for one in client.owned(obj, _PLURAL)}
    newest = max((int(one["revision"]) for one in known.values()), default=0)
    found = known.get(name)
    if found is None:
        client.create(
            "apps", "ControllerRevision", obj["metadata"]["namespace"], _body(obj, name, ending, newest, label)
        )
    elif int(found["revision"]) < newest:
        client.update({**found, "revision": newest + 1})
    _forget(client, obj, [one for one in known.values() if one is not found], pods)
    return name, ending


def _body(obj: Object, name: str, ending: str, newest: int, label: str) -> Object:
    template = obj["spec"]["template"]
    labels = {**(meta.labels(template)), label: ending}
    metadata: Object = {"name": name, "labels": labels, "ownerReferences": [owner_reference(obj)]}
    if obj["metadata"].get("annotations"):
        metadata["annotations"] = dict(obj["metadata"]["annotations"])
    return {
        "metadata": metadata,
        "revision": newest + 1,
        "data": {"spec": {"template": {**template, **_REPLACE}}},
    }


def _forget(client: Client, obj: Object, others: list[Object], pods: Iterable[Object]) -> None:
    limit = obj["spec"].get("revisionHistoryLimit")
    surplus = len(others) - (10 if limit is None else int(limit))
    if surplus <= 0:
        return
    used = {(pod["metadata"].get("labels") or {}).get(HASH, "") for pod in pods}
    used.add((obj.get("status") or {}).get("currentRevision", ""))
    unused = [one for one in others if not {one["metadata"]["name"], _ending(obj, one)} & used]
    for one in sorted(unused, key=lambda one: int(one["revision"]))[: max(0, surplus)]:
        client.delete(one)


def _ending(obj: Object, revision: Object) -> str:
    return str(revision["metadata"]["name"].removeprefix(f"{obj['metadata']['name']}-"))


def template(client: Client, obj: Object, name: str) -> Object:
    """Return the template of a revision; that of the set when it is not recorded."""
    found = client.get(RowKey(_REVISIONS, obj["metadata"]["namespace"], name))
    kept: Object = obj["spec"]["template"] if found is None else found["data"]["spec"]["template"]
    return {field: value for field, value in kept.items() if field not in _REPLACE}
