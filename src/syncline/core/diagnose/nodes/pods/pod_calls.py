"""Programs that run and are ready, and whose calls fail all the same: because of whom they call, or how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.workloads import agents, calls, log_lines, pods
from syncline.core.diagnose.graph.workloads.calls import Called, Complaint
from syncline.core.diagnose.graph.workloads.dependencies import Dependency, dependencies, in_files
from syncline.core.diagnose.graph.workloads.hosts import in_cluster
from syncline.core.diagnose.graph.workloads.log_lines import About
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.network import dns_failing
from syncline.core.diagnose.rules.workloads.dependency_unreachable import RULE, denying, has_port, no_service, ports
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

WORKLOADS = (GroupKind("apps", "Deployment"), GroupKind("apps", "StatefulSet"), GroupKind("apps", "DaemonSet"))
STATE = "calls failing"
_TIMEOUT = re.compile(r"time(?:d)? ?out|deadline|no route|unreachable", re.IGNORECASE)
_MESH_DENIED = re.compile(r"RBAC: access denied")
_MESH_POLICY = GroupKind("security.istio.io", "AuthorizationPolicy")
_NAMES = re.compile(r"name resolution", re.IGNORECASE)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield faults for a container that runs and complains again and again: of whom it calls, and of the address."""
    if pods.is_finished(node.obj):
        return
    for one in calls.complaints(node):
        if any(dns_failing.UNANSWERED.search(text) or _NAMES.search(text) for text in one.lines):
            servers = node.cluster.remembered(dns_failing.servers)
            yield Fault(rule=RULE, state=STATE, because=tuple(node.at(key) for key in servers))
        yield from _absent(node, one)
        if _MESH_DENIED.search(one.line):
            yield from (fault for each in one.called for fault in _refused(node, one, each))
        wrong = [each for each in one.called if not has_port(node.cluster.get(each.key) or {}, each.port)]
        yield from (_misdirected(node, one, each) for each in wrong)
        if _TIMEOUT.search(one.line):
            told = [Called(each.key, each.port) for each in dependencies(node, one.spec, "")]
            yield from (fault for each in one.called or told for fault in _denied(node, one, each))
            if network := agents.beside(node):
                yield Fault(rule=RULE, state=STATE, because=network)
        right = [each.key for each in one.called if each not in wrong]
        keys = right or ([] if wrong else calls.told_to_call(node))
        things = tuple(node.at(key) for each in keys for key in calls.behind(node.cluster, each))
        if things:
            yield Fault(rule=RULE, state=STATE, because=things)


@on_node(RULE, *WORKLOADS)
def check_workload(node: Node) -> Iterator[Fault]:
    """Yield a fault for a workload whose pods run and complain."""
    logged = node.cluster.remembered(_logged)
    complaining = [key for key, _pod in pods.of(node, node.obj) if key in logged] if logged else []
    if complaining:
        yield Fault(rule=RULE, state="logs errors", because=tuple(node.at(key) for key in complaining), weak=True)


def _logged(cluster: ClusterIndex) -> frozenset[ObjectKey]:
    """Return the pods whose logs show repeated complaints."""
    return frozenset(log.pod for log in cluster.snapshot.logs if calls.repeated(log.lines))


# -- Addresses that cannot be right


def _misdirected(node: Node, one: Complaint, called: Called) -> Fault:
    owner = pods.workload(node)
    return Fault(
        rule=RULE,
        state="wrong port",
        cause=owner,
        about=f"{one.container} {called.key.name} {called.port}",
        tell=partial(_wrong_port, node, owner, one, called),
    )


def _wrong_port(node: Node, owner: Thing, one: Complaint, called: Called) -> Finding:
    path = pods.template_path(node, owner, one.container)
    told = next((each for each in dependencies(node, one.spec, path) if _is(each, called)), None)
    there = ports(node.cluster.get(called.key) or {})
    file = next((each.text for each in in_files(node) if _is(each, called)), "")
    by = _variable(one, told, path) or file
    return RULE.finding(
        str(owner),
        f"{owner}: container {one.container} calls {called.key.name}:{called.port}, a port that Service "
        f"{called.key.name} does not have ({listed(there)}){f'; {by} says so' if by else ''}",
        evidence=[
            Evidence(kind=EvidenceKind.LOG, text=one.line, subject=node.key),
            *(
                [Evidence(kind=EvidenceKind.FIELD, text=told.text, subject=owner.key, path=told.path)]
                if told is not None
                else []
            ),
            *(line(node.fleet, owner, told.path) if told is not None else []),
        ],
        confidence=Confidence.TEXT,
        fix=_readdressed(node, owner, called, told, there),
    )


