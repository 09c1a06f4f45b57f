"""Asks an API server which kinds it serves.

Called by `syncline.adapters.kube.client` with a way to read JSON. One request per root where the server knows
aggregated discovery (Kubernetes 1.30 and newer), one per group and version elsewhere. A group whose own
server is down is reported in `failed`; only a server that cannot name its groups at all raises.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.ports.kube import ApiError, ApiResource, Discovery
from syncline.ports.transport import TransportError

ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
_AT_ONCE = 8

ReadJson = Callable[[str, str], Awaitable[Object]]
"""Reads a path with an Accept header and returns the JSON object found there."""


async def discover(read: ReadJson) -> Discovery:
    """Return every kind, the preferred version of each group first, and the server's version."""
    core, groups, version = await asyncio.gather(read("/api", ACCEPT), read("/apis", ACCEPT), _version(read))
    failed: dict[str, str] = {}
    resources: list[ApiResource] = []
    for root in (core, groups):
        if root.get("kind") == "APIGroupDiscoveryList":
            resources += _aggregated(root, failed)
        else:
            resources += await _one_by_one(root, read, failed)
    return Discovery(tuple(resources), failed, version)


async def _version(read: ReadJson) -> str:
    try:
        answer = await read("/version", "application/json")
    except ApiError:
        # Some clusters do not let everybody read it; nothing that decides needs it.
        return ""
    return str(answer.get("gitVersion") or "")


def _aggregated(root: Object, failed: dict[str, str]) -> Iterator[ApiResource]:
    for item in root.get("items") or ():
        group = meta.name(item)
        for served in item.get("versions") or ():
            version = str(served["version"])
            if served.get("freshness") == "Stale":
                failed[group] = f"the server behind {group}/{version} does not answer"
            for resource in served.get("resources") or ():
                kind = (resource.get("responseKind") or {}).get("kind")
                if kind:
                    yield ApiResource(
                        gvk=GroupVersionKind(group, version, kind),
                        plural=resource["resource"],
                        namespaced=resource.get("scope") == "Namespaced",
                        verbs=frozenset(resource.get("verbs") or ()),
                        short_names=tuple(resource.get("shortNames") or ()),
                    )


async def _one_by_one(root: Object, read: ReadJson, failed: dict[str, str]) -> list[ApiResource]:
    turns = asyncio.Semaphore(_AT_ONCE)

    async def of_version(group: str, version: str) -> list[ApiResource]:
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        async with turns:
            try:
                answer = await read(path, "application/json")
            except (ApiError, TransportError) as error:
                failed[group] = f"{path}: {error}"
                return []
        return list(_listed(group, version, answer))

    found = await asyncio.gather(*(of_version(group, version) for group, version in _versions(root)))
    return [resource for resources in found for resource in resources]


def _versions(root: Object) -> Iterable[tuple[str, str]]:
    """List groups and versions of a plain root document, the preferred version of a group first."""
    if root.get("kind") == "APIVersions":
        return [("", str(version)) for version in root.get("versions") or ()]
    pairs = []
    for group in root.get("groups") or ():
        preferred = (group.get("preferredVersion") or {}).get("version")
        versions = [entry["version"] for entry in group.get("versions") or ()]
        versions.sort(key=lambda version: version != preferred)
        pairs += [(str(group["name"]), str(version)) for version in versions]
    return pairs


def _listed(group: str, version: str, answer: Object) -> Iterator[ApiResource]:
    for resource in answer.get("resources") or ():
        if "/" in resource["name"]:
            continue
        yield ApiResource(
            gvk=GroupVersionKind(group, version, resource["kind"]),
            plural=resource["name"],
            namespaced=bool(resource.get("namespaced")),
            verbs=frozenset(resource.get("verbs") or ()),
            short_names=tuple(resource.get("shortNames") or ()),
        )
