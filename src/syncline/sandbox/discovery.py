"""Says which groups, versions and kinds are served, in the old and the aggregated form.

Called by `syncline.sandbox.server`; made from the registry, and made anew when that changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.custom import version_rank
from syncline.sandbox.resources import Registry, Resource

AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_SUBRESOURCE_VERBS: Final = {
    "status": ("get", "patch", "update"),
    "scale": ("get", "patch", "update"),
    "approval": ("get", "patch", "update"),
    "ephemeralcontainers": ("get", "patch", "update"),
    "resize": ("get", "patch", "update"),
    "finalize": ("update",),
    "log": ("get",),
    "binding": ("create",),
    "eviction": ("create",),
    "token": ("create",),
}
_SUBRESOURCE_KINDS: Final = {
    "scale": ("autoscaling", "v1", "Scale"),
    "eviction": ("policy", "v1", "Eviction"),
    "binding": ("", "v1", "Binding"),
    "token": ("authentication.k8s.io", "v1", "TokenRequest"),
}
_LATE_GROUPS: Final = ("apiextensions.k8s.io", "apiregistration.k8s.io")


def wants_aggregated(accept: str) -> bool:
    """Tell whether the Accept header asks for aggregated discovery in the form we speak."""
    return any(
        "as=APIGroupDiscoveryList" in part and re.search(r"v=v2(;|$)", part.replace(" ", "")) is not None
        for part in accept.split(",")
    )


class Discovery:
    """The discovery documents of one sandbox."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._made_for = -1
        self._groups: dict[str, dict[str, list[Resource]]] = {}

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
            "apiVersion": "v1",
            "groupVersion": f"{group}/{version}" if group else version,
            "resources": [entry for resource in found for entry in _entries(resource)],
        }

    def aggregated(self, *, core: bool) -> Object:
        """Return the aggregated document of /api (core) or /apis."""
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
            for name, versions in self._ordered()
            if (name == "") is core
        ]
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": "apidiscovery.k8s.io/v2",
            "metadata": {},
            "items": items,
        }

    def _ordered(self) -> list[tuple[str, dict[str, list[Resource]]]]:
        if self._made_for != self._registry.generation:
            self._groups = _collect(self._registry.all())
            self._made_for = self._registry.generation
        return list(self._groups.items())


def _collect(resources: Iterable[Resource]) -> dict[str, dict[str, list[Resource]]]:
    groups: dict[str, dict[str, list[Resource]]] = {}
    custom: set[str] = set()
    for resource in resources:
        versions = groups.setdefault(resource.group, {})
        versions.setdefault(resource.gvk.version, []).append(resource)
        if resource.custom is not None:
            custom.add(resource.group)
    ordered = sorted(groups, key=lambda name: (name in custom, name in _LATE_GROUPS, name))
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
    group, version, kind = _SUBRESOURCE_KINDS.get(name, ("", "", resource.kind))
    named = {"group": group, "version": version} if version else {}
    return {**{key: value for key, value in named.items() if value}, "kind": kind}


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
    group, version, kind = _SUBRESOURCE_KINDS.get(name, ("", "", resource.kind))
    return {
        "subresource": name,
        "responseKind": {"group": group, "version": version, "kind": kind},
        "verbs": list(_SUBRESOURCE_VERBS[name]),
    }
