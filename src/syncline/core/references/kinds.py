"""Where each kind names other objects.

Built-in kinds first, then kinds of widely used operators: those that supply Secrets, certificates, routes, scaling and
rollouts, since most chains of causes lead through them. Read by `syncline.core.references.read`; kinds that are not
here are read by the names of their fields (`syncline.core.references.conventions`).
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind
from syncline.core.references.pods import CLAIM, CSI_DRIVER, NODE, POD, SECRET, SERVICE_ACCOUNT, STORAGE_CLASS
from syncline.core.references.rules import Rule, below

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
    Rule(path="service", kind=_SERVICE),
    Rule(path="resource", kind=_SERVICE, typed=True),
)
_ISSUER = Rule(path="spec.issuerRef", kind=GroupKind(_CERTS, "Issuer"), typed=True)
_STORE = GroupKind(_STORES, "SecretStore")
_WEBHOOKS = (Rule(path="webhooks[].clientConfig.service", kind=_SERVICE),)
_SUBJECTS = Rule(path="subjects[]", kind=SERVICE_ACCOUNT, typed=True, only=("ServiceAccount",))
_TRIGGERS = Rule(
    path="spec.triggers[].authenticationRef", kind=GroupKind(_KEDA, "TriggerAuthentication"), typed=True
)  # fmt: skip
_ROUTE = (
    Rule(path="spec.parentRefs[]", kind=GroupKind(_GATEWAY, "Gateway"), typed=True),
    Rule(path="spec.rules[].backendRefs[]", kind=_SERVICE, typed=True),
    Rule(path="spec.rules[].filters[].requestMirror.backendRef", kind=_SERVICE, typed=True),
)

_CORE: dict[GroupKind, tuple[Rule, ...]] = {
    GroupKind("", "Pod"): below("spec", POD),
    GroupKind("", "PodTemplate"): below("template.spec", POD),
    GroupKind("", "ReplicationController"): _TEMPLATE,
    _DEPLOYMENT: _TEMPLATE,
    GroupKind("apps", "ReplicaSet"): _TEMPLATE,
    GroupKind("apps", "DaemonSet"): _TEMPLATE,
    GroupKind("apps", "StatefulSet"): (
        *_TEMPLATE,
        Rule(path="spec.serviceName", kind=_SERVICE),
        Rule(path="spec.volumeClaimTemplates[].spec.storageClassName", kind=STORAGE_CLASS),
    ),
    GroupKind("batch", "Job"): _TEMPLATE,
    GroupKind("batch", "CronJob"): below("spec.jobTemplate.spec.template.spec", POD),
    SERVICE_ACCOUNT: (Rule(path="secrets[]", kind=SECRET), Rule(path="imagePullSecrets[]", kind=SECRET)),
    CLAIM: (
        Rule(path="spec.storageClassName", kind=STORAGE_CLASS),
        Rule(path="spec.volumeName", kind=_VOLUME),
        Rule(path="spec.volumeAttributesClassName", kind=GroupKind("storage.k8s.io", "VolumeAttributesClass")),
        Rule(path="spec.dataSource", kind=CLAIM, typed=True),
        Rule(path="spec.dataSourceRef", kind=CLAIM, typed=True),
    ),
    _VOLUME: (
        Rule(path="spec.claimRef", kind=CLAIM),
        Rule(path="spec.storageClassName", kind=STORAGE_CLASS),
        Rule(path="spec.csi.driver", kind=CSI_DRIVER),
    ),
    STORAGE_CLASS: (Rule(path="provisioner", kind=CSI_DRIVER),),
    GroupKind("storage.k8s.io", "VolumeAttachment"): (
        Rule(path="spec.nodeName", kind=NODE),
        Rule(path="spec.source.persistentVolumeName", kind=_VOLUME),
        Rule(path="spec.attacher", kind=CSI_DRIVER),
    ),
    GroupKind("discovery.k8s.io", "EndpointSlice"): (
        Rule(path='metadata.labels["kubernetes.io/service-name"]', kind=_SERVICE),
        Rule(path="endpoints[].targetRef", kind=GroupKind("", "Pod"), typed=True),
    ),
    GroupKind("networking.k8s.io", "Ingress"): (
        Rule(path="spec.ingressClassName", kind=GroupKind("networking.k8s.io", "IngressClass")),
        Rule(path="spec.tls[].secretName", kind=SECRET),
        *below("spec.defaultBackend", _BACKEND),
        *below("spec.rules[].http.paths[].backend", _BACKEND),
        Rule(path='metadata.annotations["cert-manager.io/issuer"]', kind=GroupKind(_CERTS, "Issuer")),
        Rule(path='metadata.annotations["cert-manager.io/cluster-issuer"]', kind=GroupKind(_CERTS, "ClusterIssuer")),
    ),
    GroupKind("autoscaling", "HorizontalPodAutoscaler"): (
        Rule(path="spec.scaleTargetRef", kind=_DEPLOYMENT, typed=True),
        Rule(path="spec.metrics[].object.describedObject", kind=_SERVICE, typed=True),
    ),
    GroupKind(_RBAC, "RoleBinding"): (Rule(path="roleRef", kind=GroupKind(_RBAC, "Role"), typed=True), _SUBJECTS),
    GroupKind(_RBAC, "ClusterRoleBinding"): (
        Rule(path="roleRef", kind=GroupKind(_RBAC, "ClusterRole"), typed=True),
        _SUBJECTS,
    ),
    GroupKind(_ADMISSION, "ValidatingWebhookConfiguration"): _WEBHOOKS,
    GroupKind(_ADMISSION, "MutatingWebhookConfiguration"): _WEBHOOKS,
    GroupKind(_ADMISSION, "ValidatingAdmissionPolicyBinding"): (
        Rule(path="spec.policyName", kind=GroupKind(_ADMISSION, "ValidatingAdmissionPolicy")),
    ),
    GroupKind(_ADMISSION, "MutatingAdmissionPolicyBinding"): (
        Rule(path="spec.policyName", kind=GroupKind(_ADMISSION, "MutatingAdmissionPolicy")),
    ),
    GroupKind("apiregistration.k8s.io", "APIService"): (Rule(path="spec.service", kind=_SERVICE),),
    GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"): (
        Rule(path="spec.conversion.webhook.clientConfig.service", kind=_SERVICE),
    ),
}

_OPERATORS: dict[GroupKind, tuple[Rule, ...]] = {
    GroupKind(_GATEWAY, "Gateway"): (
        Rule(path="spec.gatewayClassName", kind=GroupKind(_GATEWAY, "GatewayClass")),
        Rule(path="spec.listeners[].tls.certificateRefs[]", kind=SECRET, typed=True),
    ),
    **{GroupKind(_GATEWAY, f"{name}Route"): _ROUTE for name in ("HTTP", "GRPC", "TLS", "TCP", "UDP")},
    GroupKind(_CERTS, "Certificate"): (
        _ISSUER,
        Rule(path="spec.secretName", kind=SECRET, makes=True),
        Rule(path="spec.keystores.jks.passwordSecretRef", kind=SECRET),
        Rule(path="spec.keystores.pkcs12.passwordSecretRef", kind=SECRET),
    ),
    GroupKind(_CERTS, "CertificateRequest"): (_ISSUER,),
    GroupKind("acme.cert-manager.io", "Order"): (_ISSUER,),
    GroupKind("acme.cert-manager.io", "Challenge"): (_ISSUER,),
    GroupKind(_CERTS, "Issuer"): (
        Rule(path="spec.acme.privateKeySecretRef", kind=SECRET, makes=True),
        Rule(path="spec.ca.secretName", kind=SECRET),
        Rule(path="spec.vault.auth.tokenSecretRef", kind=SECRET),
        Rule(path="spec.vault.auth.appRole.secretRef", kind=SECRET),
        Rule(path="spec.vault.auth.kubernetes.secretRef", kind=SECRET),
        Rule(path="spec.vault.auth.kubernetes.serviceAccountRef", kind=SERVICE_ACCOUNT),
    ),
    GroupKind(_STORES, "ExternalSecret"): (
        Rule(path="spec.secretStoreRef", kind=_STORE, typed=True),
        Rule(path="spec.data[].sourceRef.storeRef", kind=_STORE, typed=True),
        Rule(path="spec.dataFrom[].sourceRef.storeRef", kind=_STORE, typed=True),
        Rule(path="spec.target.name", kind=SECRET, makes=True, own_name=True),
    ),
    GroupKind(_STORES, "ClusterExternalSecret"): (
        Rule(path="spec.externalSecretSpec.secretStoreRef", kind=_STORE, typed=True),
    ),
    GroupKind(_STORES, "PushSecret"): (
        Rule(path="spec.secretStoreRefs[]", kind=_STORE, typed=True),
        Rule(path="spec.selector.secret", kind=SECRET),
    ),
    GroupKind("bitnami.com", "SealedSecret"): (
        Rule(path="spec.template.metadata.name", kind=SECRET, makes=True, own_name=True),
    ),
    GroupKind("autoscaling.k8s.io", "VerticalPodAutoscaler"): (
        Rule(path="spec.targetRef", kind=_DEPLOYMENT, typed=True),
    ),
    GroupKind(_KEDA, "ScaledObject"): (
        Rule(path="spec.scaleTargetRef", kind=_DEPLOYMENT, typed=True),
        _TRIGGERS,
    ),
    GroupKind(_KEDA, "ScaledJob"): (*below("spec.jobTargetRef.template.spec", POD), _TRIGGERS),
    GroupKind(_KEDA, "TriggerAuthentication"): (Rule(path="spec.secretTargetRef[]", kind=SECRET),),
    GroupKind(_SNAPSHOTS, "VolumeSnapshot"): (
        Rule(path="spec.source.persistentVolumeClaimName", kind=CLAIM),
        Rule(path="spec.volumeSnapshotClassName", kind=GroupKind(_SNAPSHOTS, "VolumeSnapshotClass")),
    ),
    GroupKind(_ARGO, "Rollout"): (
        *_TEMPLATE,
        Rule(path="spec.workloadRef", kind=_DEPLOYMENT, typed=True),
        *(
            Rule(path=f"spec.strategy.{field}", kind=_SERVICE)
            for field in ("canary.stableService", "canary.canaryService", "blueGreen.activeService")
        ),
    ),
    GroupKind(_ARGO, "Application"): (Rule(path="spec.project", kind=GroupKind(_ARGO, "AppProject")),),
    GroupKind("serving.knative.dev", "Service"): _TEMPLATE,
}

RULES = _CORE | _OPERATORS
