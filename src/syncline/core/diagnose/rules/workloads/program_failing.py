"""A running program fails requests in words of its own, and it is the last one that an alert leads to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.graph.workloads import calls, pods
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-217",
    name="program-failing",
    severity=Severity.WARNING,
    summary="An alert leads to a program that runs and complains again and again; nothing it calls is known to be bad.",
    fix="decide by what it prints",
    looks_at=(LooksAt.LIVE,),
    why="Alerts fire where users notice. Following the calls from there, this is the last program whose log complains: "
    "the cause is in it, or in something that was not read. Where several callers complain about one service that "
    "prints nothing itself, that service is named.",
)
_ANSWERED = re.compile(r"\b[45]\d\d [A-Z]\w+.*https?://")
"""The words of clients for the status that somebody answered with: `429 Too Many Requests from POST http://…`."""


class _Said(msgspec.Struct, frozen=True):
    """Which program complains, about whom, and its words."""

    caller: str
    called: str
    line: str
    subject: ObjectKey
    place: ObjectKey | None

    def __str__(self) -> str:
        return self.caller


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod that an alert leads to and that complains, because of whom it calls."""
    if node.thing not in node.fleet.remembered(calls.after_alerts):
        return
    owner = pods.workload(node)
    for one in calls.complaints(node):
        callees = [each.key for each in one.called]
        keys = callees or calls.told_to_call(node)
        shared = _shared(node, callees, one.line)
        yield Fault(
            rule=RULE,
            state="failing requests",
            because=tuple(node.at(key) for each in keys for key in calls.behind(node.cluster, each)),
            cause=shared or owner,
            about="called" if shared is not None else one.container,
            part=_Said(str(owner), str(shared or ""), one.line, node.key, (shared or owner).key),
            together=_finding,
            weak=True,
            last=True,
        )


def _shared(node: Node, callees: list[ObjectKey], line: str) -> Thing | None:
    """Return the workload behind the one Service that several complain about, or that answered with an error."""
    if len(set(callees)) != 1:
        return None
    callers = node.fleet.remembered(_complaining).get(node.at(callees[0]), set())
    behind = [key for key in calls.behind(node.cluster, callees[0]) if key.group_kind == pods.POD]
    tops = {key_of(node.cluster.top(node.cluster.objects[key])) for key in behind}
    blamed = len(callers) > 1 or _ANSWERED.search(line)
    return node.at(tops.pop()) if blamed and len(tops) == 1 else None


def _complaining(fleet: FleetIndex) -> dict[Thing, set[ObjectKey]]:
    """Return by Service the workloads that complain about it alone."""
    found: dict[Thing, set[ObjectKey]] = {}
    for cluster in fleet.clusters:
        for log in cluster.snapshot.logs:
            obj = cluster.get(log.pod)
            if obj is None:
                continue
            node = Node(Thing(cluster=cluster.name, key=log.pod), obj, cluster, fleet)
            for one in calls.complaints(node):
                keys = {each.key for each in one.called}
                if len(keys) == 1:
                    found.setdefault(node.at(keys.pop()), set()).add(key_of(cluster.top(obj)))
    return found


def _more(place: ObjectKey) -> str:
    return f"kubectl logs -n {place.namespace} {place.kind.lower()}/{place.name} --since=1h"


def _finding(parts: Sequence[_Said]) -> Finding:
    callers = list(dict.fromkeys(one.caller for one in parts))
    first = parts[0]
    verb = "complains" if len(callers) == 1 else "complain"
    who = f"{first.called}: {listed(callers)} {verb} about it" if first.called else f"{first.caller} fails requests"
    where = first.called or first.caller
    return RULE.finding(
        where,
        f"{who}: {first.line}",
        evidence=[Evidence(kind=EvidenceKind.LOG, text=one.line, subject=one.subject) for one in parts[1:3]],
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide by these words: nothing that {where} depends on is known to be bad",
            command=_more(first.place) if first.place is not None else "",
        ),
    )
