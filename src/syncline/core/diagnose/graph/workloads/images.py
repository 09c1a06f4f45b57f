"""Why an image cannot be pulled, by the words of the kubelet, the container runtime and the registry."""

from __future__ import annotations

import re
from enum import Enum, auto

from syncline.apimachinery.keys import GroupKind, ObjectKey, key_of
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.live import pods
from syncline.core.health.pods import container_troubles

_POD = GroupKind("", "Pod")


class Why(Enum):
    """What keeps an image from being pulled."""

    ABSENT = auto()
    DENIED = auto()
    UNREACHABLE = auto()
    INVALID = auto()
    PLATFORM = auto()
    FULL = auto()
    UNTOLD = auto()


_WORDS = (
    (Why.FULL, re.compile(r"no space left on device", re.IGNORECASE)),
    (
        Why.INVALID,
        re.compile(r"invalid reference format|couldn't parse image|InvalidImageName|invalid image name", re.IGNORECASE),
    ),
    (Why.PLATFORM, re.compile(r"no match for platform|no matching manifest for|exec format error", re.IGNORECASE)),
    (
        Why.UNREACHABLE,
        re.compile(
            r"no such host|i/o timeout|connection refused|toomanyrequests|rate limit|TLS handshake timeout|x509|"
            r"context deadline exceeded|server misbehaving|request canceled while waiting|Client\.Timeout|"
            r"no route to host|503 Service|502 Bad|500 Internal|network is unreach|EOF$",
            re.IGNORECASE,
        ),
    ),
    (
        Why.DENIED,
        re.compile(
            r"unauthorized|authentication required|401|403|denied|forbidden|no basic auth credentials|"
            r"insufficient_scope|authorization failed",
            re.IGNORECASE,
        ),
    ),
    (Why.ABSENT, re.compile(r"manifest unknown|not found|does not exist|name unknown", re.IGNORECASE)),
)


def why(message: str) -> Why:
    """Return why an image cannot be pulled; the surest words are looked for first."""
    return next((one for one, words in _WORDS if words.search(message)), Why.UNTOLD)


def running(cluster: ClusterIndex) -> dict[str, dict[str, set[ObjectKey]]]:
    """Return the tags of each repository that containers of a cluster run, each with the workloads that run it."""
    found: dict[str, dict[str, set[ObjectKey]]] = {}
    for _key, pod in cluster.of_kind(_POD):
        for status in (pod.get("status") or {}).get("containerStatuses") or ():
            if "running" in (status.get("state") or {}):
                name, tag = repository(str(status.get("image") or ""))
                found.setdefault(name, {}).setdefault(tag, set()).add(key_of(cluster.top(pod)))
    return found


def wanted(cluster: ClusterIndex) -> dict[str, list[tuple[ObjectKey, str]]]:
    """Return for each image of containers that do not run the workloads that want it, with the container."""
    found: dict[str, dict[tuple[ObjectKey, str], None]] = {}
    for _key, pod in sorted(cluster.of_kind(_POD), key=lambda one: one[0]):
        waiting = {one.container for one in container_troubles(pod.get("status") or {}) if one.waiting}
        for _at, container in pods.containers(pod.get("spec") or {}):
            if container.get("name") in waiting:
                owner = (key_of(cluster.top(pod)), str(container["name"]))
                found.setdefault(str(container.get("image")), {})[owner] = None
    return {image: list(owners) for image, owners in found.items()}


def host(image: str) -> str:
    """Return the registry of an image."""
    first, slash, _rest = image.partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else "docker.io"


def repository(image: str) -> tuple[str, str]:
    """Return an image without its tag or digest, and that."""
    name, at, digest = image.partition("@")
    if at:
        return name, digest
    before, colon, tag = name.rpartition(":")
    return (before, tag) if colon and "/" not in tag else (name, "latest")
