"""What a pod names: its account, what it mounts, what its environment is read from, where it runs.

Rules for a pod's spec, put by `syncline.core.references.kinds` where kinds have one: in a Pod, or in a template.
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind
from syncline.core.references.rules import Rule, below

SECRET = GroupKind("", "Secret")
CONFIG_MAP = GroupKind("", "ConfigMap")
SERVICE_ACCOUNT = GroupKind("", "ServiceAccount")
CLAIM = GroupKind("", "PersistentVolumeClaim")
NODE = GroupKind("", "Node")
STORAGE_CLASS = GroupKind("storage.k8s.io", "StorageClass")
CSI_DRIVER = GroupKind("storage.k8s.io", "CSIDriver")

_CONTAINER = (
    Rule(path="env[].valueFrom.secretKeyRef", kind=SECRET),
    Rule(path="env[].valueFrom.configMapKeyRef", kind=CONFIG_MAP),
    Rule(path="envFrom[].secretRef", kind=SECRET),
    Rule(path="envFrom[].configMapRef", kind=CONFIG_MAP),
)
_VOLUME = (
    Rule(path="secret", kind=SECRET, name="secretName"),
    Rule(path="configMap", kind=CONFIG_MAP),
    Rule(path="persistentVolumeClaim", kind=CLAIM, name="claimName"),
    Rule(path="projected.sources[].secret", kind=SECRET),
    Rule(path="projected.sources[].configMap", kind=CONFIG_MAP),
    Rule(path="ephemeral.volumeClaimTemplate.spec.storageClassName", kind=STORAGE_CLASS),
    Rule(path="csi.driver", kind=CSI_DRIVER),
    Rule(path="csi.nodePublishSecretRef", kind=SECRET),
    Rule(
        path="csi.volumeAttributes.secretProviderClass",
        kind=GroupKind("secrets-store.csi.x-k8s.io", "SecretProviderClass"),
    ),
    Rule(path="azureFile.secretName", kind=SECRET),
    *(Rule(path=f"{source}.secretRef", kind=SECRET) for source in ("cephfs", "flexVolume", "iscsi", "rbd", "scaleIO")),
)
POD = (
    Rule(path="serviceAccountName", kind=SERVICE_ACCOUNT),
    Rule(path="imagePullSecrets[]", kind=SECRET),
    Rule(path="priorityClassName", kind=GroupKind("scheduling.k8s.io", "PriorityClass")),
    Rule(path="runtimeClassName", kind=GroupKind("node.k8s.io", "RuntimeClass")),
    Rule(path="nodeName", kind=NODE),
    Rule(path="resourceClaims[].resourceClaimName", kind=GroupKind("resource.k8s.io", "ResourceClaim")),
    Rule(path="resourceClaims[].resourceClaimTemplateName", kind=GroupKind("resource.k8s.io", "ResourceClaimTemplate")),
    *below("volumes[]", _VOLUME),
    *below("initContainers[]", _CONTAINER),
    *below("containers[]", _CONTAINER),
    *below("ephemeralContainers[]", _CONTAINER),
)
