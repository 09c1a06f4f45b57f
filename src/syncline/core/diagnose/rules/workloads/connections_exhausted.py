"""A database takes no more connections: it runs and is ready, and whoever opens one more is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import calls, pods
from syncline.core.diagnose.graph.workloads.log_lines import plain
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-213",
    name="connections-exhausted",
    severity=Severity.ERROR,
    summary="A database or cache refuses connections because it has as many as it allows.",
    fix="raise its maximum, put a pooler before it, or let callers open fewer",
    looks_at=(LooksAt.LIVE,),
    why="Each caller keeps a pool of connections for each of its pods; together they exceed what the server allows. "
    "The server and its callers print the same words, and the server is the one that calls nobody else who does.",
)
_FULL = re.compile(
    r"too many clients already|too many connections|remaining connection slots are reserved"
    r"|max number of clients reached|connection limit exceeded",
    re.IGNORECASE,
)
_MAXIMUM = re.compile(
    r"(?P<setting>max[_-]?connections|maxclients|maxIncomingConnections)\W+(?P<number>\d+)", re.IGNORECASE
)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod that prints that there are too many connections, because of whom it calls."""
    for one in calls.complaints(node):
        said = [text for text in one.lines if _FULL.search(text)]
        if said:
            yield Fault(
                rule=RULE,
                state="too many connections",
                because=_servers(node),
                cause=pods.workload(node),
                about=one.container,
                tell=partial(_finding, node, one.container, plain(said[-1]).strip()),
            )


def _servers(node: Node) -> tuple[Thing, ...]:
    """Return the pods that this one is told to call and that print the same."""
    keys = dict.fromkeys(pod for key in calls.told_to_call(node) for pod in calls.behind(node.cluster, key))
    found = [key for key in keys if key.group_kind == pods.POD and key != node.key]
    logs = {log.pod for log in node.cluster.snapshot.logs if any(_FULL.search(text) for text in log.lines)}
    return tuple(node.at(key) for key in found if key in logs)


def _finding(node: Node, container: str, line: str) -> Finding:
    owner = pods.workload(node)
    spec = next((one for _at, one in containers(node.obj.get("spec") or {}) if one.get("name") == container), {})
    words = [*(spec.get("command") or ()), *(spec.get("args") or ())]
    words += [f"{one.get('name')}={one.get('value')}" for one in spec.get("env") or ()]
    found = _MAXIMUM.search(" ".join(map(str, words)))
    most = f" ({found['setting']} is {found['number']})" if found else ""
    callers = listed(_callers(node))
    return RULE.finding(
        str(owner),
        f"{owner}: container {container} has no connection left{most}: {line}",
        evidence=[Evidence(kind=EvidenceKind.LOG, text=line, subject=node.key)],
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide: raise its maximum of connections, put a pooler before it, or let {callers or 'its callers'} "
            "open fewer"
        ),
    )


def _callers(node: Node) -> list[str]:
    """Return the workloads that are told to call this pod."""
    found = []
    for key, pod in node.cluster.of_kind(pods.POD, node.key.namespace):
        one = Node(node.at(key), pod, node.cluster, node.fleet)
        if any(node.key in calls.behind(node.cluster, each) for each in calls.told_to_call(one)):
            found.append(str(pods.workload(one)))
    return list(dict.fromkeys(found))
