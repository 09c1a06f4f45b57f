"""Which kinds a diagnosis looks at: all but what changes all the time, what others compute from the rest, and Secrets.

Asked by `syncline.verbs.fleet.kinds`, which reads a cluster once, and by `syncline.controller.diagnosis`, which has
it in view already.
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind

SECRET = GroupKind("", "Secret")
_LEFT_OUT_GROUPS = frozenset(
    {
        "aquasecurity.github.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "coordination.k8s.io",
        "custom.metrics.k8s.io",
        "events.k8s.io",
        "external.metrics.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "metrics.k8s.io",
        "oauth.openshift.io",
        "packages.operators.coreos.com",
        "reports.kyverno.io",
        "syncline.io",
        "user.openshift.io",
        "wgpolicyk8s.io",
    }
)
_LEFT_OUT = frozenset(
    {
        SECRET,
        GroupKind("", "ComponentStatus"),
        GroupKind("", "Endpoints"),
        GroupKind("", "PodTemplate"),
        GroupKind("apps", "ControllerRevision"),
        GroupKind("certificates.k8s.io", "CertificateSigningRequest"),
        GroupKind("cilium.io", "CiliumEndpoint"),
        GroupKind("cilium.io", "CiliumIdentity"),
        GroupKind("image.openshift.io", "Image"),
        GroupKind("storage.k8s.io", "CSIStorageCapacity"),
    }
)


def is_looked_at(kind: GroupKind) -> bool:
    """Whether objects of a kind may tell a cause."""
    return kind not in _LEFT_OUT and kind.group not in _LEFT_OUT_GROUPS
