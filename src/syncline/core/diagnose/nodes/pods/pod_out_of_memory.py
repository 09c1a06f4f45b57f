"""A container is killed again and again for using more memory than its limit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.graph.workloads.pods import Failing
from syncline.core.diagnose.rules.workloads.out_of_memory import RULE
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container whose last end was for lack of memory."""
    for one in pods.failing(node):
        if one.ended.get("reason") == "OOMKilled":
            yield Fault(
                rule=RULE,
                state="OOMKilled",
                cause=pods.workload(node),
                about=one.trouble.container,
                tell=partial(_finding, node, one),
            )


def _finding(node: Node, one: Failing) -> Finding:
    owner, container = pods.workload(node), one.trouble.container
    limit = str(((one.spec.get("resources") or {}).get("limits") or {}).get("memory") or "")
    said = f"its limit is {limit}" if limit else "it has no limit of its own, so the node ran out"
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
        fix=Fix(
            text=f"decide: raise the memory limit of {container} above {limit or 'what it uses'}, or make it use less"
        ),
        since=str(one.ended.get("finishedAt") or ""),
    )
