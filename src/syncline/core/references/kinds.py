"""Where each built-in kind names other objects.

Read by `syncline.core.references.read`. Kinds of operators are described by data
(`syncline.core.references.knowledge`); kinds that nobody described are read by the names of their fields
(`syncline.core.references.conventions`).
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind
from syncline.core.references.pods import CLAIM, CSI_DRIVER, NODE, POD, SECRET, SERVICE_ACCOUNT, STORAGE_CLASS
from syncline.core.references.rules import ReferenceRule, below

_SERVICE = GroupKind("", "Service")
_VOLUME = GroupKind("", "PersistentVolume")
_DEPLOYMENT = GroupKind("apps", "Deployment")
_GATEWAY = "gateway.networking.k8s.io"
_RBAC = "rbac.authorization.k8s.io"
_ADMISSION = "admissionregistration.k8s.io"
_CERTS = "cert-manager.io"
_STORES = "external-secrets.io"
_KEDA = "keda.sh"
_ARGO = "argoproj.io"
_SNAPSHOTS = "snapshot.storage.k8s.io"

CLUSTER_SCOPED = frozenset(
    {
        NODE,
        _VOLUME,
        STORAGE_CLASS,
        CSI_DRIVER,
        GroupKind("", "Namespace"),
        GroupKind("storage.k8s.io", "VolumeAttributesClass"),
        GroupKind("scheduling.k8s.io", "PriorityClass"),
        GroupKind("node.k8s.io", "RuntimeClass"),
        GroupKind("networking.k8s.io", "IngressClass"),
        GroupKind("resource.k8s.io", "DeviceClass"),
        GroupKind(_RBAC, "ClusterRole"),
        GroupKind(_ADMISSION, "ValidatingAdmissionPolicy"),
        GroupKind(_ADMISSION, "MutatingAdmissionPolicy"),
        GroupKind(_GATEWAY, "GatewayClass"),
        GroupKind(_SNAPSHOTS, "VolumeSnapshotClass"),
        GroupKind(_SNAPSHOTS, "VolumeSnapshotContent"),
        GroupKind(_CERTS, "ClusterIssuer"),
        GroupKind(_STORES, "ClusterSecretStore"),
        GroupKind(_KEDA, "ClusterTriggerAuthentication"),
        GroupKind(_ARGO, "ClusterAnalysisTemplate"),
    }
)
"""Kinds without a namespace among those that rules lead to."""

_TEMPLATE = below("spec.template.spec", POD)
_BACKEND = (
    ReferenceRule(path="service", kind=_SERVICE),
    ReferenceRule(path="resource", kind=_SERVICE, typed=True),
)
_WEBHOOKS = (ReferenceRule(path="webhooks[].clientConfig.service", kind=_SERVICE),)
_SUBJECTS = ReferenceRule(path="subjects[]", kind=SERVICE_ACCOUNT, typed=True, only=("ServiceAccount",))

RULES: dict[GroupKind, tuple[ReferenceRule, ...]] = {
    GroupKind("", "Pod"): below("spec", POD),
    GroupKind("", "PodTemplate"): below("template.spec", POD),
    GroupKind("", "ReplicationController"): _TEMPLATE,
    _DEPLOYMENT: _TEMPLATE,
    GroupKind("apps", "ReplicaSet"): _TEMPLATE,
    GroupKind("apps", "DaemonSet"): _TEMPLATE,
    GroupKind("apps", "StatefulSet"): (
        *_TEMPLATE,
        ReferenceRule(path="spec.serviceName", kind=_SERVICE),
        ReferenceRule(path="spec.volumeClaimTemplates[].spec.storageClassName", kind=STORAGE_CLASS),
    ),
    GroupKind("batch", "Job"): _TEMPLATE,
    GroupKind("batch", "CronJob"): below("spec.jobTemplate.spec.template.spec", POD),
    SERVICE_ACCOUNT: (
        ReferenceRule(path="secrets[]", kind=SECRET),
        ReferenceRule(path="imagePullSecrets[]", kind=SECRET),
    ),
    CLAIM: (
        ReferenceRule(path="spec.storageClassName", kind=STORAGE_CLASS),
        ReferenceRule(path="spec.volumeName", kind=_VOLUME),
        ReferenceRule(path="spec.volumeAttributesClassName", kind=GroupKind("storage.k8s.io", "VolumeAttributesClass")),
        ReferenceRule(path="spec.dataSource", kind=CLAIM, typed=True),
        ReferenceRule(path="spec.dataSourceRef", kind=CLAIM, typed=True),
    ),
    _VOLUME: (
        ReferenceRule(path="spec.claimRef", kind=CLAIM),
        ReferenceRule(path="spec.storageClassName", kind=STORAGE_CLASS),
        ReferenceRule(path="spec.csi.driver", kind=CSI_DRIVER),
    ),
    STORAGE_CLASS: (ReferenceRule(path="provisioner", kind=CSI_DRIVER),),
    GroupKind("storage.k8s.io", "VolumeAttachment"): (
        ReferenceRule(path="spec.nodeName", kind=NODE),
        ReferenceRule(path="spec.source.persistentVolumeName", kind=_VOLUME),
        ReferenceRule(path="spec.attacher", kind=CSI_DRIVER),
    ),
    GroupKind("discovery.k8s.io", "EndpointSlice"): (
        ReferenceRule(path='metadata.labels["kubernetes.io/service-name"]', kind=_SERVICE),
        ReferenceRule(path="endpoints[].targetRef", kind=GroupKind("", "Pod"), typed=True),
    ),
    GroupKind("networking.k8s.io", "Ingress"): (
        ReferenceRule(path="spec.ingressClassName", kind=GroupKind("networking.k8s.io", "IngressClass")),
        ReferenceRule(path="spec.tls[].secretName", kind=SECRET),
        *below("spec.defaultBackend", _BACKEND),
        *below("spec.rules[].http.paths[].backend", _BACKEND),
        ReferenceRule(path='metadata.annotations["cert-manager.io/issuer"]', kind=GroupKind(_CERTS, "Issuer")),
        ReferenceRule(
            path='metadata.annotations["cert-manager.io/cluster-issuer"]', kind=GroupKind(_CERTS, "ClusterIssuer")
        ),
    ),
    GroupKind("autoscaling", "HorizontalPodAutoscaler"): (
        ReferenceRule(path="spec.scaleTargetRef", kind=_DEPLOYMENT, typed=True),
        ReferenceRule(path="spec.metrics[].object.describedObject", kind=_SERVICE, typed=True),
    ),
    GroupKind(_RBAC, "RoleBinding"): (
        ReferenceRule(path="roleRef", kind=GroupKind(_RBAC, "Role"), typed=True),
        _SUBJECTS,
    ),
    GroupKind(_RBAC, "ClusterRoleBinding"): (
        ReferenceRule(path="roleRef", kind=GroupKind(_RBAC, "ClusterRole"), typed=True),
        _SUBJECTS,
    ),
    GroupKind(_ADMISSION, "ValidatingWebhookConfiguration"): _WEBHOOKS,
    GroupKind(_ADMISSION, "MutatingWebhookConfiguration"): _WEBHOOKS,
    GroupKind(_ADMISSION, "ValidatingAdmissionPolicyBinding"): (
        ReferenceRule(path="spec.policyName", kind=GroupKind(_ADMISSION, "ValidatingAdmissionPolicy")),
    ),
    GroupKind(_ADMISSION, "MutatingAdmissionPolicyBinding"): (
        ReferenceRule(path="spec.policyName", kind=GroupKind(_ADMISSION, "MutatingAdmissionPolicy")),
    ),
    GroupKind("apiregistration.k8s.io", "APIService"): (ReferenceRule(path="spec.service", kind=_SERVICE),),
    GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"): (
        ReferenceRule(path="spec.conversion.webhook.clientConfig.service", kind=_SERVICE),
    ),
}
