"""Finds the columns of a kind and fills the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from syncline.apimachinery.keys import Object
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.tables import cluster, custom, extensions, pods, policies, services, workloads
from syncline.sandbox.tables.columns import AGE, CREATED, NAME, TableColumn

_RBAC: Final = "rbac.authorization.k8s.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
_COLUMNS: Final[Mapping[tuple[str, str], Sequence[TableColumn]]] = {
    ("", "ConfigMap"): cluster.CONFIG_MAPS,
    ("", "Event"): cluster.EVENTS,
    ("", "Namespace"): cluster.NAMESPACES,
    ("", "Node"): cluster.NODES,
    ("", "PersistentVolume"): cluster.VOLUMES,
    ("", "PersistentVolumeClaim"): cluster.CLAIMS,
    ("", "Pod"): pods.PODS,
    ("", "ReplicationController"): workloads.REPLICA_SETS,
    ("", "Secret"): cluster.SECRETS,
    ("", "Service"): services.SERVICES,
    ("", "ServiceAccount"): (NAME, AGE),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): cluster.DEFINITIONS,
    ("", "ResourceQuota"): policies.QUOTAS,
    ("apps", "ControllerRevision"): policies.REVISIONS,
    ("autoscaling", "HorizontalPodAutoscaler"): policies.AUTOSCALERS,
    ("networking.k8s.io", "NetworkPolicy"): policies.NETWORK_POLICIES,
    ("policy", "PodDisruptionBudget"): policies.BUDGETS,
    ("apps", "DaemonSet"): workloads.DAEMON_SETS,
    ("apps", "Deployment"): workloads.DEPLOYMENTS,
    ("apps", "ReplicaSet"): workloads.REPLICA_SETS,
    ("apps", "StatefulSet"): workloads.STATEFUL_SETS,
    ("batch", "CronJob"): workloads.CRON_JOBS,
    ("batch", "Job"): workloads.JOBS,
    ("coordination.k8s.io", "Lease"): cluster.LEASES,
    ("apiregistration.k8s.io", "APIService"): cluster.API_SERVICES,
    ("discovery.k8s.io", "EndpointSlice"): services.ENDPOINT_SLICES,
    ("networking.k8s.io", "Ingress"): services.INGRESSES,
    (_RBAC, "ClusterRoleBinding"): cluster.BINDINGS,
    (_RBAC, "RoleBinding"): cluster.BINDINGS,
    ("storage.k8s.io", "StorageClass"): cluster.STORAGE_CLASSES,
    ("", "Endpoints"): extensions.ENDPOINTS,
    ("", "PodTemplate"): extensions.POD_TEMPLATES,
    (_ADMISSION, "MutatingAdmissionPolicy"): extensions.CHANGES,
    (_ADMISSION, "MutatingAdmissionPolicyBinding"): extensions.POLICY_BINDINGS,
    (_ADMISSION, "MutatingWebhookConfiguration"): extensions.WEBHOOKS,
    (_ADMISSION, "ValidatingAdmissionPolicy"): extensions.POLICIES,
    (_ADMISSION, "ValidatingAdmissionPolicyBinding"): extensions.POLICY_BINDINGS,
    (_ADMISSION, "ValidatingWebhookConfiguration"): extensions.WEBHOOKS,
    ("certificates.k8s.io", "CertificateSigningRequest"): extensions.SIGNING_REQUESTS,
    ("certificates.k8s.io", "ClusterTrustBundle"): extensions.TRUST_BUNDLES,
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): extensions.FLOWS,
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): extensions.LEVELS,
    ("networking.k8s.io", "IPAddress"): extensions.ADDRESSES,
    ("networking.k8s.io", "IngressClass"): extensions.INGRESS_CLASSES,
    ("networking.k8s.io", "ServiceCIDR"): extensions.NETWORKS,
    ("node.k8s.io", "RuntimeClass"): extensions.RUNTIME_CLASSES,
    ("resource.k8s.io", "DeviceClass"): (NAME, AGE),
    ("resource.k8s.io", "ResourceClaim"): extensions.DEVICE_CLAIMS,
    ("resource.k8s.io", "ResourceClaimTemplate"): (NAME, AGE),
    ("resource.k8s.io", "ResourceSlice"): extensions.DEVICE_SLICES,
    ("scheduling.k8s.io", "PriorityClass"): extensions.PRIORITY_CLASSES,
    ("storage.k8s.io", "CSIDriver"): extensions.DRIVERS,
    ("storage.k8s.io", "CSINode"): extensions.DRIVER_NODES,
    ("storage.k8s.io", "VolumeAttachment"): extensions.ATTACHMENTS,
    ("storage.k8s.io", "VolumeAttributesClass"): extensions.VOLUME_ATTRIBUTES,
}


PLAIN: Final = (NAME, CREATED)
"""The columns of kinds that have none of their own."""


class Printed(msgspec.Struct, frozen=True):
    """A table: what its columns are and what stands in them."""

    columns: list[dict[str, Any]]
    cells: list[list[Any]]


def has_own_columns(resource: Resource) -> bool:
    """Tell whether a kind is shown with columns of its own; definitions are printed by another part of the server."""
    known = (resource.group, resource.kind) in _COLUMNS and resource.kind != "CustomResourceDefinition"
    return resource.custom is not None or known


def columns_of(resource: Resource) -> Sequence[TableColumn]:
    """Return the columns of a kind."""
    if resource.custom is not None:
        return custom.columns(resource.custom.columns)
    return _COLUMNS.get((resource.group, resource.kind), PLAIN)


def render(resource: Resource, objects: Sequence[Object], *, now: datetime) -> Printed:
    """Print objects of one kind as a table."""
    columns = columns_of(resource)
    return Printed(
        [column.definition() for column in columns],
        [[column.cell(obj, now) for column in columns] for obj in objects],
    )
