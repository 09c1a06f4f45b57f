"""The object a built-in kind starts from when it is created: Go structs are there before anybody fills them.

`syncline.apimachinery.merge.updating` compares a new object with it, so that nobody owns `spec` of a Deployment as
such, as the API server has it. Custom kinds start from nothing. A list Go always writes is null at first, and so there.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery.keys import Object, split_api_version

_POD: Final = "spec.template.metadata spec.template.spec.containers?"
_JOB: Final = (
    "spec.jobTemplate.metadata spec.jobTemplate.spec.template.metadata spec.jobTemplate.spec.template.spec.containers?"
)

_STRUCTS: Final[Mapping[str, str]] = {
    "ConfigMap": "",
    "Endpoints": "",
    "Event": "involvedObject source",
    "LimitRange": "spec",
    "Namespace": "spec status",
    "Node": "spec status.daemonEndpoints.kubeletEndpoint status.nodeInfo",
    "PersistentVolume": "spec status",
    "PersistentVolumeClaim": "spec.resources status",
    "Pod": "spec.containers? status",
    "PodTemplate": "template.metadata template.spec.containers?",
    "ReplicationController": "spec status",
    "ResourceQuota": "spec status",
    "Secret": "",
    "Service": "spec status.loadBalancer",
    "ServiceAccount": "",
    "admissionregistration.k8s.io/MutatingAdmissionPolicy": "spec",
    "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": "spec",
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": "",
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": "spec status",
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": "spec",
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": "",
    "apiextensions.k8s.io/CustomResourceDefinition": "spec.names status.acceptedNames",
    "apiregistration.k8s.io/APIService": "spec status",
    "apps/ControllerRevision": "",
    "apps/DaemonSet": f"{_POD} spec.updateStrategy status",
    "apps/Deployment": f"{_POD} spec.strategy status",
    "apps/ReplicaSet": f"{_POD} status",
    "apps/StatefulSet": f"{_POD} spec.serviceName= spec.updateStrategy status",
    "autoscaling/HorizontalPodAutoscaler": "spec.scaleTargetRef status",
    "batch/CronJob": f"{_JOB} status",
    "batch/Job": f"{_POD} status",
    "certificates.k8s.io/CertificateSigningRequest": "spec status",
    "coordination.k8s.io/Lease": "spec",
    "discovery.k8s.io/EndpointSlice": "",
    "events.k8s.io/Event": "deprecatedSource regarding",
    "flowcontrol.apiserver.k8s.io/FlowSchema": "spec.priorityLevelConfiguration status",
    "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": "spec status",
    "networking.k8s.io/IPAddress": "spec",
    "networking.k8s.io/Ingress": "spec status.loadBalancer",
    "networking.k8s.io/IngressClass": "spec",
    "networking.k8s.io/NetworkPolicy": "spec.podSelector",
    "networking.k8s.io/ServiceCIDR": "spec status",
    "node.k8s.io/RuntimeClass": "",
    "policy/PodDisruptionBudget": "spec status",
    "rbac.authorization.k8s.io/ClusterRole": "",
    "rbac.authorization.k8s.io/ClusterRoleBinding": "roleRef",
    "rbac.authorization.k8s.io/Role": "",
    "rbac.authorization.k8s.io/RoleBinding": "roleRef",
    "resource.k8s.io/DeviceClass": "spec",
    "resource.k8s.io/ResourceClaim": "spec.devices status",
    "resource.k8s.io/ResourceClaimTemplate": "spec.metadata spec.spec.devices",
    "resource.k8s.io/ResourceSlice": "spec.pool",
    "scheduling.k8s.io/PriorityClass": "value#",
    "storage.k8s.io/CSIDriver": "spec",
    "storage.k8s.io/CSINode": "spec.drivers? status",
    "storage.k8s.io/CSIStorageCapacity": "",
    "storage.k8s.io/StorageClass": "",
    "storage.k8s.io/VolumeAttachment": "spec.source status",
    "storage.k8s.io/VolumeAttributesClass": "",
}
"""By group and kind, the struct fields that are always there, and so those on the way to one.

`?` marks a list, `=` a text and `#` a number that may stay empty.
"""
_EMPTY: Final[Mapping[str, Any]] = {"?": None, "=": "", "#": 0}


def skeleton(obj: Object) -> Object:
    """Return what an object of this kind is before its creation."""
    api_version, kind = str(obj.get("apiVersion") or ""), str(obj.get("kind") or "")
    group, _ = split_api_version(api_version)
    structs = _STRUCTS.get(f"{group}/{kind}" if group else kind)
    start: Object = {"apiVersion": api_version, "kind": kind}
    return start if structs is None else start | _nested(structs)


@functools.lru_cache(maxsize=256)
def _nested(structs: str) -> dict[str, Any]:
    out: dict[str, Any] = {"metadata": {}}
    for struct in structs.split():
        place = out
        for name in struct.split("."):
            if name[-1] in _EMPTY:
                place[name[:-1]] = _EMPTY[name[-1]]
            else:
                place = place.setdefault(name, {})
    return out
