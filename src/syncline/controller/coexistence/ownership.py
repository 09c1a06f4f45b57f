"""Living beside Argo CD: is its controller alive, which Applications are ours, and how they change hands.

Asked by the command line before a controller starts, and by `syncline.controller.deliver.reconcile` for every
Application. An Application is taken over by two annotations in one patch: Argo CD's own `skip-reconcile`, so that it
lets go, and our mark, so that we do not. Handing back removes both. Nothing else is touched: finalizers, tracking ids
and field managers are Argo CD's own all along.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object
from syncline.model import names
from syncline.ports.kube import ApiError, ApiResource, Cluster, ClusterReader

APPLICATIONS = ApiResource(
    gvk=GroupVersionKind(names.GROUP, names.VERSION, "Application"), plural="applications", namespaced=True
)
_WORKLOADS = (GroupKind("apps", "StatefulSet"), GroupKind("apps", "Deployment"))
_POD = GroupKind("", "Pod")
_NAME_LABEL = "app.kubernetes.io/name"
_COMPONENT_LABEL = "app.kubernetes.io/component"
_REFUSED = (401, 403)


class OwnershipMode(StrEnum):
    """What a controller does with Applications that were not taken over."""

    ACT = "act"
    OBSERVE = "observe"


def is_taken_over(app: Object) -> bool:
    """Whether an Application was taken over from Argo CD."""
    return meta.annotations(app).get(names.TAKEN_OVER) == "true"


def is_paused(app: Object) -> bool:
    """Whether an Application is to be left alone: our own take-over pauses it for Argo CD only."""
    return names.is_true(meta.annotations(app).get(names.SKIP_RECONCILE)) and not is_taken_over(app)


def acts_on(app: Object, mode: OwnershipMode) -> bool:
    """Whether anything may be written on behalf of an Application."""
    return mode is OwnershipMode.ACT or is_taken_over(app)


def as_ours(app: Object) -> Object:
    """Return an Application as it is for us: the pause that take-over put on it is meant for the other."""
    if not is_taken_over(app):
        return app
    metadata = app["metadata"]
    kept = {name: text for name, text in metadata["annotations"].items() if name != names.SKIP_RECONCILE}
    return {**app, "metadata": {**metadata, "annotations": kept}}


class Rival(msgspec.Struct, frozen=True):
    """A running application controller of Argo CD: what kind of object, where and its name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


async def find_rival(cluster: ClusterReader, namespace: str) -> Rival | None:
    """Return Argo CD's application controller if one is alive in the control-plane namespace.

    A workload that is scaled to nothing is not alive; where workloads may not be listed, its pods tell.
    """
    discovery = await cluster.discover()
    for kind in (*_WORKLOADS, _POD):
        resource = discovery.find(kind)
        if resource is None:
            continue
        try:
            listed = await cluster.list(resource, namespace=namespace)
        except ApiError as error:
            if error.code not in _REFUSED:
                raise
            continue
        for obj in listed.items:
            if is_application_controller(obj) and _alive(obj, kind):
                return Rival(kind.kind, namespace, str(obj["metadata"]["name"]))
    return None


def is_application_controller(obj: Object) -> bool:
    """Whether an object is, or belongs to, Argo CD's application controller, however it was installed."""
    labels = meta.labels(obj)
    if str(labels.get(_NAME_LABEL) or "").endswith("argocd-application-controller"):
        return True
    return (
        labels.get(_COMPONENT_LABEL) == "application-controller" and labels.get("app.kubernetes.io/part-of") == "argocd"
    )


def _alive(obj: Object, kind: GroupKind) -> bool:
    if kind == _POD:
        phase = (obj.get("status") or {}).get("phase")
        return phase in ("Pending", "Running") and not obj["metadata"].get("deletionTimestamp")
    replicas = (obj.get("spec") or {}).get("replicas", 1)
    return bool(replicas is None or replicas > 0)


class Exchange(msgspec.Struct, frozen=True):
    """What came of taking over or handing back: Applications that changed hands, and those that had already."""

    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


async def take_over(cluster: Cluster, apps: Iterable[Object]) -> Exchange:
    """Make Applications ours; Argo CD leaves them alone from its next look on."""
    return await _mark(cluster, apps, {names.SKIP_RECONCILE: "true", names.TAKEN_OVER: "true"})


async def hand_back(cluster: Cluster, apps: Iterable[Object]) -> Exchange:
    """Give Applications back to Argo CD; those that were never taken over are left as they are."""
    return await _mark(
        cluster,
        [app for app in apps if is_taken_over(app)],
        {names.SKIP_RECONCILE: None, names.TAKEN_OVER: None},
    )


async def _mark(cluster: Cluster, apps: Iterable[Object], marks: dict[str, str | None]) -> Exchange:
    changed, unchanged = [], []
    for app in apps:
        metadata = app["metadata"]
        name = f"{metadata['namespace']}/{metadata['name']}"
        found = meta.annotations(app)
        if all(found.get(key) == value for key, value in marks.items()):
            unchanged.append(name)
            continue
        patch = {"metadata": {"annotations": marks, "resourceVersion": metadata["resourceVersion"]}}
        await cluster.patch(APPLICATIONS, metadata["namespace"], metadata["name"], patch, manager=names.STATUS_MANAGER)
        changed.append(name)
    return Exchange(tuple(changed), tuple(unchanged))
