"""A webhook does not answer, so writes fail: because of the Service and pods behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind, ObjectKey, key_of
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.messages.refusals import UNANSWERED
from syncline.core.diagnose.rules.cluster.webhook_unanswered import RULE, certificate_problem
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_GROUP = "admissionregistration.k8s.io"
_KINDS = (GroupKind(_GROUP, "ValidatingWebhookConfiguration"), GroupKind(_GROUP, "MutatingWebhookConfiguration"))
_SERVICE_IN = re.compile(r"https://(?P<name>[\w-]+)\.(?P<namespace>[\w-]+)\.svc")


@on_node(RULE, *refusing.SUBJECTS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each webhook that did not answer, because of the Service it names."""
    for one in refusing.said(node):
        found = UNANSWERED.search(one.message)
        if found is None:
            continue
        cluster = node.fleet.cluster(one.thing.cluster)
        service = _service(cluster, found["webhook"], found["said"])
        there = service is not None and cluster.get(service) is not None
        yield Fault(
            rule=RULE,
            state="sync Failed" if one.by_sync else "FailedCreate",
            because=(Thing(cluster=cluster.name, key=service),)
            if there and not certificate_problem(found["said"])
            else (),
            cause=Thing(cluster=cluster.name, outside="webhook", name=found["webhook"]),
            tell=partial(_finding, one, found, cluster, service),
        )


def configuration(cluster: ClusterIndex, name: str) -> tuple[ObjectKey, dict[str, object]] | None:
    """Return the configuration that has a webhook, and the webhook."""
    for kind in _KINDS:
        for _key, obj in cluster.of_kind(kind):
            for webhook in obj.get("webhooks") or ():
                if webhook.get("name") == name:
                    return key_of(obj), webhook
    return None


def _service(cluster: ClusterIndex, name: str, said: str) -> ObjectKey | None:
    known = configuration(cluster, name)
    client = known[1].get("clientConfig") if known is not None else None
    service = client.get("service") if isinstance(client, dict) else None
    if isinstance(service, dict):
        return ObjectKey("", "Service", str(service.get("namespace") or ""), str(service.get("name") or ""))
    found = _SERVICE_IN.search(said)
    return ObjectKey("", "Service", found["namespace"], found["name"]) if found else None


def _finding(one: Said, found: re.Match[str], cluster: ClusterIndex, service: ObjectKey | None) -> Finding:
    known = configuration(cluster, found["webhook"])
    absent = service is not None and cluster.is_absent(service)
    who = f"Service {service.name} in {service.namespace}" if service is not None else "what it calls"
    problem = f"{who} does not exist" if absent else f"{who} does not answer"
    certificate = None if absent else certificate_problem(found["said"])
    if certificate:
        problem = f"{who} {certificate[0]}"
    holder = known[0].short if known is not None else "its configuration"
    delete = f"kubectl delete {known[0].kind.lower()} {known[0].name}" if known is not None and absent else ""
    return RULE.finding(
        found["webhook"],
        f"webhook {found['webhook']} fails every write that it checks: {problem}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *([Evidence(kind=EvidenceKind.FIELD, text="clientConfig.service", subject=known[0])] if known else []),
        ],
        fix=Fix(text=f"if the program behind {holder} was removed; its app creates it again", command=delete)
        if delete
        else Fix(
            text=f"decide: {certificate[1]}"
            if certificate
            else f"decide: bring up {who}, or delete {holder} until it is back"
        ),
        since=one.since,
    )
