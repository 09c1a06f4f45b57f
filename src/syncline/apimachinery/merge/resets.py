"""Names the fields an endpoint does not store, which nobody can come to own there.

The sandbox hands them to `syncline.apimachinery.merge.apply` and `update` as `ignored`: the object itself leaves
`status` alone, its status endpoint leaves alone the rest. How much of the metadata is the rest differs by kind.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.merge.fieldset import EMPTY, FieldSet
from syncline.apimachinery.merge.paths import path

_METADATA_STORED_WITH_STATUS: Final = frozenset(
    {
        "DaemonSet",
        "ReplicaSet",
        "StatefulSet",
        "HorizontalPodAutoscaler",
        "CronJob",
        "Job",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "ReplicationController",
        "ResourceQuota",
        "Service",
        "Ingress",
        "PodDisruptionBudget",
    }
)
_BUILT_IN_GROUPS: Final = frozenset({"", "apps", "autoscaling", "batch", "networking.k8s.io", "policy"})

_EXCEPTIONS: Final[Mapping[tuple[str, str], str]] = {
    ("apps/Deployment", "status"): "spec metadata.labels",
    ("Pod", "status"): "spec metadata.deletionTimestamp metadata.ownerReferences",
    ("certificates.k8s.io/CertificateSigningRequest", ""): "spec status",
    ("certificates.k8s.io/CertificateSigningRequest", "status"): "spec status.conditions",
    ("certificates.k8s.io/CertificateSigningRequest", "approval"): "spec status.certificate",
}


def reset_fields(kind: GroupKind, subresource: str = "") -> FieldSet:
    """Return what one endpoint of a kind with a status endpoint leaves as it is.

    A custom kind without a status endpoint stores everything: pass nothing as `ignored` for it.
    """
    exception = _EXCEPTIONS.get((str(kind), subresource))
    if exception is not None:
        return _fields(exception)
    if not subresource:
        return _fields("status")
    if subresource != "status":
        return EMPTY
    built_in = kind.group in _BUILT_IN_GROUPS and kind.kind in _METADATA_STORED_WITH_STATUS
    return _fields("spec" if built_in else "metadata spec")


@functools.lru_cache(maxsize=32)
def _fields(names: str) -> FieldSet:
    return FieldSet.of(*(path(*name.split(".")) for name in names.split()))
