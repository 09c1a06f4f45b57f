"""Removes an installation: what `syncline install` made, by label, and the marks of Applications taken over.

Called by `syncline.cli.install.command`, and by `syncline.cli.install.applying` for what an older choice left behind.
Only kinds that an installation consists of are looked for, so a CRD or an Application with our labels stays too.
"""

from __future__ import annotations

from dataclasses import dataclass

from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.controller.coexistence import ownership
from syncline.core.install.objects import HOME_SECRET
from syncline.core.install.options import MANAGED_BY
from syncline.ports.kube import ApiError, Cluster

_RBAC = "rbac.authorization.k8s.io"
_KINDS = (
    GroupKind("apps", "Deployment"),
    GroupKind("policy", "PodDisruptionBudget"),
    GroupKind("", "Service"),
    GroupKind(_RBAC, "RoleBinding"),
    GroupKind(_RBAC, "ClusterRoleBinding"),
    GroupKind(_RBAC, "Role"),
    GroupKind(_RBAC, "ClusterRole"),
    GroupKind("", "Secret"),
    GroupKind("", "ServiceAccount"),
)
"""In the order of removal: programs first, so that none runs without its rights."""
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Removal:
    """What is removed, and the Applications that go back to Argo CD."""

    objects: list[Object]
    taken_over: list[Object]

    def summary(self) -> str:
        """Return how much is removed, in words."""
        if not self.objects:
            return "nothing that `syncline install` made was found"
        apps = f"; {len(self.taken_over)} Applications go back to Argo CD" if self.taken_over else ""
        return f"{len(self.objects)} objects are removed{apps}"


async def planned(cluster: Cluster, namespace: str) -> Removal:
    """Return what removing an installation takes."""
    return Removal(await installed(cluster, namespace), await _taken_over(cluster))


async def installed(cluster: Cluster, namespace: str) -> list[Object]:
    """Return the objects of an installation that `syncline install` made, in the order of their removal."""
    selector = f"app.kubernetes.io/managed-by={MANAGED_BY},syncline.io/installation={namespace}"
    discovery = await cluster.discover()
    objects: list[Object] = []
    for kind in _KINDS:
        resource = discovery.find(kind)
        if resource is None:
            continue
        # Of Secrets only one is ours to delete, whatever labels others have.
        objects += [
            {"apiVersion": resource.gvk.api_version, "kind": kind.kind, **obj}
            for obj in (await cluster.list(resource, label_selector=selector)).items
            if kind.kind != "Secret" or obj["metadata"]["name"] == HOME_SECRET
        ]
    return objects


async def carry_out(cluster: Cluster, removal: Removal) -> None:
    """Remove the objects, then give Applications back."""
    await remove(cluster, removal.objects)
    if removal.taken_over:
        await ownership.hand_back(cluster, removal.taken_over)


async def remove(cluster: Cluster, objects: list[Object]) -> None:
    """Delete these very objects; another one of the same name stays."""
    discovery = await cluster.discover()
    for obj in objects:
        gvk, metadata = gvk_of(obj), obj["metadata"]
        resource = discovery.find(gvk.group_kind, gvk.version)
        if resource is not None:
            await cluster.delete(resource, metadata.get("namespace", ""), metadata["name"], uid=metadata["uid"])


async def _taken_over(cluster: Cluster) -> list[Object]:
    try:
        listed = (await cluster.list(ownership.APPLICATIONS)).items
    except ApiError as error:
        if error.code != _NOT_FOUND:
            raise
        return []
    return [app for app in listed if ownership.is_taken_over(app)]
