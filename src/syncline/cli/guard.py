"""Refuses to deliver beside a living Argo CD: two controllers would undo each other's work.

Asked by `syncline up` before anything is written to a real cluster.
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, Object
from syncline.model.errors import NeedsUser
from syncline.ports.kube import Cluster

_WORKLOADS = (GroupKind("apps", "StatefulSet"), GroupKind("apps", "Deployment"))
_NAME_LABEL = "app.kubernetes.io/name"
_COMPONENT_LABEL = "app.kubernetes.io/component"


async def refuse_beside_argocd(cluster: Cluster, namespace: str) -> None:
    """Raise a sentence when Argo CD's application controller runs in the control-plane namespace."""
    discovery = await cluster.discover()
    for kind in _WORKLOADS:
        resource = discovery.find(kind)
        if resource is None:
            continue
        for obj in (await cluster.list(resource, namespace=namespace)).items:
            if is_argocd_controller(obj) and (obj.get("spec") or {}).get("replicas", 1) > 0:
                name = f"{kind.kind} {namespace}/{obj['metadata']['name']}"
                raise NeedsUser(
                    f"Argo CD's application controller runs here ({name}), and two controllers would fight",
                    hint=f"kubectl scale --replicas=0 -n {namespace} {kind.kind.lower()}/{obj['metadata']['name']}"
                    " hands the Applications over; syncline why APP only reads and works beside it",
                )


def is_argocd_controller(obj: Object) -> bool:
    """Whether a workload is Argo CD's application controller, however it was installed."""
    labels = (obj.get("metadata") or {}).get("labels") or {}
    if str(labels.get(_NAME_LABEL) or "").endswith("argocd-application-controller"):
        return True
    return (
        labels.get(_COMPONENT_LABEL) == "application-controller" and labels.get("app.kubernetes.io/part-of") == "argocd"
    )
