"""What an object that a sync waits for is waiting for itself, down to the pod that is the reason.

Used by `syncline.cli.following` while nothing moves. Children are found by their owner references, an Application leads
to the objects it delivers. Only the cluster with the Applications is asked; an app that is delivered elsewhere has the
reason in its status all the same.
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.core.health import assess
from syncline.model import names
from syncline.model.health import Health, HealthCode
from syncline.ports.kube import Cluster, Discovery

_APPLICATION = GroupKind(names.GROUP, "Application")
_OWNED = (GroupKind("apps", "ReplicaSet"), GroupKind("batch", "Job"), GroupKind("", "Pod"))
_DEEPEST = 8
_WORST_FIRST = (HealthCode.DEGRADED, HealthCode.MISSING, HealthCode.UNKNOWN, HealthCode.PROGRESSING)


class Chains:
    """Follows objects to what holds them up, on one cluster; kinds are asked for once."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._discovery: Discovery | None = None

    async def words(self, kind: GroupKind, namespace: str, name: str) -> str:
        """Return `Deployment/web → ReplicaSet/web-1 → Pod/web-1-x: why`; empty when nothing below is to blame."""
        obj = await self._get(kind, namespace, name)
        steps = [f"{kind.kind}/{name}"]
        why = ""
        while obj is not None and len(steps) < _DEEPEST:
            found = await self._below(obj)
            if found is None:
                break
            obj, health = found
            steps.append(f"{obj['kind']}/{obj['metadata']['name']}")
            why = health.message
        return f"{' → '.join(steps)}: {why}" if why else ""

    async def _get(self, kind: GroupKind, namespace: str, name: str) -> Object | None:
        if self._discovery is None:
            self._discovery = await self._cluster.discover()
        resource = self._discovery.find(kind)
        return None if resource is None else await self._cluster.get(resource, namespace, name)

    async def _below(self, obj: Object) -> tuple[Object, Health] | None:
        """Return the object below this one that is worst off; None when all below are well."""
        if gvk_of(obj).group_kind == _APPLICATION:
            below = await self._delivered(obj)
        else:
            below = [child for kind in _OWNED for child in await self._owned(obj, kind)]
        healths = [(child, health) for child in below if (health := assess.assess(child)) is not None]
        for code in _WORST_FIRST:
            for child, health in healths:
                if health.status is code:
                    return child, health
        return None

    async def _owned(self, owner: Object, kind: GroupKind) -> list[Object]:
        resource = self._discovery.find(kind) if self._discovery else None
        namespace, uid = owner["metadata"].get("namespace", ""), owner["metadata"].get("uid")
        if resource is None or not namespace:
            return []
        listed = await self._cluster.list(resource, namespace=namespace)
        return [
            {**item, "apiVersion": resource.gvk.api_version, "kind": kind.kind}
            for item in listed.items
            if any(reference.get("uid") == uid for reference in item["metadata"].get("ownerReferences") or ())
        ]

    async def _delivered(self, app: Object) -> list[Object]:
        found = []
        for row in (app.get("status") or {}).get("resources") or ():
            if (row.get("health") or {}).get("status") in ("Degraded", "Progressing"):
                kind = GroupKind(row.get("group", ""), row["kind"])
                obj = await self._get(kind, row.get("namespace", ""), row["name"])
                found += [obj] if obj is not None else []
        return found
