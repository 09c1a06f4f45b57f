"""Finds the rules of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.kinds import (
    bindings,
    configs,
    definitions,
    namespaces,
    pods,
    schedules,
    services,
    volumes,
    workloads,
)
from syncline.sandbox.kinds.rules import Rules

_NONE: Final = Rules(fixed=True)
_DELETED: Final = Rules(returns_deleted=True)
_RULES: Final[Mapping[tuple[str, str], Rules]] = {
    ("", "ConfigMap"): configs.CONFIG_MAP,
    ("", "Event"): schedules.EVENT,
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
    ("apps", "DaemonSet"): schedules.DAEMON_SET,
    ("apps", "Deployment"): workloads.WORKLOAD,
    ("apps", "ReplicaSet"): workloads.WORKLOAD,
    ("apps", "StatefulSet"): workloads.STATEFUL_SET,
    ("batch", "CronJob"): schedules.CRON_JOB,
    ("batch", "Job"): workloads.JOB,
    ("coordination.k8s.io", "Lease"): schedules.LEASE,
    ("networking.k8s.io", "Ingress"): schedules.INGRESS,
    ("networking.k8s.io", "NetworkPolicy"): schedules.NETWORK_POLICY,
    ("rbac.authorization.k8s.io", "Role"): schedules.ROLE,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): bindings.BINDING,
    ("rbac.authorization.k8s.io", "RoleBinding"): bindings.BINDING,
    ("storage.k8s.io", "StorageClass"): volumes.CLASS,
}

_FIRST_STATUS: Final[Mapping[tuple[str, str], Mapping[str, Any]]] = {
    ("apps", "DaemonSet"): dict.fromkeys(
        ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"), 0
    ),
    ("", "ReplicationController"): {"replicas": 0},
    ("apps", "ReplicaSet"): {"replicas": 0},
    ("autoscaling", "HorizontalPodAutoscaler"): {"currentMetrics": None, "desiredReplicas": 0},
    ("apps", "StatefulSet"): {"replicas": 0, "availableReplicas": 0},
    ("networking.k8s.io", "Ingress"): {"loadBalancer": {}},
    ("policy", "PodDisruptionBudget"): dict.fromkeys(
        ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"), 0
    ),
}


def first_status(group: str, kind: str) -> Object:
    """Return the status a new object of a built-in kind shows before any controller has looked at it."""
    return dict(_FIRST_STATUS.get((group, kind), {}))


def of(group: str, kind: str) -> Rules:
    """Return the rules of a kind; those of an ordinary one do nothing."""
    return _RULES.get((group, kind), _NONE)
