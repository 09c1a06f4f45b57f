"""An object that is not healthy in its own words, where nothing else is known about it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import key_of
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.view.warnings import warned
from syncline.core.diagnose.graph.workloads import calls
from syncline.core.diagnose.rules.live.not_healthy import RULE
from syncline.core.health.assess import shown
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix
from syncline.model.health import Health, HealthCode

_BUILT_IN = ("", "apps", "batch", "autoscaling", "policy", "extensions")
_OTHERS = frozenset({"Application", "ApplicationSet", "AppProject"})


@on_node(RULE)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a custom resource that says it is Degraded, or has said Progressing for long."""
    if node.thing.absent or node.key.group in _BUILT_IN or node.key.group.endswith(".k8s.io"):
        return
    if node.key.group_kind == APPLICATION or node.key.kind in _OTHERS or meta.deletion_timestamp(node.obj):
        return
    health = shown(node.obj)
    if health is None or health.status not in (HealthCode.DEGRADED, HealthCode.PROGRESSING):
        return
    below = (*_below(node), *_complaining(node))
    lasting = health.status is HealthCode.DEGRADED or not apps.is_young(
        node, health.since or meta.creation_timestamp(node.obj)
    )
    yield Fault(
        rule=RULE,
        state=health.reason or health.status.value,
        because=below,
        tell=(lambda: _finding(node, health)) if lasting else None,
        weak=True,
    )


def _below(node: Node) -> Iterator[Thing]:
    """Yield what it names, and what it owns: both make it bad where they are."""
    for reference in read.references(node.obj):
        if not reference.makes and not reference.optional:
            absent = node.cluster.is_absent(reference.key) and reference.confidence is Confidence.DECLARED
            yield node.missing(reference.key) if absent else node.at(reference.key)
    yield from (node.at(key_of(child)) for child in node.cluster.children(node.obj))


def _complaining(node: Node) -> Iterator[Thing]:
    """Yield the pods that complain about this object by name: one of them is its operator."""
    name, space, kind = node.key.name, node.key.namespace, node.key.kind.lower()
    for log in node.cluster.snapshot.logs:
        for text in calls.repeated(log.lines):
            if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) and (space in text and kind in text.lower()):
                yield node.at(log.pod)
                break


def _finding(node: Node, health: Health) -> Finding:
    where = f" in {node.key.namespace}" if node.key.namespace else ""
    return RULE.finding(
        node.key.short,
        f"{node.key.short}{where} is {health.status.value}: {health.message or health.reason}",
        evidence=[
            *warned(node, health.message),
            Evidence(
                kind=EvidenceKind.FIELD,
                text=health.reason or health.status.value,
                subject=node.key,
                path=health.evidence[0].path if health.evidence else "status",
            ),
            *line(node.fleet, node.thing),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="decide by its message: nothing more was read about it"),
        since=health.since,
    )
