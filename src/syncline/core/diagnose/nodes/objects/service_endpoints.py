"""A Service with nobody behind it: its selector matches no pod, its port is not there, or its pods are not ready."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.rules.network.service_without_pods import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_SERVICE = GroupKind("", "Service")
_WORKLOADS = (
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("apps", "DaemonSet"),
    GroupKind("argoproj.io", "Rollout"),
)


@on_node(RULE, _SERVICE)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a Service that sends nobody anywhere."""
    spec = node.obj.get("spec") or {}
    selector = spec.get("selector") or {}
    if not selector or spec.get("type") == "ExternalName" or not node.cluster.was_read(pods.POD):
        return
    behind = node.cluster.selected(node.key.namespace, {str(name): str(value) for name, value in selector.items()})
    live = [(key, pod) for key, pod in behind if not pods.is_finished(pod)]
    if not live:
        labelled = node.cluster.remembered(by_label)
        some = {
            key: None
            for name, value in selector.items()
            for key in labelled.get((node.key.namespace, str(name), str(value)), ())
        }
        makers = [(key, node.cluster.objects[key]) for key in some] or _all(node)
        fitting = [key for key, obj in makers if _fits(selector, _labels(obj))]
        if fitting:
            yield Fault(rule=RULE, state="no endpoints", because=tuple(node.at(key) for key in fitting))
            zero = [key for key, obj in makers if key in fitting and (obj.get("spec") or {}).get("replicas") == 0]
            if zero and len(zero) == len(fitting):
                yield Fault(
                    rule=RULE, state="no endpoints", cause=node.at(zero[0]), tell=partial(_scaled_down, node, zero[0])
                )
        elif any(_is_labelled_later(selector, _labels(obj)) for _key, obj in makers):
            return
        elif unmade := _unmade(node, selector):
            yield Fault(rule=RULE, state="no endpoints", because=unmade)
        elif any(_fits_partly(selector, obj) for _key, obj in makers) or not makers:
            yield Fault(rule=RULE, state="no endpoints", tell=partial(_no_match, node, selector, makers))
        return
    yield from _wrong_ports(node, live)
    if not any(condition(pod, "Ready").get("status") == "True" for _key, pod in live):
        above = dict.fromkeys(node.at(key_of(node.cluster.top(pod))) for _key, pod in live)
        yield Fault(rule=RULE, state="no endpoints", because=tuple(above))


def _unmade(node: Node, selector: dict[str, Any]) -> tuple[Thing, ...]:
    """Return the Applications that would make such pods, and were refused the workload or have not made it."""
    found = [
        app
        for app, thing, labels in node.fleet.templates(node.cluster.name, node.key.namespace)
        if _fits(selector, labels) and (node.fleet.find(thing) is None or _is_refused(node, app, thing))
    ]
    return tuple(Thing(cluster=node.fleet.home.name, key=app) for app in dict.fromkeys(found))


def _is_refused(node: Node, app: ObjectKey, thing: Thing) -> bool:
    """Whether the last sync of an Application could not apply a thing: then the old one runs, with other labels."""
    return any(one.key == thing.key for one in apps.refused(node.fleet.apps.get(app) or {}))


def by_label(cluster: ClusterIndex) -> dict[tuple[str, str, str], list[ObjectKey]]:
    """Return the workloads by namespace and each label of their pods."""
    found: dict[tuple[str, str, str], list[ObjectKey]] = {}
    for kind in _WORKLOADS:
        for key, obj in cluster.of_kind(kind):
            for name, value in _labels(obj).items():
                found.setdefault((key.namespace, str(name), str(value)), []).append(key)
    return found


def _all(node: Node) -> list[tuple[ObjectKey, Object]]:
    return [one for kind in _WORKLOADS for one in node.cluster.of_kind(kind, node.key.namespace)]


def _labels(obj: Object) -> dict[str, Any]:
    found = (((obj.get("spec") or {}).get("template") or {}).get("metadata") or {}).get("labels")
    return found if isinstance(found, dict) else {}


def _fits(selector: dict[str, Any], labels: dict[str, Any]) -> bool:
    return bool(labels) and all(str(labels.get(name)) == str(value) for name, value in selector.items())


def _fits_partly(selector: dict[str, Any], obj: Object) -> bool:
    """Whether a workload was likely meant: it has some label of the selector, or the same keys with other values."""
    labels = _labels(obj)
    return any(name in labels for name in selector) or any(str(value) in labels.values() for value in selector.values())


def _is_labelled_later(selector: dict[str, Any], labels: dict[str, Any]) -> bool:
    """Whether a selector fits a workload but for labels that pods get while they run, as the leader of a database."""
    wrong = [name for name, value in selector.items() if str(labels.get(name)) != str(value)]
    renamed = any(_under_other_name(name, str(selector[name]), labels) for name in wrong)
    return bool(wrong) and len(wrong) < len(selector) and not renamed and not any(name in labels for name in wrong)


