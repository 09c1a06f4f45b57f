"""A container runs, but its probe fails: the probe asks for what the container does not offer, or gives it no time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.workloads import calls, crashes, pods, probes
from syncline.core.diagnose.live.pods import containers
from syncline.core.diagnose.rules.workloads.probe_failing import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_PATIENCE = 300.0


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
            tell=partial(_finding, node, at, container),
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


def _finding(node: Node, at: str, container: dict[str, Any]) -> Finding:
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
        f"{owner}: container {name} runs and is not ready: {what}",
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
        fix=_fix(node, path, kind, probe, declared if wrong else []),
        since=str(condition(node.obj, "Ready").get("lastTransitionTime") or ""),
    )


def _asked(probe: Any) -> str:
    """Return what a probe asks over HTTP, which no message about it says: ` (GET /live at port 8080)`."""
    asked = probe.get("httpGet")
    return f" (GET {asked.get('path') or '/'} at port {asked.get('port')})" if isinstance(asked, dict) else ""


def _wrong(container: dict[str, Any], probe: Any) -> Any:
    port = probes.port_of(probe)
    return port if port is not None and not probes.offers(container, port) else None


def _fix(node: Node, path: str, kind: str, probe: Any, declared: list[str]) -> Fix:
    if len(declared) == 1:
        action = next(name for name in ("httpGet", "tcpSocket", "grpc") if name in probe)
        return rewrite(node.fleet, pods.workload(node), f"{path}.{kind}.{action}.port", int(declared[0]))
    return Fix(text=f"decide: correct path, port, scheme or timing of the {kind}, or make the program answer it")