def _is(one: Dependency, called: Called) -> bool:
    return one.key == called.key and one.port == called.port


def _variable(one: Complaint, told: Dependency | None, path: str) -> str:
    """Return the name of the environment variable that holds an address."""
    start = f"{path}.env["
    if told is None or not told.path.startswith(start):
        return ""
    index = int(told.path.removeprefix(start).partition("]")[0])
    return str((one.spec.get("env") or ())[index].get("name"))


def _readdressed(node: Node, owner: Thing, called: Called, told: Dependency | None, there: list[str]) -> Fix:
    if told is not None and len(there) == 1:
        return rewrite(node.fleet, owner, told.path, told.text.replace(f":{called.port}", f":{there[0]}"))
    return Fix(text=f"decide: call port {listed(there)}, which Service {called.key.name} has")


def _absent(node: Node, one: Complaint) -> Iterator[Fault]:
    """Yield a fault for a host that a line says is not known, if it would be a Service of the cluster."""
    told = log_lines.telling([one.lines[-1]])
    if told is None or told.about is not About.UNREACHABLE or dns_failing.UNANSWERED.search(told.line):
        return
    key = in_cluster(told.host, node.key.namespace)
    if key is not None and node.cluster.is_absent(key):
        owner = pods.workload(node)
        yield Fault(
            rule=RULE,
            state="wrong host",
            cause=owner,
            about=f"{one.container} {told.host}",
            tell=partial(_no_such_host, node, owner, one, key),
        )


def _no_such_host(node: Node, owner: Thing, one: Complaint, key: ObjectKey) -> Finding:
    path = pods.template_path(node, owner, one.container)
    told = next((each for each in dependencies(node, one.spec, path) if each.key == key), None)
    by = _variable(one, told, path)
    return RULE.finding(
        str(owner),
        f"{owner}: container {one.container} calls {key.name}, and no Service {key.name} exists in namespace "
        f"{key.namespace}{f'; {by} names it' if by else ''}",
        evidence=[
            Evidence(kind=EvidenceKind.LOG, text=one.line, subject=node.key),
            *(line(node.fleet, owner, told.path) if told is not None else []),
        ],
        confidence=Confidence.TEXT,
        fix=no_service(node, key),
    )


# -- Policies that do not let a call through


class _Kept(msgspec.Struct, frozen=True):
    """One workload that a policy keeps from calling a Service."""

    caller: str
    called: str
    seen: Evidence

    def __str__(self) -> str:
        return f"{self.caller} {self.called}"


def _denied(node: Node, one: Complaint, called: Called) -> Iterator[Fault]:
    service = node.cluster.get(called.key) or {}
    for key in denying(node, called.key, service, called.port):
        seen = Evidence(kind=EvidenceKind.LOG, text=one.line, subject=node.key)
        yield Fault(
            rule=RULE,
            state="denied",
            cause=node.at(key),
            part=_Kept(str(pods.workload(node)), f"{called.key.name}{f':{called.port}' if called.port else ''}", seen),
            together=partial(_kept_off, node, key),
        )


def _refused(node: Node, one: Complaint, called: Called) -> Iterator[Fault]:
    """Yield a fault for the policies of a service mesh that select the pods called: its proxy says it was one."""
    called_pods = [key for key in calls.behind(node.cluster, called.key) if key.group_kind == pods.POD]
    labels = meta.labels(node.cluster.get(called_pods[0])) if called_pods else {}
    for key, obj in node.cluster.of_kind(_MESH_POLICY, called.key.namespace):
        wanted = ((obj.get("spec") or {}).get("selector") or {}).get("matchLabels") or {}
        if wanted.items() <= labels.items():
            seen = Evidence(kind=EvidenceKind.LOG, text=one.line, subject=node.key)
            yield Fault(
                rule=RULE,
                state="denied",
                cause=node.at(key),
                part=_Kept(str(pods.workload(node)), called.key.name, seen),
                together=partial(_kept_off, node, key),
            )


def _kept_off(node: Node, policy: ObjectKey, parts: Sequence[_Kept]) -> Finding:
    callers = list(dict.fromkeys(one.caller for one in parts))
    ports = {one.called.partition(":")[0]: one.called for one in sorted(parts, key=lambda one: len(one.called))}
    called = listed(sorted(ports.values()))
    return RULE.finding(
        policy.short,
        f"{policy.short} in {policy.namespace} keeps {listed(callers)} from calling {called}",
        evidence=[*(one.seen for one in parts[:2]), *line(node.fleet, node.at(policy), "spec", policy.short)],
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide: let {policy.short} in {policy.namespace} permit these calls, or give the callers the labels "
            "that it asks for"
        ),
    )