def _under_other_name(name: str, value: str, labels: dict[str, Any]) -> bool:
    """Whether pods have a label but with another prefix, as `component` for `app.kubernetes.io/component`."""
    last = name.rpartition("/")[2]
    return any(other.rpartition("/")[2] == last and str(found) == value for other, found in labels.items())


def _wrong_ports(node: Node, live: list[tuple[ObjectKey, Object]]) -> Iterator[Fault]:
    _key, pod = live[0]
    for index, port in enumerate((node.obj.get("spec") or {}).get("ports") or ()):
        target = port.get("targetPort", port.get("port"))
        named = isinstance(target, str) and not target.isdecimal()
        declared = [one for _at, container in containers(pod.get("spec") or {}) for one in container.get("ports") or ()]
        same = [one for one in declared if str(one.get("protocol") or "TCP") == str(port.get("protocol") or "TCP")]
        if named:
            wrong = not any(one.get("name") == target for one in same)
        else:
            wrong = _declare_all(pod) and not any(str(one.get("containerPort")) == str(target) for one in same)
        if wrong:
            yield Fault(
                rule=RULE,
                state="wrong port",
                about=str(port.get("name") or port.get("port")),
                tell=partial(_wrong_port, node, index, target, declared, pod),
            )


def _declare_all(pod: Object) -> bool:
    """Whether every container declares ports: one that declares none may listen on any."""
    running = (pod.get("spec") or {}).get("containers") or ()
    return bool(running) and all(one.get("ports") for one in running)


def _wrong_port(node: Node, index: int, target: Any, declared: list[Any], pod: Object) -> Finding:
    path = f"spec.ports[{index}].targetPort"
    shown = [_port_words(one) for one in declared]
    owner = node.at(key_of(node.cluster.top(pod)))
    there = f" (they have {listed(shown)})" if shown else ""
    fix = (
        rewrite(node.fleet, node.thing, path, declared[0].get("name") or declared[0].get("containerPort"))
        if len(declared) == 1
        else Fix(text="decide which port of the pods the Service should point to")
    )
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} points to port {target}, which its pods do not have{there}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=str(target), subject=node.key, path=path),
            *line(node.fleet, node.thing, path),
            *_template_line(node, owner),
        ],
        fix=fix,
    )


def _port_words(port: dict[str, Any]) -> str:
    """Return a port of a container as people write it: `http (8080)`, with its protocol where that is not TCP."""
    number, protocol = str(port.get("containerPort")), str(port.get("protocol") or "TCP")
    shown = number if protocol == "TCP" else f"{number}/{protocol}"
    return f"{port['name']} ({shown})" if port.get("name") else shown


def _template_line(node: Node, owner: Thing) -> list[Evidence]:
    base, _spec = template(node.fleet.find(owner) or {})
    return line(node.fleet, owner, f"{base}.containers[0].ports", "ports")


def _no_match(node: Node, selector: dict[str, Any], makers: list[tuple[ObjectKey, Object]]) -> Finding:
    wanted = ", ".join(f"{name}={value}" for name, value in selector.items())
    near = [(key, obj) for key, obj in makers if _fits_partly(selector, obj)]
    fix = Fix(text="decide which pods it should select; none that was read has these labels")
    there = ""
    close = [(key, obj) for key, obj in near if key.name == node.key.name] or (near if len(near) == 1 else [])
    if close:
        key, obj = close[0]
        labels = _labels(obj)
        there = f"; {key.short} has {', '.join(f'{name}={value}' for name, value in labels.items())}"
        wrong = [name for name, value in selector.items() if name in labels and str(labels[name]) != str(value)]
        if len(wrong) == 1:
            fix = rewrite(node.fleet, node.thing, f"spec.selector.{wrong[0]}", labels[wrong[0]])
        else:
            fix = Fix(text=f"decide: select {key.short} by labels that it has")
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} selects {wanted}, which no pod has{there}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=wanted, subject=node.key, path="spec.selector"),
            *line(node.fleet, node.thing, "spec.selector", wanted),
        ],
        fix=fix,
        since=meta.creation_timestamp(node.obj),
    )


def _scaled_down(node: Node, key: ObjectKey) -> Finding:
    return RULE.finding(
        key.short,
        f"{key.short} in {key.namespace} is scaled to zero, so {node.key.short} has no endpoints",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text="replicas 0", subject=key, path="spec.replicas"),
            *line(node.fleet, node.at(key), "spec.replicas"),
        ],
        fix=Fix(text="decide: how many replicas it should have, in Git or by its autoscaler"),
    )
