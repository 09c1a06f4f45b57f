"""What a real server warns of in objects that it takes all the same: old names, doubled entries, odd amounts.

`KindRules.warn` of the kinds below; pods and pod templates share `of_pod`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from syncline.apimachinery import meta, quantity
from syncline.apimachinery.keys import Object

_LABELS: Final = {
    "beta.kubernetes.io/arch": ("v1.14", "kubernetes.io/arch"),
    "beta.kubernetes.io/os": ("v1.14", "kubernetes.io/os"),
    "failure-domain.beta.kubernetes.io/region": ("v1.17", "topology.kubernetes.io/region"),
    "failure-domain.beta.kubernetes.io/zone": ("v1.17", "topology.kubernetes.io/zone"),
    "beta.kubernetes.io/instance-type": ("v1.17", "node.kubernetes.io/instance-type"),
}
_CRITICAL: Final = "scheduler.alpha.kubernetes.io/critical-pod"
_APPARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_STORAGE_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_INGRESS_CLASS: Final = "kubernetes.io/ingress.class"


def _use(label: str) -> str:
    since, instead = _LABELS[label]
    return f'deprecated since {since}; use "{instead}" instead'


def of_pod(pod: Mapping[str, Any], above: str = "") -> list[str]:
    """Return the warnings of a pod, or of a template that stands at a path."""
    spec, annotations = pod.get("spec") or {}, meta.metadata(pod).get("annotations") or {}
    before = f"{above}." if above else ""
    return [
        *_of_topology(spec, f"{before}spec"),
        *_of_annotations(annotations, f"{before}metadata.annotations"),
        *_of_spec(spec, f"{before}spec"),
    ]


def of_template(obj: Object) -> list[str]:
    """Return the warnings of a workload with a template."""
    return of_pod((obj.get("spec") or {}).get("template") or {}, "spec.template")


def of_cron_job(obj: Object) -> list[str]:
    """Return the warnings of a CronJob."""
    job = ((obj.get("spec") or {}).get("jobTemplate") or {}).get("spec") or {}
    return of_pod(job.get("template") or {}, "spec.jobTemplate.spec.template")


def _of_annotations(annotations: Mapping[str, str], path: str) -> Iterator[str]:
    if _CRITICAL in annotations:
        yield f'{path}[{_CRITICAL}]: non-functional in v1.16+; use the "priorityClassName" field instead'
    for name in sorted(annotations):
        if name.startswith(_APPARMOR):
            yield f'{path}[{name}]: deprecated since v1.30; use the "appArmorProfile" field instead'


def _of_topology(spec: Mapping[str, Any], path: str) -> Iterator[str]:
    for label in sorted(set(spec.get("nodeSelector") or ()) & set(_LABELS), reverse=True):
        yield f"{path}.nodeSelector[{label}]: {_use(label)}"
    for index, spread in enumerate(spec.get("topologySpreadConstraints") or ()):
        key = spread.get("topologyKey")
        if key in _LABELS:
            yield f"{path}.topologySpreadConstraints[{index}].topologyKey: {key} is {_use(key)}"


def _of_spec(spec: Mapping[str, Any], path: str) -> Iterator[str]:
    for index, volume in enumerate(spec.get("volumes") or ()):
        if "gitRepo" in volume:
            yield f"{path}.volumes[{index}].gitRepo: deprecated in v1.11, and disabled by default in v1.33+"
    for index in _doubled(spec.get("hostAliases"), "ip"):
        yield f'{path}.hostAliases[{index}].ip: duplicate ip "{spec["hostAliases"][index]["ip"]}"'
    yield from _of_pull_secrets(spec.get("imagePullSecrets") or (), f"{path}.imagePullSecrets")
    for sort in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(sort) or ()):
            yield from _of_container(container, f"{path}.{sort}[{index}]")


def _of_pull_secrets(given: Any, path: str) -> Iterator[str]:
    doubled = set(_doubled(given, "name"))
    for index, one in enumerate(given):
        if not one.get("name"):
            yield f'{path}[{index}].name: invalid empty name ""'
        elif index in doubled:
            yield f'{path}[{index}].name: duplicate name "{one["name"]}"'


def _of_container(container: Mapping[str, Any], path: str) -> Iterator[str]:
    resources = container.get("resources") or {}
    for sort in ("limits", "requests"):
        for name in ("memory", "ephemeral-storage"):
            yield from _of_amount((resources.get(sort) or {}).get(name), f"{path}.resources.{sort}[{name}]")
    env = container.get("env") or ()
    for index in _doubled(env, "name"):
        told = f'hides previous definition of "{env[index]["name"]}", which may be dropped when using apply'
        yield f"{path}.env[{index}]: {told}"
    seen: dict[tuple[Any, ...], int] = {}
    for index, port in enumerate(container.get("ports") or ()):
        key = (port.get("containerPort"), port.get("protocol"), port.get("hostPort"), port.get("hostIP"))
        if key in seen:
            yield f"{path}.ports[{index}]: duplicate port definition with {path}.ports[{seen[key]}]"
        seen.setdefault(key, index)


def _of_amount(given: Any, path: str) -> Iterator[str]:
    if given is None:
        return
    try:
        amount = quantity.parse(given)
    except quantity.InvalidQuantity:
        return
    if amount.nanos % 10**9:
        yield f'{path}: fractional byte value "{amount}" is invalid, must be an integer'


def _doubled(items: Any, key: str) -> Iterator[int]:
    seen: set[str] = set()
    for index, one in enumerate(items or ()):
        name = str(one.get(key) or "")
        if name and name in seen:
            yield index
        seen.add(name)


def _of_old_class(obj: Object) -> Iterator[str]:
    if _STORAGE_CLASS in (meta.metadata(obj).get("annotations") or {}):
        told = 'deprecated since v1.8; use "storageClassName" attribute instead'
        yield f"metadata.annotations[{_STORAGE_CLASS}]: {told}"


def of_claim(obj: Object) -> list[str]:
    """Return the warnings of a PersistentVolumeClaim."""
    requests = ((obj.get("spec") or {}).get("resources") or {}).get("requests") or {}
    return [*_of_old_class(obj), *_of_amount(requests.get("storage"), "spec.resources.requests[storage]")]


def of_volume(obj: Object) -> list[str]:
    """Return the warnings of a PersistentVolume."""
    told = list(_of_old_class(obj))
    if (obj.get("spec") or {}).get("persistentVolumeReclaimPolicy") == "Recycle":
        told.append(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
            "approach is to use dynamic provisioning."
        )
    return told


def of_service(obj: Object) -> list[str]:
    """Return the warnings of a Service."""
    if (obj.get("spec") or {}).get("externalIPs"):
        return ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
    return []


def of_ingress(obj: Object) -> list[str]:
    """Return the warnings of an Ingress."""
    if _INGRESS_CLASS in (meta.metadata(obj).get("annotations") or {}):
        return [f"annotation \"{_INGRESS_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"]
    return []
