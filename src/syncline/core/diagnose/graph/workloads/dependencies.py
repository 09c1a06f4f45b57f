"""Which Services a container is told to call: by its environment, its command and its arguments.

Asked by checks on containers that fail or wait without saying why. A word counts where it is a host with a port, the
host of an address, or the name of a Service that exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.workloads.hosts import in_cluster
from syncline.core.references import read

_HOST_PORT = re.compile(r"(?:^|[\s@/,=(\"'])(?P<host>[a-z][a-z0-9.-]*[a-z0-9]):(?P<port>\d{2,5})(?=$|[/\s,?)\"';])")
_URL = re.compile(r"\w+://(?:[^@/\s]*@)?(?P<host>[a-z][a-z0-9.-]*[a-z0-9])(?=$|[/\s,?\"':])")
_PAIR = re.compile(r"\b(?P<host>[a-z][a-z0-9.-]*[a-z0-9])[ ](?P<port>\d{2,5})\b")


class Dependency(msgspec.Struct, frozen=True):
    """A Service that is called, its port where one is named, and the field that says so."""

    key: ObjectKey
    port: str
    path: str
    text: str


def dependencies(node: Node, container: dict[str, Any], at: str) -> Iterator[Dependency]:
    """Yield what a container is told to call inside the cluster, each Service and port once."""
    told: set[tuple[ObjectKey, str]] = set()
    for path, text in _texts(container, at):
        for host, port in _hosts(text):
            key = in_cluster(host, node.key.namespace)
            if key is not None and (key, port) not in told:
                told.add((key, port))
                yield Dependency(key, port, path, text)


def in_files(node: Node) -> Iterator[Dependency]:
    """Yield the Services that the ConfigMaps of a pod name with a port or in an address, as far as they exist."""
    told: set[tuple[ObjectKey, str]] = set()
    for reference in read.references(node.obj):
        data = (node.cluster.get(reference.key) or {}).get("data") if reference.key.kind == "ConfigMap" else None
        for part, text in data.items() if isinstance(data, dict) else ():
            for host, port in _hosts(str(text)):
                key = in_cluster(host, node.key.namespace)
                if key is not None and node.cluster.get(key) is not None and (key, port) not in told:
                    told.add((key, port))
                    yield Dependency(key, port, "", f"{part} of {reference.key.short}")


def _hosts(text: str) -> Iterator[tuple[str, str]]:
    found = [(one["host"], one["port"]) for one in _HOST_PORT.finditer(text)]
    yield from found
    known = {host for host, _port in found}
    yield from ((one["host"], "") for one in _URL.finditer(text) if one["host"] not in known)
    if not found:
        yield from ((one["host"], one["port"]) for one in _PAIR.finditer(text))


def _texts(container: dict[str, Any], at: str) -> Iterator[tuple[str, str]]:
    for index, one in enumerate(container.get("env") or ()):
        if isinstance(one.get("value"), str):
            yield f"{at}.env[{index}].value", one["value"]
    for name in ("command", "args"):
        for index, word in enumerate(container.get(name) or ()):
            yield f"{at}.{name}[{index}]", str(word)


def named(node: Node, container: dict[str, Any]) -> Iterator[ObjectKey]:
    """Yield the Services of the namespace whose bare names stand in the environment of a container."""
    values = {str(one.get("value")) for one in container.get("env") or () if one.get("value")}
    for value in sorted(values):
        key = in_cluster(value, node.key.namespace) if re.fullmatch(r"[a-z][a-z0-9.-]*", value) else None
        if key is not None and node.cluster.get(key) is not None:
            yield key
