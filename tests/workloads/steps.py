"""What a workload story is made of: changes, waits and looks, in a namespace of its own.

The tables beside this module build stories; `tests.workloads.playing` plays them on a real control plane or on the
sandbox. Resources are named by plural and name as in `deployments/web`; `..` stands for the namespace itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
# Where each resource is served: the paths of namespaced resources end before `namespaces`.
SERVED = {
    "configmaps": "/api/v1",
    "controllerrevisions": "/apis/apps/v1",
    "cronjobs": "/apis/batch/v1",
    "daemonsets": "/apis/apps/v1",
    "deployments": "/apis/apps/v1",
    "endpoints": "/api/v1",
    "endpointslices": "/apis/discovery.k8s.io/v1",
    "events": "/api/v1",
    "horizontalpodautoscalers": "/apis/autoscaling/v2",
    "jobs": "/apis/batch/v1",
    "limitranges": "/api/v1",
    "persistentvolumeclaims": "/api/v1",
    "poddisruptionbudgets": "/apis/policy/v1",
    "pods": "/api/v1",
    "replicasets": "/apis/apps/v1",
    "replicationcontrollers": "/api/v1",
    "resourcequotas": "/api/v1",
    "secrets": "/api/v1",
    "serviceaccounts": "/api/v1",
    "services": "/api/v1",
    "statefulsets": "/apis/apps/v1",
}
CLUSTER_WIDE = {"nodes": "/api/v1", "persistentvolumes": "/api/v1", "storageclasses": "/apis/storage.k8s.io/v1"}


@dataclass(frozen=True, slots=True)
class Send:
    """A request; `code` is the status it must have, 0 for any success."""

    method: str
    resource: str
    body: Any = None
    content_type: str = "application/json"
    query: str = ""
    code: int = 0


@dataclass(frozen=True, slots=True)
class Until:
    """Wait until a field has a value; `resource` without a name waits for the number of objects."""

    resource: str
    field: str
    value: Any


@dataclass(frozen=True, slots=True)
class Pause:
    """Let so many seconds pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Look:
    """Wait until nothing changes any more, and note everything in the namespace under a name."""

    name: str


Step = Send | Until | Pause | Look


@dataclass(frozen=True, slots=True)
class Story:
    """Steps that follow one another; at the end there is always a look and the Events."""

    name: str
    steps: tuple[Step, ...]
    looks_at: tuple[str, ...] = ()
    """Resources that are compared; what is not named here stays out."""
    ordered: bool = False
    """Whether the order in which pods come and go is compared, for sets that promise one."""
    events: bool = True
    cluster_wide: tuple[str, ...] = field(default=())
    """Names, as in `persistentvolumes/trial-one`, that are made outside the namespace and deleted at the end."""


def create(body: Json, *, code: int = 0) -> Send:
    """Create an object of a known kind."""
    return Send("POST", PLURALS[body["kind"]], body, code=code)


def apply(body: Json, *, manager: str = "tester", force: bool = True) -> Send:
    """Apply an object on the server's side."""
    resource = f"{PLURALS[body['kind']]}/{body['metadata']['name']}"
    query = f"fieldManager={manager}&force={'true' if force else 'false'}"
    return Send("PATCH", resource, body, APPLY, query)


def merge(resource: str, body: Json, *, code: int = 0) -> Send:
    """Change an object by a merge patch."""
    return Send("PATCH", resource, body, MERGE, code=code)


def delete(resource: str, propagation: str = "Background", *, code: int = 0) -> Send:
    """Delete an object; what it owns goes too unless said otherwise."""
    return Send("DELETE", resource, {"propagationPolicy": propagation}, code=code)


def until(resource: str, path: str, value: Any) -> Until:
    """Wait until a field of an object has a value."""
    return Until(resource, path, value)


def gone(resource: str) -> Until:
    """Wait until an object is gone."""
    return Until(resource, "", None)


def number(plural: str, count: int) -> Until:
    """Wait until there are so many objects."""
    return Until(plural, "", count)


PLURALS = {
    "ConfigMap": "configmaps",
    "CronJob": "cronjobs",
    "DaemonSet": "daemonsets",
    "Deployment": "deployments",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "Job": "jobs",
    "LimitRange": "limitranges",
    "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Pod": "pods",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "ReplicaSet": "replicasets",
    "ReplicationController": "replicationcontrollers",
    "ResourceQuota": "resourcequotas",
    "Secret": "secrets",
    "Service": "services",
    "ServiceAccount": "serviceaccounts",
    "StatefulSet": "statefulsets",
    "StorageClass": "storageclasses",
}
