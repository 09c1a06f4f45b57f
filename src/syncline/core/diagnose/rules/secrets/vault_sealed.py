"""A Vault server is sealed: it runs, answers nobody, and gets ready only once somebody with its keys unseals it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.workloads import pods, vaults
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SEC-205",
    name="vault-sealed",
    severity=Severity.ERROR,
    summary="A Vault server is sealed, so no store can read from it.",
    fix="unseal each server with its keys, or set up auto-unseal with a cloud key",
    looks_at=(LooksAt.LIVE,),
    why="A server starts sealed and stays so until it gets its keys, so every restart of its pod breaks all stores, "
    "and with them every ExternalSecret, Secret and pod behind them. The pod's label vault-sealed says so.",
)


class _Sealed(msgspec.Struct, frozen=True):
    pod: ObjectKey
    owner: Thing
    program: str
    initialized: bool
    since: str


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield the one fault of a sealed server: one cause for all servers of a workload."""
    if not vaults.is_sealed(node.obj) or pods.is_finished(node.obj):
        return
    if condition(node.obj, "PodScheduled").get("status") == "False":
        return  # Its labels are those of the pod before; it does not run.
    owner = pods.workload(node)
    since = str(condition(node.obj, "Ready").get("lastTransitionTime") or "")
    part = _Sealed(node.key, owner, vaults.program(node.obj), vaults.is_initialized(node.obj), since)
    yield Fault(rule=RULE, state="sealed", cause=owner, part=part, together=_finding, sole=True)


def _finding(parts: Sequence[_Sealed]) -> Finding:
    first = parts[0]
    names = [one.pod.name for one in parts]
    verb = "operator unseal" if first.initialized else "operator init"
    commands = [
        shlex.join(["kubectl", "exec", "-it", "-n", one.pod.namespace, one.pod.name, "--", one.program, *verb.split()])
        for one in parts
    ]
    state = "sealed" if first.initialized else "sealed and was never initialized"
    keys = "asks for a key; repeat it with as many keys as it requires" if first.initialized else "prints its keys"
    return RULE.finding(
        str(first.owner),
        f"Vault is {state}: {listed(names)} of {first.owner}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text="vault-sealed: true", subject=one.pod, path="metadata.labels")
            for one in parts
        ],
        fix=Fix(text=keys, command=" && ".join(commands)),
        since=min(one.since for one in parts),
    )
