"""Pods or objects that a ResourceQuota leaves no room for: one cause for all that it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.messages.refusals import QUOTA
from syncline.core.diagnose.rules.workloads.quota_exceeded import RULE, amounts_of, enough
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity


@on_node(RULE, *refusing.SUBJECTS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each quota that is full: by the words of a refusal, or by the quota alone."""
    told = False
    for one in refusing.said(node):
        found = QUOTA.search(one.message)
        if found is not None:
            told = True
            quota = Thing(cluster=one.thing.cluster, key=_quota(one, found))
            state = "sync Failed" if one.by_sync else "FailedCreate"
            yield Fault(rule=RULE, state=state, cause=quota, tell=partial(_finding, node, one, found, quota))
        elif (found := refusing.UNLIMITED.search(one.message)) is not None:
            told = True
            quota = Thing(cluster=one.thing.cluster, key=_quota(one, found))
            state = "sync Failed" if one.by_sync else "FailedCreate"
            yield Fault(
                rule=RULE,
                state=state,
                cause=quota,
                about="unlimited",
                tell=partial(_unlimited, node, one, found, quota),
            )
    if not told and node.key.kind in ("Deployment", "ReplicaSet", "StatefulSet"):
        yield from _by_state(node)


def _unlimited(node: Node, one: Said, found: re.Match[str], quota: Thing) -> Finding:
    key, what = quota.key or one.key, found["what"]
    return RULE.finding(
        str(quota),
        f"{key.short} in {key.namespace} counts {what}, and {one.key.short} names none: its pods are refused",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *line(node.fleet, quota, "spec.hard"),
        ],
        fix=Fix(text=f"decide: set {what} on its containers, or give the namespace a LimitRange with defaults"),
        severity=Severity.ERROR,
        since=one.since,
    )


def _quota(one: Said, found: re.Match[str]) -> ObjectKey:
    namespace = one.key.namespace
    return ObjectKey("", "ResourceQuota", namespace, found["quota"])


def _by_state(node: Node) -> Iterator[Fault]:
    """Yield a fault for a workload that has too few pods while a quota of its namespace is full."""
    spec, status = node.obj.get("spec") or {}, node.obj.get("status") or {}
    wanted = spec.get("replicas")
    if int(status.get("replicas") or 0) >= int(1 if wanted is None else wanted):
        return
    for key, quota in node.cluster.of_kind(ObjectKey("", "ResourceQuota", "", "").group_kind, node.key.namespace):
        hard, used = ((quota.get("status") or {}).get(name) or {} for name in ("hard", "used"))
        for resource, most in hard.items():
            is_pods = resource == "pods" or resource.startswith(("requests.", "limits.", "cpu", "memory", "count/pods"))
            full = resource in used and quantity.parse(used[resource]).milli_value >= quantity.parse(most).milli_value
            if is_pods and full:
                words = f"{used[resource]} of {most} {resource} used"
                yield Fault(
                    rule=RULE,
                    state="FailedCreate",
                    cause=node.at(key),
                    tell=partial(_full, node, node.at(key), words, resource),
                )
                return


def _full(node: Node, quota: Thing, words: str, resource: str) -> Finding:
    key = quota.key or node.key
    return RULE.finding(
        str(quota),
        f"{key.short} in {key.namespace} is full: {words}; {node.key.short} gets no more pods",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=words, subject=key, path="status.used"),
            *line(node.fleet, quota, f'spec.hard["{resource}"]'),
        ],
        fix=Fix(text=f"decide: raise {resource} of {key.short}, or request less"),
        severity=Severity.ERROR,
    )


def _finding(node: Node, one: Said, found: re.Match[str], quota: Thing) -> Finding:
    key = quota.key or one.key
    resource = found["requested"].partition("=")[0].strip()
    return RULE.finding(
        str(quota),
        f"{key.short} in {key.namespace} has no room for {one.key.short}: "
        f"used {found['used']}, wanted {found['requested']}, limit {found['hard']}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *line(node.fleet, quota, f'spec.hard["{resource}"]'),
        ],
        fix=_raised(node, one, found, quota) or Fix(text=f"decide: raise {resource} of {key.short}, or request less"),
        options=_fewer(node, one),
        severity=Severity.ERROR,
        since=one.since,
    )


def _raised(node: Node, one: Said, found: re.Match[str], quota: Thing) -> Fix | None:
    """Return the quota that would do for the pods that a workload is short of; None where Git does not have it."""
    if one.by_sync or node.fleet.desired(quota) is None:
        return None
    amounts = amounts_of(found)
    if any("?" in one for one in amounts):
        return None
    top = node.cluster.top(node.obj)
    spec, status = top.get("spec") or {}, top.get("status") or {}
    missing = int(spec.get("replicas") or 1) - int(status.get("replicas") or 0)
    name, amount = next(iter(enough(amounts, max(missing, 1)).items()))
    remark = f"raise {(quota.key or one.key).short}; then the missing pods are created automatically"
    return rewrite(node.fleet, quota, f'spec.hard["{name}"]', amount, remark)


def _fewer(node: Node, one: Said) -> list[Fix]:
    """Return the fix on the other side: fewer pods, where those that there are already fit."""
    top = node.cluster.top(node.obj)
    owner, made = node.at(key_of(top)), int((top.get("status") or {}).get("replicas") or 0)
    if one.by_sync or not made or node.fleet.desired(owner) is None or "replicas" not in (top.get("spec") or {}):
        return []
    return [rewrite(node.fleet, owner, "spec.replicas", made, f"fewer pods: {made} fit")]
