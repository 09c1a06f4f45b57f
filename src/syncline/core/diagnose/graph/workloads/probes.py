"""What a probe asks for and what a container offers; and whether a probe is what ends a container."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.health import events

_KILLED = re.compile(r"Liveness probe failed|Startup probe failed|failed (?:liveness|startup) probe", re.IGNORECASE)
_ACTIONS = ("httpGet", "tcpSocket", "grpc")


def port_of(probe: Mapping[str, Any]) -> Any:
    """Return the port that a probe asks; None where it runs a command."""
    return next((probe[name].get("port") for name in _ACTIONS if isinstance(probe.get(name), dict)), None)


def offers(container: Mapping[str, Any], port: Any) -> bool:
    """Whether a container declares a port, by name or number; one that declares none may listen anywhere."""
    declared = container.get("ports") or ()
    if isinstance(port, str) and not port.isdecimal():
        return any(one.get("name") == port for one in declared)
    return not declared or any(str(one.get("containerPort")) == str(port) for one in declared)


def complaints(node: Node) -> Iterator[str]:
    """Yield what the kubelet said about the probes of a pod, newest first."""
    for event in node.cluster.events(node.key, "Unhealthy", "Killing", "ProbeWarning"):
        yield events.message(event)


def killed_by_probe(node: Node, crash: Crash) -> bool:
    """Whether a container was ended from outside, by its liveness or startup probe."""
    code = crash.container.ended.get("exitCode")
    probed = any(crash.container.spec.get(name) for name in ("livenessProbe", "startupProbe"))
    if not probed or code not in (137, 143):
        return False
    return any(_KILLED.search(text) for text in complaints(node)) or crash.told is None


def probed(container: Object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the probes of a container by name."""
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        if isinstance(container.get(name), dict):
            yield name, container[name]
