"""Pod security: what the label `pod-security.kubernetes.io/enforce` of a namespace forbids in its pods.

Called by `syncline.sandbox.admission.chain`; `syncline.sandbox.api.writes` asks for the warnings. The standards are
`baseline` and `restricted`; versions are told but not told apart.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery import pod_security
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_NAMESPACES: Final = Bucket("", "namespaces")
_PODS: Final = Bucket("", "pods")
_TEMPLATED: Final = frozenset({"DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"})


def check(backend: Backend, pod: Object, live: Object | None) -> None:
    """Refuse a pod that its namespace does not allow; labels and images of running pods may change."""
    if live is not None and live.get("spec") == pod.get("spec"):
        return
    found = _violated(backend, pod["metadata"].get("namespace", ""), pod.get("spec") or {}, "enforce")
    if found:
        raise errors.forbidden("pods", "", pod["metadata"].get("name", ""), f"violates PodSecurity {found}")


def warnings(backend: Backend, resource: Resource, obj: Object) -> list[str]:
    """Return what the label `warn` of the namespace has to say about a pod or a workload's template."""
    namespace = obj["metadata"].get("namespace", "")
    if resource.bucket != _PODS and resource.kind not in (*_TEMPLATED, "CronJob"):
        return []
    spec: Any = obj.get("spec") or {}
    if resource.kind == "CronJob":
        spec = (spec.get("jobTemplate") or {}).get("spec") or {}
    if resource.bucket != _PODS:
        spec = (spec.get("template") or {}).get("spec") or {}
    found = _violated(backend, namespace, spec, "warn")
    return [f"would violate PodSecurity {found}"] if found else []


def _violated(backend: Backend, namespace: str, spec: Object, mode: str) -> str:
    row = backend.store.get(_NAMESPACES, "", namespace)
    level = row.labels.get(f"{pod_security.PREFIX}{mode}", "") if row is not None else ""
    if row is None or level not in ("baseline", "restricted"):
        return ""
    found = pod_security.violations(spec, level)
    told = [f"{short} ({full})" if full else short for short, full in found]
    version = row.labels.get(f"{pod_security.PREFIX}{mode}-version") or "latest"
    return f'"{level}:{version}": {", ".join(told)}' if told else ""
