"""Requests that become a conversation with a container: exec, attach and port-forward.

Called by `syncline.sandbox.api.subresources`; `syncline.sandbox.serving.streaming` carries the conversation on once
the client has switched protocols. No container really runs: what one answers is said by `containers` of the cluster
file, for commands also by their words. The rest is refused, and the refusal says what would be right.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster import commands
from syncline.sandbox.cluster.settings import ExecRule, PortRule, SandboxSettings
from syncline.sandbox.store.store import Bucket, Row

_NODES = Bucket("", "nodes")
_WHERE = "in `containers` of the cluster file (docs/internals/sandbox.md)"


@dataclass(frozen=True, slots=True)
class Forwarding:
    """A client forwards ports to a pod."""

    settings: SandboxSettings
    pod: Object

    def port(self, port: int) -> PortRule | None:
        """Return what answers on a port of the pod, None when nothing is said about it."""
        for container in self.pod["spec"].get("containers") or ():
            for rule in self.settings.rules_of(container["image"], container["name"], commands.line_of(container)):
                for one in rule.ports:
                    if one.port == port:
                        return one
        return None

    def refusal(self, port: int) -> str:
        """Say that nothing answers, and what would."""
        metadata = self.pod["metadata"]
        return (
            f"error forwarding port {port} to pod {metadata['name']}, uid {metadata['uid']}: nothing answers there: "
            f"the sandbox runs no containers; say what does, or a local address, with `ports` {_WHERE}"
        )


@dataclass(frozen=True, slots=True)
class Execution:
    """A client runs a command in a container."""

    rule: ExecRule
    streams: frozenset[str]
    """Which of stdin, stdout and stderr the client wants."""


Session = Forwarding | Execution


def open_session(backend: Backend, row: Row, part: str, call: Any) -> Session:
    """Return what a client may talk to; raises where a real cluster would not, and where nobody can say."""
    pod = row.decode()
    pairs = parse_qsl(call.raw_query, keep_blank_values=True)
    query = dict(reversed(pairs))
    container = None if part == "portforward" else container_of(pod, query.get("container", ""))
    check_host(backend, pod)
    if "upgrade" not in call.headers.get("connection", "").lower():
        raise errors.bad_request("Upgrade request required")
    if container is None:
        if (pod.get("status") or {}).get("phase") != "Running":
            raise errors.StatusError(500, "InternalError", "unable to do port forwarding: pod not running")
        return Forwarding(backend.settings, pod)
    if not _is_running(pod, container["name"]):
        raise errors.StatusError(404, "NotFound", f'container not found ("{container["name"]}")')
    words = [value for key, value in pairs if key == "command"]
    rule = _execution(backend.settings, container, words) if part == "exec" else None
    if rule is None:
        told = f"what `{shlex.join(words)}` prints" if part == "exec" else "what its terminal shows"
        how = f"; say it with `exec` {_WHERE}" if part == "exec" else "; use kubectl logs -f"
        text = f"the sandbox runs no containers and cannot tell {told} in container {container['name']}{how}"
        raise errors.StatusError(501, "NotImplemented", text)
    wanted = frozenset(name for name in ("stdin", "stdout", "stderr") if query.get(name) in ("true", "1"))
    return Execution(rule, wanted)


def container_of(pod: Object, wanted: str) -> Object:
    """Return the container that a request is about; raises where it names none or one that is not there."""
    spec, name = pod.get("spec") or {}, pod["metadata"]["name"]
    first: list[Object] = list(spec.get("containers") or ())
    others = (*(spec.get("initContainers") or ()), *(spec.get("ephemeralContainers") or ()))
    listed: list[Object] = [*first, *others]
    if not wanted:
        if len(first) == 1:
            return first[0]
        names = " ".join(one["name"] for one in first)
        text = f"a container name must be specified for pod {name}, choose one of: [{names}]"
        initial = " ".join(one["name"] for one in spec.get("initContainers") or ())
        raise errors.bad_request(f"{text} or one of the init containers: [{initial}]" if initial else text)
    found = next((one for one in listed if one["name"] == wanted), None)
    if found is None:
        raise errors.bad_request(f"container {wanted} is not valid for pod {name}")
    return found


def check_host(backend: Backend, pod: Object) -> None:
    """Refuse where there is no kubelet to ask."""
    node = (pod.get("spec") or {}).get("nodeName", "")
    if not node:
        raise errors.bad_request(f"pod {pod['metadata']['name']} does not have a host assigned")
    if backend.store.get(_NODES, "", node) is None:
        raise errors.not_found("pods", "", node)


def _execution(settings: SandboxSettings, container: Object, words: list[str]) -> ExecRule | None:
    line = shlex.join(words)
    for rule in settings.rules_of(container["image"], container["name"], commands.line_of(container)):
        found = rule.execution(line)
        if found is not None:
            return found
    told = commands.read(container["image"], words)
    return None if told is None else ExecRule(exit_code=told.exit_code or 0, lines=told.lines)


def _is_running(pod: Object, name: str) -> bool:
    status = pod.get("status") or {}
    shown = (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ()))
    return any(one.get("name") == name and "running" in (one.get("state") or {}) for one in shown)
