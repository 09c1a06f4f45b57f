"""Which kinds a diagnosis reads, as requests to look through beforehand and as the ClusterRole that permits them.

Chosen from what a cluster serves, so that custom kinds (stores, issuers, builds) are read without being known by name.
What no diagnosis looks at is left out (`syncline.core.diagnose.graph.view.looked_at`).
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.diagnose.graph.view.looked_at import SECRET, is_looked_at
from syncline.ports.kube import ApiResource, Discovery

EVENT = GroupKind("", "Event")
POD = GroupKind("", "Pod")
PAGE = 500
"""How many objects one answer holds at most."""
ROLE = "syncline-diagnose"
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
        if "list" in resource.verbs and (is_looked_at(kind) or (secret_metadata and kind == SECRET)):
            found.setdefault(kind, resource)
    first = [found.pop(kind) for kind in _FIRST if kind in found]
    return [*first, *(found[kind] for kind in sorted(found))]


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
