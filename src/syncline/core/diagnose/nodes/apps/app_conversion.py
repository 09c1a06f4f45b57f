"""The conversion webhook of a kind does not answer, so the cluster cannot be read: every Application is Unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.applications import complaining, refusing
from syncline.core.diagnose.graph.applications.complaining import About, Complaint
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.cluster.webhook_unanswered import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_CRD = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_SERVICE = re.compile(r"https://(?P<name>[\w-]+)\.(?P<namespace>[\w-]+)\.svc|service \"(?P<quoted>[\w-]+)\"")


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each kind that cannot be converted, because of the Service that should convert it."""
    for one in complaining.complaints(node):
        found = refusing.CONVERSION.search(one.message) if one.about is About.CONVERSION else None
        if found is None:
            continue
        cluster = node.fleet.destination(node.obj)
        group = found["version"].rpartition("/")[0]
        service = _service(cluster, GroupKind(group, found["kind"]), found["said"])
        yield Fault(
            rule=RULE,
            state="Unknown",
            because=(Thing(cluster=cluster.name, key=service),) if service is not None else (),
            cause=Thing(cluster=cluster.name, outside="webhook", name=f"conversion of {group}/{found['kind']}"),
            tell=partial(_finding, node, one, f"{group}/{found['kind']}", service),
        )


def _service(cluster: ClusterIndex, kind: GroupKind, said: str) -> ObjectKey | None:
    for _key, obj in cluster.of_kind(_CRD):
        spec = obj.get("spec") or {}
        if spec.get("group") == kind.group and (spec.get("names") or {}).get("kind") == kind.kind:
            client = ((spec.get("conversion") or {}).get("webhook") or {}).get("clientConfig") or {}
            if named := client.get("service"):
                return ObjectKey("", "Service", str(named.get("namespace")), str(named.get("name")))
    found = _SERVICE.search(said)
    return ObjectKey("", "Service", found["namespace"], found["name"]) if found and found["name"] else None


def _finding(node: Node, one: Complaint, kind: str, service: ObjectKey | None) -> Finding:
    who = f"Service {service.name} in {service.namespace}" if service is not None else "its conversion webhook"
    return RULE.finding(
        kind,
        f"{kind} cannot be read, and with it nothing of the cluster: {who} does not answer conversions",
        evidence=[Evidence(kind=EvidenceKind.CONDITION, text=one.message, subject=node.key, path="status.conditions")],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: bring up {who}, or remove the conversion of {kind} from its definition"),
        since=one.since,
    )
