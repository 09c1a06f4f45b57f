"""Finds the rules of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.kinds import (
    admission_policies,
    autoscalers,
    configs,
    definitions,
    events,
    machinery,
    namespaces,
    networks,
    pods,
    policies,
    quotas,
    rights,
    schedules,
    services,
    volumes,
    webhooks,
    workloads,
)
from syncline.sandbox.kinds.rules import KindRules

_NONE: Final = KindRules(fixed=True)
_DELETED: Final = KindRules(returns_deleted=True)
_RULES: Final[Mapping[tuple[str, str], KindRules]] = {
    ("", "ConfigMap"): configs.CONFIG_MAP,
    ("", "Event"): events.OLD,
    ("", "LimitRange"): quotas.RANGE,
    ("", "Namespace"): namespaces.NAMESPACE,
    ("", "Endpoints"): networks.ENDPOINTS,
    ("", "Node"): policies.NODE,
    ("", "PersistentVolume"): volumes.VOLUME,
    ("", "PersistentVolumeClaim"): volumes.CLAIM,
    ("", "Pod"): pods.POD,
    ("", "PodTemplate"): _DELETED,
    ("", "ResourceQuota"): quotas.QUOTA,
    ("", "Secret"): configs.SECRET,
    ("", "Service"): services.SERVICE,
    ("", "ServiceAccount"): _DELETED,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): definitions.DEFINITION,
    ("apps", "ControllerRevision"): machinery.REVISION,
    ("apps", "DaemonSet"): schedules.DAEMON_SET,
    ("apps", "Deployment"): workloads.DEPLOYMENT,
    ("apps", "ReplicaSet"): workloads.REPLICA_SET,
    ("apps", "StatefulSet"): workloads.STATEFUL_SET,
    ("autoscaling", "HorizontalPodAutoscaler"): autoscalers.AUTOSCALER,
    ("batch", "CronJob"): schedules.CRON_JOB,
    ("batch", "Job"): workloads.JOB,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): webhooks.MUTATING,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): admission_policies.MUTATING_POLICY,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): admission_policies.MUTATING_BINDING,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): admission_policies.POLICY,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): admission_policies.BINDING,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): webhooks.VALIDATING,
    ("discovery.k8s.io", "EndpointSlice"): networks.ENDPOINT_SLICE,
    ("scheduling.k8s.io", "PriorityClass"): policies.PRIORITY_CLASS,
    ("policy", "PodDisruptionBudget"): policies.BUDGET,
    ("coordination.k8s.io", "Lease"): policies.LEASE,
    ("events.k8s.io", "Event"): events.NEW,
    ("networking.k8s.io", "Ingress"): networks.INGRESS,
    ("networking.k8s.io", "NetworkPolicy"): networks.NETWORK_POLICY,
    ("apiregistration.k8s.io", "APIService"): policies.API_SERVICE,
    ("networking.k8s.io", "IngressClass"): networks.INGRESS_CLASS,
    ("node.k8s.io", "RuntimeClass"): policies.RUNTIME_CLASS,
    ("rbac.authorization.k8s.io", "ClusterRole"): rights.ROLE,
    ("rbac.authorization.k8s.io", "Role"): rights.ROLE,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): rights.BINDING,
    ("rbac.authorization.k8s.io", "RoleBinding"): rights.BINDING,
    ("certificates.k8s.io", "CertificateSigningRequest"): machinery.SIGNING_REQUEST,
    ("storage.k8s.io", "CSIDriver"): machinery.DRIVER,
    ("storage.k8s.io", "CSINode"): machinery.CSI_NODE,
    ("storage.k8s.io", "StorageClass"): volumes.CLASS,
}

_FIRST_STATUS: Final[Mapping[tuple[str, str], Mapping[str, Any]]] = {
    ("apps", "DaemonSet"): dict.fromkeys(
        ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"), 0
    ),
    ("", "Node"): {
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
        "nodeInfo": dict.fromkeys(
            (
                "architecture",
                "bootID",
                "containerRuntimeVersion",
                "kernelVersion",
                "kubeProxyVersion",
                "kubeletVersion",
                "machineID",
                "operatingSystem",
                "osImage",
                "systemUUID",
            ),
            "",
        ),
    },
    ("", "ReplicationController"): {"replicas": 0},
    ("apps", "ReplicaSet"): {"replicas": 0},
    ("autoscaling", "HorizontalPodAutoscaler"): {"currentMetrics": None, "desiredReplicas": 0},
    ("apps", "StatefulSet"): {"replicas": 0, "availableReplicas": 0},
    ("networking.k8s.io", "Ingress"): {"loadBalancer": {}},
    ("storage.k8s.io", "VolumeAttachment"): {"attached": False},
    ("policy", "PodDisruptionBudget"): dict.fromkeys(
        ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"), 0
    ),
}


def first_status(group: str, kind: str) -> Object:
    """Return the status a new object of a built-in kind shows before any controller has looked at it."""
    return dict(_FIRST_STATUS.get((group, kind), {}))


def of(group: str, kind: str) -> KindRules:
    """Return the rules of a kind; those of an ordinary one do nothing."""
    return _RULES.get((group, kind), _NONE)
