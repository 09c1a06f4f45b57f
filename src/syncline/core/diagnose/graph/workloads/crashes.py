"""Containers that end badly again and again, with the line of their log that tells why.

Shared by the checks on crashes, which sort them by what that line is about: each is told by one check alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.workloads import log_lines, pods
from syncline.core.diagnose.graph.workloads.log_lines import About, Told
from syncline.core.diagnose.graph.workloads.pods import Failing
from syncline.core.diagnose.live.pods import CONFIG_REASON, IMAGE_REASONS, NOT_RUN
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind


class Crash(msgspec.Struct, frozen=True):
    """A container that crashes, its workload, and what its log or the kubelet tells."""

    container: Failing
    owner: Thing
    told: Told | None
    state: str
    last: str = ""
    """The last line that it printed, whether or not it tells; empty where its log was not read."""

    @property
    def name(self) -> str:
        """The name of the container."""
        return self.container.trouble.container


def crashes(node: Node) -> Iterator[Crash]:
    """Yield the containers of a pod that crash for reasons of their own."""
    for one in pods.failing(node):
        reason = one.trouble.reason
        if reason in (*IMAGE_REASONS, CONFIG_REASON) or one.ended.get("reason") == "OOMKilled":
            continue
        lines = _lines(node, one.trouble.container)
        words = str(one.ended.get("message") or "")
        if reason in NOT_RUN or one.ended.get("reason") in NOT_RUN:
            words = words or one.trouble.message
        told = log_lines.telling(lines) or (log_lines.telling(words.splitlines()) if words else None)
        last = next((line for line in reversed(lines) if line.strip()), "")
        yield Crash(one, pods.workload(node), told, _state(one), last)


def _lines(node: Node, container: str) -> tuple[str, ...]:
    """Return what a container printed; where that was not read, what the same one printed in a pod beside it."""
    own = node.cluster.log(node.key, container)
    if own:
        return own
    beside = pods.of(node, node.cluster.top(node.obj))
    return next((lines for key, _pod in beside if (lines := node.cluster.log(key, container))), ())


def never_ran(crash: Crash) -> bool:
    """Whether the container was never started: then there is no log, and the runtime's words are all there is."""
    one = crash.container
    return one.trouble.reason in NOT_RUN or one.ended.get("reason") in NOT_RUN


def _state(one: Failing) -> str:
    return one.trouble.reason if one.trouble.reason != "Error" else "Error"


def about(crash: Crash) -> About:
    """Return what a crash is about."""
    return crash.told.about if crash.told is not None else About.OTHER


def evidence(node: Node, crash: Crash) -> list[Evidence]:
    """Return the telling line, how the container ended, and the command that shows more."""
    one = crash.container
    line = [Evidence(kind=EvidenceKind.LOG, text=crash.told.line, subject=node.key)] if crash.told else []
    code = one.ended.get("exitCode")
    ended = f"exit code {code}" if code is not None else one.trouble.reason
    previous = "" if (one.status.get("state") or {}).get("terminated") else " --previous"
    command = f"kubectl logs -n {node.key.namespace} {node.key.name} -c {crash.name}{previous}"
    return [
        *line,
        Evidence(kind=EvidenceKind.FIELD, text=ended, subject=node.key, path=one.trouble.path),
        *pods.container_line(node, crash.owner, crash.name),
        *([Evidence(kind=EvidenceKind.COMMAND, text=command, subject=node.key)] if one.ended else []),
    ]
