"""Pods are not made because their ServiceAccount does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import template
from syncline.core.diagnose.rules.secrets.reference_missing import RULE
from syncline.core.references.pods import SERVICE_ACCOUNT
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, *refusing.MAKERS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a workload that lacks pods and names an account that is not there."""
    base, spec = template(node.obj)
    name = str(spec.get("serviceAccountName") or "")
    if not name:
        return
    key = ObjectKey("", "ServiceAccount", node.key.namespace, name)
    told = any(refusing.NO_ACCOUNT.search(one.message) for one in refusing.said(node))
    status = node.obj.get("status") or {}
    none = not any(status.get(field) for field in ("replicas", "active", "succeeded", "currentNumberScheduled"))
    if told or (none and node.cluster.is_absent(key) and (node.obj.get("spec") or {}).get("replicas") != 0):
        cause = node.missing(key)
        yield Fault(rule=RULE, state="FailedCreate", cause=cause, tell=lambda: _finding(node, cause, base))


def _finding(node: Node, cause: Thing, base: str) -> Finding:
    name = cause.key.name if cause.key is not None else ""
    close = near(name, [key.name for key, _obj in node.cluster.of_kind(SERVICE_ACCOUNT, node.key.namespace)])
    hint = f" (near: {listed(close)})" if close else ""
    path = f"{base}.serviceAccountName"
    return RULE.finding(
        f"ServiceAccount/{name}",
        f"ServiceAccount/{name} is missing in namespace {node.key.namespace}, so {node.key.short} gets no pods",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=name, subject=node.key, path=path),
            *line(node.fleet, node.thing, path),
        ],
        fix=Fix(text=f"decide: deliver ServiceAccount {name}, or name one that exists{hint}"),
    )
