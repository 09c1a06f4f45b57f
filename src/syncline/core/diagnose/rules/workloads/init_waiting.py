"""An init container that does not come to an end: mostly it waits for something that does not answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import dependencies, pods
from syncline.core.diagnose.graph.workloads.needs import needs
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-210",
    name="init-waiting",
    severity=Severity.ERROR,
    summary="An init container has been running for a long time without finishing, so the pod does not start.",
    fix="bring up what it waits for, or correct the address it calls",
    looks_at=(LooksAt.LIVE,),
    why="Init containers often wait in a loop for a database or a queue. If the Service they call has no endpoints, "
    "that is the cause; if no Service has that name, the address is wrong.",
)
_AWAITED = (GroupKind("batch", "Job"), GroupKind("apps", "Deployment"), GroupKind("apps", "StatefulSet"))
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*[a-z0-9]")
_LAST_LINES = 3


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an init container that runs for longer than a start takes, because of what it calls."""
    if pods.is_finished(node.obj):
        return
    for status in (node.obj.get("status") or {}).get("initContainerStatuses") or ():
        running = (status.get("state") or {}).get("running")
        since = str((running or {}).get("startedAt") or "")
        spec = next((one for _at, one in _specs(node) if one.get("name") == status.get("name")), {})
        if running is None or spec.get("restartPolicy") == "Always" or apps.is_young(node, since):
            continue
        called = [one.key for one in dependencies.dependencies(node, spec, "")]
        yield Fault(
            rule=RULE,
            state="Init",
            because=tuple(node.at(key) for key in [*called, *_awaited(node, spec)]),
            cause=pods.workload(node),
            about=str(status.get("name")),
            tell=partial(_finding, node, spec, since),
            soon=needs(node),
        )


def _awaited(node: Node, spec: dict[str, Any]) -> list[ObjectKey]:
    """Return the Jobs and workloads of the namespace that an init container is told to wait for, or says it does."""
    said = [*(spec.get("command") or ()), *(spec.get("args") or ())]
    said += node.cluster.log(node.key, str(spec.get("name")))[-_LAST_LINES:]
    words = {word.strip(".") for text in said for word in _NAME.findall(str(text))}
    kinds = (key for kind in _AWAITED for key, _obj in node.cluster.of_kind(kind, node.key.namespace))
    return [key for key in kinds if key.name in words]


def _specs(node: Node) -> Iterator[tuple[str, dict[str, Any]]]:
    return containers(node.obj.get("spec") or {})


def _finding(node: Node, spec: dict[str, Any], since: str) -> Finding:
    owner, name = pods.workload(node), str(spec.get("name"))
    called = [one.key for one in dependencies.dependencies(node, spec, "")]
    gone = [key for key in called if node.cluster.is_absent(key)]
    lines = pods.log_evidence(node, name)
    if gone:
        problem = f"it waits for {listed([f'{key.name} in {key.namespace}' for key in gone])}, which does not exist"
    else:
        problem = f"its last log line: {lines[-1].text}" if lines else "its log was not read"
    return RULE.finding(
        str(owner),
        f"{owner}: init container {name} does not finish: {problem}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=since, subject=node.key, path="status.initContainerStatuses"),
            *pods.container_line(node, owner, name, "command"),
            *lines,
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="decide: correct the address that it calls, or bring up what should answer"),
        since=since,
    )
