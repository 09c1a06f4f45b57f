"""Finds the rules of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from syncline.sandbox.kinds import bindings, configs, definitions, namespaces, pods, services, volumes, workloads
from syncline.sandbox.kinds.rules import Rules

_NONE: Final = Rules()
_DELETED: Final = Rules(returns_deleted=True)
_RULES: Final[Mapping[tuple[str, str], Rules]] = {
    ("", "ConfigMap"): configs.CONFIG_MAP,
    ("", "Namespace"): namespaces.NAMESPACE,
    ("", "PersistentVolume"): _DELETED,
    ("", "PersistentVolumeClaim"): volumes.CLAIM,
    ("", "Pod"): pods.POD,
    ("", "PodTemplate"): _DELETED,
    ("", "ResourceQuota"): _DELETED,
    ("", "Secret"): configs.SECRET,
    ("", "Service"): services.SERVICE,
    ("", "ServiceAccount"): _DELETED,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): definitions.DEFINITION,
    ("apps", "DaemonSet"): workloads.WORKLOAD,
    ("apps", "Deployment"): workloads.WORKLOAD,
    ("apps", "ReplicaSet"): workloads.WORKLOAD,
    ("apps", "StatefulSet"): workloads.STATEFUL_SET,
    ("batch", "Job"): workloads.JOB,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): bindings.BINDING,
    ("rbac.authorization.k8s.io", "RoleBinding"): bindings.BINDING,
    ("storage.k8s.io", "StorageClass"): volumes.CLASS,
}


def of(group: str, kind: str) -> Rules:
    """Return the rules of a kind; those of an ordinary one do nothing."""
    return _RULES.get((group, kind), _NONE)
