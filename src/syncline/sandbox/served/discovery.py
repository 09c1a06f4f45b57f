"""Says which groups, versions and kinds are served, in the old and the aggregated form.

Called by `syncline.sandbox.server`; made from the registry, and made again when that changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.served.custom import version_rank
from syncline.sandbox.served.resources import Resource, ServedKinds

AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_SUBRESOURCE_VERBS: Final = {
    "status": ("get", "patch", "update"),
    "scale": ("get", "patch", "update"),
    "approval": ("get", "patch", "update"),
    "ephemeralcontainers": ("get", "patch", "update"),
    "resize": ("get", "patch", "update"),
    "finalize": ("update",),
    "log": ("get",),
    "attach": ("create", "get"),
    "exec": ("create", "get"),
    "portforward": ("create", "get"),
    "proxy": ("create", "delete", "get", "patch", "update"),
    "binding": ("create",),
    "eviction": ("create",),
    "token": ("create",),
}
_SUBRESOURCE_KINDS: Final = {
    "scale": ("autoscaling", "v1", "Scale"),
    "eviction": ("policy", "v1", "Eviction"),
    "attach": ("", "", "PodAttachOptions"),
    "binding": ("", "", "Binding"),
    "exec": ("", "", "PodExecOptions"),
    "portforward": ("", "", "PodPortForwardOptions"),
    "token": ("authentication.k8s.io", "v1", "TokenRequest"),
}
_ORDER: Final = {
    name: place
    for place, name in enumerate(
        (
            "apiregistration.k8s.io",
            "apps",
            "events.k8s.io",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            "networking.k8s.io",
            "policy",
            "rbac.authorization.k8s.io",
            "storage.k8s.io",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "scheduling.k8s.io",
            "coordination.k8s.io",
            "node.k8s.io",
            "discovery.k8s.io",
            "resource.k8s.io",
            "flowcontrol.apiserver.k8s.io",
            "storagemigration.k8s.io",
        )
    )
}
"""Where a real server puts its own groups; clients that know a kind's name alone take the first group that has it."""


def wants_aggregated(accept: str) -> bool:
    """Tell whether the Accept header asks for aggregated discovery in the form we speak."""
    return any(
        "as=APIGroupDiscoveryList" in part and re.search(r"v=v2(;|$)", part.replace(" ", "")) is not None
        for part in accept.split(",")
    )


class DiscoveryDocuments:
    """The discovery documents of one sandbox."""

    def __init__(self, registry: ServedKinds) -> None:
        self._registry = registry
        self._made_for = -1
        self._groups: dict[str, dict[str, list[Resource]]] = {}
        self._aggregated: dict[bool, Object] = {}

    def versions(self) -> Object:
        """Return the document of /api."""
        return {
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}],
        }

    def groups(self) -> Object:
        """Return the document of /apis."""
        listed = [_group(name, versions) for name, versions in self._ordered() if name]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}

    def group(self, name: str) -> Object | None:
        """Return the document of /apis/GROUP, or None."""
        for found, versions in self._ordered():
            if found == name and name:
                return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}
        return None

    def resources(self, group: str, version: str) -> Object | None:
        """Return the document of one group version, or None."""
        found = dict(self._ordered()).get(group, {}).get(version)
        if found is None:
            return None
        return {
            "kind": "APIResourceList",
            **({"apiVersion": "v1"} if group else {}),  # the real server leaves it out for the oldest group
            "groupVersion": f"{group}/{version}" if group else version,
            "resources": [entry for resource in found for entry in _entries(resource)],
        }

    def aggregated(self, *, core: bool) -> Object:
        """Return the aggregated document of /api (core) or /apis; it is the same until kinds change."""
        ordered = self._ordered()
        if core not in self._aggregated:
            self._aggregated[core] = _aggregated_document([one for one in ordered if (one[0] == "") is core])
        return self._aggregated[core]

    def _ordered(self) -> list[tuple[str, dict[str, list[Resource]]]]:
        if self._made_for != self._registry.generation:
            self._groups = _collect(self._registry.all())
            self._made_for = self._registry.generation
            self._aggregated = {}
        return list(self._groups.items())


def _aggregated_document(groups: Iterable[tuple[str, dict[str, list[Resource]]]]) -> Object:
    items = [
        {
            "metadata": {"name": name} if name else {},
            "versions": [
                {
                    "version": version,
                    "resources": [_aggregated_entry(resource) for resource in found],
                    "freshness": "Current",
                }
                for version, found in versions.items()
            ],
        }
        for name, versions in groups
    ]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def _collect(resources: Iterable[Resource]) -> dict[str, dict[str, list[Resource]]]:
    groups: dict[str, dict[str, list[Resource]]] = {}
    for resource in resources:
        groups.setdefault(resource.group, {}).setdefault(resource.gvk.version, []).append(resource)
    ordered = sorted(groups, key=lambda name: (_ORDER.get(name, len(_ORDER)), name))
    return {
        name: {
            version: sorted(groups[name][version], key=lambda resource: resource.plural)
            for version in sorted(groups[name], key=version_rank, reverse=True)
        }
        for name in ordered
    }


def _group(name: str, versions: Iterable[str]) -> Object:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _entries(resource: Resource) -> list[dict[str, Any]]:
    entry: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    parts = [
        {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            **_subresource_kind(resource, name),
            "verbs": list(_SUBRESOURCE_VERBS[name]),
        }
        for name in resource.subresources
        if name in _SUBRESOURCE_VERBS
    ]
    return [entry, *parts]


def _subresource_kind(resource: Resource, name: str) -> dict[str, str]:
    group, version, kind = _part_kind(resource, name)
    named = {"group": group, "version": version} if version else {}
    return {**{key: value for key, value in named.items() if value}, "kind": kind}


def _part_kind(resource: Resource, name: str) -> tuple[str, str, str]:
    if name == "proxy":
        return ("", "", f"{resource.kind}ProxyOptions")
    return _SUBRESOURCE_KINDS.get(name, ("", "", resource.kind))


def _aggregated_entry(resource: Resource) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": {"group": "", "version": "", "kind": resource.kind},
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    parts = [_aggregated_part(resource, name) for name in resource.subresources if name in _SUBRESOURCE_VERBS]
    if parts:
        entry["subresources"] = parts
    return entry


def _aggregated_part(resource: Resource, name: str) -> dict[str, Any]:
    group, version, kind = _part_kind(resource, name)
    return {
        "subresource": name,
        "responseKind": {"group": group, "version": version, "kind": kind},
        "verbs": list(_SUBRESOURCE_VERBS[name]),
    }
