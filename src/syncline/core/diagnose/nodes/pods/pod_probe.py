"""A container runs, but its probe fails: the probe asks for what the container does not offer, or gives it no time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.cluster import moment
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.workloads import calls, crashes, pods, probes
from syncline.core.diagnose.live.pods import containers
from syncline.core.diagnose.rules.workloads.probe_failing import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_PATIENCE = 300.0
_GRACE = 30.0
_SLOW = re.compile(r"context deadline exceeded|Client\.Timeout|timed out|i/o timeout", re.IGNORECASE)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container that is not ready though it runs, or that its probe ends."""
    if pods.is_finished(node.obj):
        return
    for at, container in containers(node.obj.get("spec") or {}):
        status = pods.status_of(node.obj, str(container.get("name")))
        running = "running" in (status.get("state") or {}) and status.get("ready") is False
        killed = any(
            crash.name == container.get("name") and probes.killed_by_probe(node, crash)
            for crash in crashes.crashes(node)
        )
        if not killed and not (running and _has_had_time(node, container, status)):
            continue
        if not any(probes.probed(container)):
            continue
        yield Fault(
            rule=RULE,
            state="CrashLoopBackOff" if killed else "NotReady",
            because=_because(node, str(container.get("name"))),
            cause=pods.workload(node),
            about=str(container.get("name")),
            tell=partial(_finding, node, at, container, killed),
        )


def _because(node: Node, container: str) -> tuple[Thing, ...]:
    """Return what keeps a program from being ready: its node, and the Services that its log complains about."""
    where = node.at(ObjectKey("", "Node", "", str((node.obj.get("spec") or {}).get("nodeName") or "")))
    return (where, *(node.at(key) for key in calls.named_by(node, container)))


def _has_had_time(node: Node, container: dict[str, Any], status: dict[str, Any]) -> bool:
    """Whether a container has run for longer than its probes give it."""
    started = str(((status.get("state") or {}).get("running") or {}).get("startedAt") or "")
    age = node.cluster.age(started)
    allowed = _PATIENCE
    for _name, probe in probes.probed(container):
        tries = int(probe.get("failureThreshold") or 3) * int(probe.get("periodSeconds") or 10)
        allowed = max(allowed, int(probe.get("initialDelaySeconds") or 0) + tries)
    return age is None or age > allowed


def _finding(node: Node, at: str, container: dict[str, Any], killed: bool) -> Finding:
    owner, name = pods.workload(node), str(container.get("name"))
    path = pods.template_path(node, owner, name) or f"spec.{at}"
    said = next(probes.complaints(node), "")
    wrong = [(kind, port) for kind, probe in probes.probed(container) if (port := _wrong(container, probe)) is not None]
    first = next((kind for kind, _probe in probes.probed(container) if kind[:8].lower() in said.lower()), "")
    kind = wrong[0][0] if wrong else first or next(kind for kind, _probe in probes.probed(container))
    probe = dict(probes.probed(container))[kind]
    declared = [str(one.get("containerPort")) for one in container.get("ports") or ()]
    what = (
        f"its {kind} uses port {wrong[0][1]}, which the container does not declare ({', '.join(declared)})"
        if wrong
        else f"its {kind}{_asked(probe)} fails"
        + (f": {said}" if said else "; the Events that would say why were not read")
    )
    return RULE.finding(
        str(owner),
        f"{owner}: container {name} {'is ended by its probe' if killed else 'runs and is not ready'}: {what}",
        evidence=[
            *([Evidence(kind=EvidenceKind.EVENT, text=said, subject=node.key)] if said else []),
            Evidence(
                kind=EvidenceKind.CONDITION,
                text=f"Ready=False {condition(node.obj, 'Ready').get('reason') or ''}".rstrip(),
                subject=node.key,
                path="status.conditions",
            ),
            *line(node.fleet, owner, f"{path}.{kind}", kind),
            *pods.log_evidence(node, name),
        ],
        confidence=Confidence.DECLARED if wrong else Confidence.TEXT,
        fix=_timing(kind, probe, said, _lived(node, name) if killed else None)
        if not wrong and (_SLOW.search(said) or killed)
        else _fix(node, path, kind, probe, declared if wrong else []),
        since=str(condition(node.obj, "Ready").get("lastTransitionTime") or ""),
    )


def _asked(probe: Any) -> str:
    """Return what a probe asks over HTTP, which no message about it says: ` (GET /live at port 8080)`."""
    asked = probe.get("httpGet")
    return f" (GET {asked.get('path') or '/'} at port {asked.get('port')})" if isinstance(asked, dict) else ""


def _wrong(container: dict[str, Any], probe: Any) -> Any:
    port = probes.port_of(probe)
    return port if port is not None and not probes.offers(container, port) else None


def _lived(node: Node, container: str) -> float | None:
    """Return for how many seconds a container ran before it was ended."""
    ended = (pods.status_of(node.obj, container).get("lastState") or {}).get("terminated") or {}
    began, end = moment(str(ended.get("startedAt") or "")), moment(str(ended.get("finishedAt") or ""))
    return (end - began).total_seconds() if began is not None and end is not None else None


def _timing(kind: str, probe: Any, said: str, lived: float | None) -> Fix:
    """Return what to do about a probe that is too impatient: for an answer, or for the start of the program."""
    if _SLOW.search(said):
        seconds = int(probe.get("timeoutSeconds") or 1)
        return Fix(
            text=f"decide: raise timeoutSeconds of the {kind} above {seconds}, or make the program answer sooner"
        )
    period, tries = int(probe.get("periodSeconds") or 10), int(probe.get("failureThreshold") or 3)
    given = int(probe.get("initialDelaySeconds") or 0) + period * tries
    if lived is not None and kind != "startupProbe" and lived <= given + period + _GRACE:
        return Fix(
            text=f"decide: give it longer to start than the {given}s that the {kind} allows, by a startupProbe; or "
            "correct what the probe asks"
        )
    return Fix(text=f"decide: correct path, port, scheme or timing of the {kind}, or make the program answer it")


def _fix(node: Node, path: str, kind: str, probe: Any, declared: list[str]) -> Fix:
    if len(declared) == 1:
        action = next(name for name in ("httpGet", "tcpSocket", "grpc") if name in probe)
        return rewrite(node.fleet, pods.workload(node), f"{path}.{kind}.{action}.port", int(declared[0]))
    return Fix(text=f"decide: correct path, port, scheme or timing of the {kind}, or make the program answer it")
