"""Which kinds a diagnosis reads, as requests to look through beforehand and as the ClusterRole that permits them.

Chosen from what a cluster serves, so that custom kinds (stores, issuers, builds) are read without being known by name.
Left out is what changes all the time, what others compute from the rest, and Secrets.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import GroupKind, Object
from syncline.ports.kube import ApiResource, Discovery

SECRET = GroupKind("", "Secret")
EVENT = GroupKind("", "Event")
POD = GroupKind("", "Pod")
PAGE = 500
"""How many objects one answer holds at most."""
ROLE = "syncline-diagnose"
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
_FIRST = (
    GroupKind("argoproj.io", "Application"),
    GroupKind("argoproj.io", "AppProject"),
    GroupKind("argoproj.io", "ApplicationSet"),
    POD,
    EVENT,
)


def wanted(discovery: Discovery, *, secret_metadata: bool = False) -> list[ApiResource]:
    """Return the kinds to read, each once in the version that the server prefers, those with the symptoms first."""
    found: dict[GroupKind, ApiResource] = {}
    for resource in discovery.resources:
        kind = resource.gvk.group_kind
        if "list" in resource.verbs and (_is_wanted(kind) or (secret_metadata and kind == SECRET)):
            found.setdefault(kind, resource)
    first = [found.pop(kind) for kind in _FIRST if kind in found]
    return [*first, *(found[kind] for kind in sorted(found))]


def _is_wanted(kind: GroupKind) -> bool:
    return kind not in _LEFT_OUT and kind.group not in _LEFT_OUT_GROUPS


def requests(resources: Iterable[ApiResource]) -> list[str]:
    """Return the requests of one reading, as lines."""
    lines = ["GET /version", "GET /api", "GET /apis"]
    for resource in resources:
        kind = resource.gvk.group_kind
        query = f"?limit={PAGE}"
        if kind == EVENT:
            query += "&fieldSelector=type=Warning"
        words = "   names and keys only (PartialObjectMetadata)" if kind == SECRET else ""
        lines.append(f"GET {resource.path()}{query}{words}")
    lines.append("GET /api/v1/namespaces/NAMESPACE/pods/POD/log?tailLines=…   of containers that failed")
    return lines


def role(resources: Iterable[ApiResource]) -> Object:
    """Return the ClusterRole that permits one reading, and nothing else."""
    groups: dict[str, set[str]] = {}
    for resource in resources:
        groups.setdefault(resource.gvk.group, set()).add(resource.plural)
    rules: list[Object] = [
        {"apiGroups": [group], "resources": sorted(plurals), "verbs": ["list"]}
        for group, plurals in sorted(groups.items())
    ]
    rules.append({"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]})
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": ROLE},
        "rules": rules,
    }
