"""What a pod names: its account, what it mounts, what its environment is read from, where it runs.

Rules for a pod's spec, put by `syncline.core.references.kinds` and `syncline.core.references.knowledge` where kinds
have one: in a Pod, or in a template.
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind
from syncline.core.references.rules import ReferenceRule, below

SECRET = GroupKind("", "Secret")
CONFIG_MAP = GroupKind("", "ConfigMap")
SERVICE_ACCOUNT = GroupKind("", "ServiceAccount")
CLAIM = GroupKind("", "PersistentVolumeClaim")
NODE = GroupKind("", "Node")
STORAGE_CLASS = GroupKind("storage.k8s.io", "StorageClass")
CSI_DRIVER = GroupKind("storage.k8s.io", "CSIDriver")

_CONTAINER = (
    ReferenceRule(path="env[].valueFrom.secretKeyRef", kind=SECRET),
    ReferenceRule(path="env[].valueFrom.configMapKeyRef", kind=CONFIG_MAP),
    ReferenceRule(path="envFrom[].secretRef", kind=SECRET),
    ReferenceRule(path="envFrom[].configMapRef", kind=CONFIG_MAP),
)
_VOLUME = (
    ReferenceRule(path="secret", kind=SECRET, name="secretName"),
    ReferenceRule(path="configMap", kind=CONFIG_MAP),
    ReferenceRule(path="persistentVolumeClaim", kind=CLAIM, name="claimName"),
    ReferenceRule(path="projected.sources[].secret", kind=SECRET),
    ReferenceRule(path="projected.sources[].configMap", kind=CONFIG_MAP),
    ReferenceRule(path="ephemeral.volumeClaimTemplate.spec.storageClassName", kind=STORAGE_CLASS),
    ReferenceRule(path="csi.driver", kind=CSI_DRIVER),
    ReferenceRule(path="csi.nodePublishSecretRef", kind=SECRET),
    ReferenceRule(
        path="csi.volumeAttributes.secretProviderClass",
        kind=GroupKind("secrets-store.csi.x-k8s.io", "SecretProviderClass"),
    ),
    ReferenceRule(path="azureFile.secretName", kind=SECRET),
    *(
        ReferenceRule(path=f"{source}.secretRef", kind=SECRET)
        for source in ("cephfs", "flexVolume", "iscsi", "rbd", "scaleIO")
    ),
)
POD = (
    ReferenceRule(path="serviceAccountName", kind=SERVICE_ACCOUNT),
    ReferenceRule(path="imagePullSecrets[]", kind=SECRET),
    ReferenceRule(path="priorityClassName", kind=GroupKind("scheduling.k8s.io", "PriorityClass")),
    ReferenceRule(path="runtimeClassName", kind=GroupKind("node.k8s.io", "RuntimeClass")),
    ReferenceRule(path="nodeName", kind=NODE),
    ReferenceRule(path="resourceClaims[].resourceClaimName", kind=GroupKind("resource.k8s.io", "ResourceClaim")),
    ReferenceRule(
        path="resourceClaims[].resourceClaimTemplateName", kind=GroupKind("resource.k8s.io", "ResourceClaimTemplate")
    ),
    *below("volumes[]", _VOLUME),
    *below("initContainers[]", _CONTAINER),
    *below("containers[]", _CONTAINER),
    *below("ephemeralContainers[]", _CONTAINER),
)
