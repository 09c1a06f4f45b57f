"""A container is killed again and again for using more memory than its limit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.graph.workloads.pods import Failing
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.rules.workloads.out_of_memory import RULE
from syncline.core.health.pods import ContainerTrouble
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_OFTEN = 3
_LATELY = 1800.0
_LIMIT_RANGE = GroupKind("", "LimitRange")
_XMX = re.compile(r"-Xmx(?P<size>\d+)(?P<unit>[kmgKMG])")
_UNITS = {"k": "Ki", "m": "Mi", "g": "Gi"}


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container whose last end was for lack of memory."""
    for one in (*pods.failing(node), *_lately(node)):
        if one.ended.get("reason") == "OOMKilled":
            given = _default(node, one)
            yield Fault(
                rule=RULE,
                state="OOMKilled",
                cause=node.at(given) if given is not None else pods.workload(node),
                about="default" if given is not None else one.trouble.container,
                tell=partial(_finding, node, one, given),
            )


def _lately(node: Node) -> Iterator[Failing]:
    """Yield the containers that run now and were killed just before, not for the first time."""
    status = node.obj.get("status") or {}
    for index, one in enumerate(status.get("containerStatuses") or ()):
        ended = (one.get("lastState") or {}).get("terminated") or {}
        often = int(one.get("restartCount") or 0) >= _OFTEN
        age = node.cluster.age(str(ended.get("finishedAt") or ""))
        if one.get("ready") and often and age is not None and age < _LATELY:
            name, path = str(one.get("name")), f"status.containerStatuses[{index}].lastState.terminated"
            spec = next((each for _at, each in containers(node.obj.get("spec") or {}) if each.get("name") == name), {})
            trouble = ContainerTrouble(name, str(ended.get("reason") or ""), "", path, waiting=False)
            yield Failing(trouble, str(spec.get("image") or "?"), dict(one), spec, dict(ended))


def _limit(spec: Mapping[str, Any]) -> str:
    return str(((spec.get("resources") or {}).get("limits") or {}).get("memory") or "")


def _default(node: Node, one: Failing) -> ObjectKey | None:
    """Return the LimitRange that gave a container its limit; None where its workload sets one, or nothing did."""
    _base, spec = template(node.fleet.find(pods.workload(node)) or {})
    own = next((each for _at, each in containers(spec) if each.get("name") == one.trouble.container), None)
    limit = _limit(one.spec)
    if own is None or _limit(own) or not limit:
        return None
    for key, obj in node.cluster.of_kind(_LIMIT_RANGE, node.key.namespace):
        for each in (obj.get("spec") or {}).get("limits") or ():
            given = (each.get("default") or {}).get("memory") if each.get("type") == "Container" else None
            if given is not None and quantity.parse(given).milli_value == quantity.parse(limit).milli_value:
                return key
    return None


def _heap(spec: Mapping[str, Any], limit: str) -> tuple[str, str]:
    """Return the heap that a Java program may fill and where that is set, if it alone exceeds the limit."""
    texts = [(str(one.get("name")), str(one.get("value") or "")) for one in spec.get("env") or ()]
    texts += [(name, str(word)) for name in ("command", "args") for word in spec.get(name) or ()]
    for where, text in texts:
        for found in _XMX.finditer(text):
            size = quantity.parse(f"{found['size']}{_UNITS[found['unit'].lower()]}")
            if limit and size.milli_value >= quantity.parse(limit).milli_value:
                return found[0], where
    return "", ""


def _finding(node: Node, one: Failing, given: ObjectKey | None) -> Finding:
    owner, container = pods.workload(node), one.trouble.container
    limit = _limit(one.spec)
    said = f"its limit is {limit}" if limit else "it has no limit of its own, so the node ran out"
    heap, where = _heap(one.spec, limit)
    fix = f"decide: raise the memory limit of {container} above {limit or 'what it uses'}, or make it use less"
    if given is not None:
        said += f", which {given.short} gives to containers without one"
        fix = f"decide: set resources.limits.memory of {container} in {owner}, or raise the default of {given.short}"
    elif heap:
        said += f", and {heap} in {where} lets its heap alone grow to that"
        fix = f"decide: raise the memory limit of {container} well above the heap, or lower {heap} in {where} below it"
    return RULE.finding(
        f"{owner}",
        f"{owner}: container {container} is killed for using too much memory ({said}), "
        f"{one.status.get('restartCount') or 0} restarts",
        evidence=[
            Evidence(
                kind=EvidenceKind.FIELD,
                text=f"OOMKilled, exit code {one.ended.get('exitCode')}",
                subject=node.key,
                path="status.containerStatuses",
            ),
            *pods.container_line(node, owner, container, "resources.limits.memory"),
            *pods.log_evidence(node, container),
        ],
        fix=Fix(text=fix),
        since=str(one.ended.get("finishedAt") or ""),
    )
