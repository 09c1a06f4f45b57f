"""Programs end because names are not resolved at all: the DNS of the cluster does not answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.workloads import crashes, pods
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="LIV-211",
    name="dns-failing",
    severity=Severity.ERROR,
    summary="The cluster's DNS does not answer, so programs cannot resolve any name.",
    fix="bring up the cluster's DNS, and check what keeps pods from reaching it",
    looks_at=(LooksAt.LIVE,),
    why="For a name that does not exist, DNS says so; here it does not answer at all. Many programs fail at once, "
    "whatever they call.",
)
UNANSWERED = re.compile(
    r"server misbehaving|EAI_AGAIN|Temporary failure in name resolution|lookup .*:53: (?:.*i/o timeout|.*refused)"
)
_SERVICE = GroupKind("", "Service")
_WORKLOADS = (GroupKind("apps", "Deployment"), GroupKind("apps", "DaemonSet"))


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container whose log says that a name got no answer, because of what serves DNS."""
    for crash in crashes.crashes(node):
        if crash.told is not None and UNANSWERED.search(crash.told.line):
            answering = node.cluster.remembered(servers)
            yield Fault(
                rule=RULE,
                state=crash.state,
                because=tuple(node.at(key) for key in answering),
                cause=node.outside("DNS", "of the cluster"),
                tell=partial(_finding, node, crash, answering),
            )


def servers(cluster: ClusterIndex) -> list[ObjectKey]:
    """Return the workloads that serve DNS and their Services, by the names that they have everywhere."""
    keys = [key for kind in (*_WORKLOADS, _SERVICE) for key, _obj in cluster.of_kind(kind, "kube-system")]
    return [key for key in keys if "dns" in key.name]


def _finding(node: Node, crash: Crash, found: list[ObjectKey]) -> Finding:
    line = crash.told.line.strip() if crash.told is not None else ""
    who = f"{found[0].short}, which looks well," if found else "the server behind it, which was not found,"
    return RULE.finding(
        "DNS",
        f"names are not resolved: {line}",
        evidence=crashes.evidence(node, crash),
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: check {who} and the network between it and the pods"),
        since=str(crash.container.ended.get("finishedAt") or ""),
    )
