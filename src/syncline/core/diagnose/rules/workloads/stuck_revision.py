"""A StatefulSet does not roll out its new revision, because pods of the old one are broken."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.findings.wording import counted
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import images
from syncline.core.diagnose.graph.workloads.pods import POD
from syncline.core.diagnose.graph.workloads.revisions import STATEFUL_SET, holder, stuck_pods
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-007",
    name="stuck-revision",
    severity=Severity.WARNING,
    summary="A StatefulSet's pods are broken at an old revision, which blocks the rollout of the new one.",
    fix="delete the broken pods: they come back at the new revision",
    looks_at=(LooksAt.LIVE,),
    why="Pods are replaced one at a time, each only once the previous one is ready. So a pod that cannot become ready "
    "at its old revision blocks the fix; with OnDelete nothing is ever replaced.",
)


class _Stuck(msgspec.Struct, frozen=True):
    key: ObjectKey
    pods: tuple[str, ...]
    revision: str
    strategy: str
    since: str


@on_node(RULE, STATEFUL_SET)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a StatefulSet with broken pods of a former revision: one cause for those of one name."""
    found = stuck_pods(node)
    if found:
        status, spec = node.obj.get("status") or {}, node.obj.get("spec") or {}
        part = _Stuck(
            node.key,
            tuple(key.name for key in found),
            str(status.get("updateRevision")),
            str((spec.get("updateStrategy") or {}).get("type") or ""),
            min(meta.creation_timestamp(node.cluster.get(key)) for key in found),
        )
        yield Fault(
            rule=RULE,
            state="stuck revision",
            cause=node.outside("StatefulSet", node.key.name),
            about=_runs(node),
            alone=node.thing,
            part=part,
            together=_finding,
        )


@on_node(RULE, POD)
def check_pod(node: Node) -> Iterator[Fault]:
    """Yield the one fault of a pod that its former revision alone keeps from running: it follows from its owner."""
    above = holder(node)
    if above is not None:
        yield Fault(rule=RULE, state="old revision", because=(node.at(above),), sole=True)


def _runs(node: Node) -> str:
    """Return what a StatefulSet runs, so that only those of the same program are one cause."""
    _base, spec = template(node.obj)
    return " ".join(sorted({images.repository(str(one.get("image") or ""))[0] for _at, one in containers(spec)}))


def _finding(parts: Sequence[_Stuck]) -> Finding:
    names = [name for one in parts for name in one.pods]
    commands = [shlex.join(["kubectl", "delete", "pod", "-n", one.key.namespace, *one.pods]) for one in parts]
    many = len(names) > 1
    if len(parts) == 1:
        whose = f"{listed(names)} of {Thing(key=parts[0].key)}"
    else:
        spaces = listed([one.key.namespace for one in parts], most=4)
        whose = f"{counted(len(names), 'pod')} of StatefulSet/{parts[0].key.name} in {spaces}"
    how = "are of an old revision and not ready" if many else "is of an old revision and not ready"
    by_hand = all(one.strategy == "OnDelete" for one in parts)
    waits = f"the roll-out waits until {'they are' if many else 'it is'} ready"
    why = "OnDelete replaces no pod" if by_hand else waits
    return RULE.finding(
        str(Thing(key=parts[0].key)) if len(parts) == 1 else f"StatefulSet/{parts[0].key.name}",
        f"{whose} {how}; the new one would repair {'them' if many else 'it'}, but {why}",
        evidence=[
            Evidence(
                kind=EvidenceKind.FIELD,
                text=f"{one.key.namespace}: updateRevision is {one.revision}, {listed(list(one.pods))} is not of it",
                subject=one.key,
                path="status",
            )
            for one in parts
        ],
        fix=Fix(
            text=f"{'they come' if many else 'it comes'} back at the new revision; claims and their data stay",
            command=" && ".join(commands),
        ),
        since=min(one.since for one in parts),
    )
