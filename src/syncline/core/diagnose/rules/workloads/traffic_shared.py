"""Pods of another program have the labels that a Service selects, and get part of its traffic."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.workloads import calls, images, pods
from syncline.core.diagnose.live.pods import containers
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-214",
    name="traffic-shared",
    severity=Severity.WARNING,
    summary="A Service sends part of its traffic to pods of a different program that have the same labels.",
    fix="give those pods labels that the Service does not select, or narrow its selector",
    looks_at=(LooksAt.LIVE,),
    why="Requests fail at random, as often as they reach the wrong pods, and everything looks well. A second version "
    "of the same image is meant to share; it is named only for images of different names, and where callers complain.",
)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod behind a Service that is meant for another workload with other images."""
    if pods.is_finished(node.obj):
        return
    own = key_of(node.cluster.top(node.obj))
    for key, selector in _selecting(node):
        others = {
            key_of(top): pod
            for pod_key, pod in node.cluster.selected(key.namespace, selector)
            if pod_key != node.key and key_of(top := node.cluster.top(pod)) != own
        }
        meant = _meant(node, key, own, others)
        if meant is not None:
            yield Fault(
                rule=RULE,
                state="shares traffic",
                cause=node.at(own),
                about=key.name,
                tell=partial(_finding, node, own, key, meant, selector),
                weak=True,
            )


def _selecting(node: Node) -> list[tuple[ObjectKey, dict[str, Any]]]:
    """Return the Services that select a pod, with their selectors."""
    by_label, labels = node.cluster.remembered(_by_label), meta.labels(node.obj)
    named = (by_label.get((node.key.namespace, *label), ()) for label in labels.items())
    return sorted((one for some in named for one in some if one[1].items() <= labels.items()), key=lambda one: one[0])


def _by_label(cluster: ClusterIndex) -> dict[tuple[str, str, str], list[tuple[ObjectKey, dict[str, Any]]]]:
    """Return the Services by one label that they select: a cluster has too many to try them all for each pod."""
    found: dict[tuple[str, str, str], list[tuple[ObjectKey, dict[str, Any]]]] = {}
    for key, service in cluster.of_kind(calls.SERVICE):
        selector = (service.get("spec") or {}).get("selector") or {}
        for name, value in list(selector.items())[:1]:
            found.setdefault((key.namespace, str(name), str(value)), []).append((key, selector))
    return found


def _meant(node: Node, service: ObjectKey, own: ObjectKey, others: dict[ObjectKey, Object]) -> ObjectKey | None:
    """Return the workload that a Service is meant for, if it is not the pod's: it has the name, or was there before."""
    apart = [key for key, pod in others.items() if not _images(pod) & _images(node.obj)]
    if not apart or own.name == service.name:
        return None
    named = [key for key in apart if key.name == service.name]
    born = meta.creation_timestamp(node.cluster.get(own))
    older = [key for key in apart if meta.creation_timestamp(node.cluster.get(key)) < born]
    return next(iter(named or sorted(older)), None)


def _images(pod: Object) -> set[str]:
    return {images.repository(str(one.get("image")))[0] for _at, one in containers(pod.get("spec") or {})}


def _finding(node: Node, own: ObjectKey, service: ObjectKey, meant: ObjectKey, selector: dict[str, Any]) -> Finding:
    wanted = ", ".join(f"{name}={value}" for name, value in selector.items())
    return RULE.finding(
        own.short,
        f"{own.short} in {own.namespace} gets part of the traffic of Service {service.name}, which is meant for "
        f"{meant.short}: its pods have {wanted} as well",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=wanted, subject=service, path="spec.selector"),
            *line(node.fleet, node.at(service), "spec.selector", wanted),
        ],
        confidence=Confidence.DECLARED,
        fix=Fix(
            text=f"decide: give the pods of {own.short} labels without {wanted}, or let {service.short} select more"
        ),
        since=meta.creation_timestamp(node.cluster.get(own)),
    )
