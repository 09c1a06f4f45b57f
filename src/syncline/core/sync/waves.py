"""Waves and kind ranks: the order of objects within a phase.

Used by `syncline.core.sync.order`. An unreadable wave falls back to the Helm hook weight, then to 0, as Argo CD does.
"""

from __future__ import annotations

import re

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import names

_RANKED = (
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
)
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
"""What Go reads as a number: no blanks, no underscores."""
_RANKS = {kind: rank for rank, kind in enumerate(_RANKED)}


def wave_of(obj: Object) -> int:
    """Return the sync wave an object asks for."""
    annotations = meta.annotations(obj)
    for name in (names.SYNC_WAVE, names.HELM_HOOK_WEIGHT):
        text = str(annotations.get(name, ""))
        if _INTEGER.fullmatch(text):
            return int(text)
    return 0


def kind_rank(kind: str) -> int:
    """Return the place of a kind within a wave; the API group plays no part, unknown kinds come last."""
    return _RANKS.get(kind, len(_RANKS))
