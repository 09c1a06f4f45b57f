"""A program ends because something it calls does not answer: effect of that Service, or a wrong address."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.graph.workloads import crashes, pods, policies
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.diagnose.graph.workloads.dependencies import Dependency, dependencies
from syncline.core.diagnose.graph.workloads.hosts import in_cluster
from syncline.core.diagnose.graph.workloads.log_lines import About
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.rules.network import dns_failing
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-203",
    name="dependency-unreachable",
    severity=Severity.ERROR,
    summary="A program fails because an address that it calls does not answer.",
    fix="correct the address or port, or bring up what should answer there",
    looks_at=(LooksAt.LIVE,),
    why="The log names a host. If that is a Service of the cluster without endpoints, the Service is the cause and "
    "this is an effect; if the cluster has no Service or port by that name, the address is wrong.",
)
_SERVICE = GroupKind("", "Service")


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container whose log says that a host does not answer, because of the Service it is."""
    for crash in crashes.crashes(node):
        if crash.told is None:
            yield from _by_environment(node, crash)
        if crashes.about(crash) is not About.UNREACHABLE or crash.told is None:
            continue
        if dns_failing.UNANSWERED.search(crash.told.line):
            continue
        key = service_of(node, crash.told.host)
        service = node.cluster.get(key) if key is not None else None
        wrong = service is not None and key is not None and not has_port(service, crash.told.port)
        because: tuple[Thing, ...] = (node.at(key),) if service is not None and key is not None and not wrong else ()
        if key is not None and service is None:
            because = tuple(node.at(one) for one in node.cluster.remembered(_custom).get((key.namespace, key.name), ()))
        outside = None if key is not None else node.outside("host", crash.told.host)
        yield Fault(
            rule=RULE,
            state=crash.state,
            because=because,
            cause=outside or crash.owner,
            about="" if outside is not None else f"{crash.name} {crash.told.host}",
            tell=partial(_finding, node, crash, key),
        )


def _custom(cluster: ClusterIndex) -> dict[tuple[str, str], list[ObjectKey]]:
    """Return custom resources by namespace and name: an operator names the Service of one after it."""
    found: dict[tuple[str, str], list[ObjectKey]] = {}
    for key in cluster.objects:
        if key.namespace and "." in key.group and not key.group.endswith(".k8s.io"):
            found.setdefault((key.namespace, key.name), []).append(key)
    return found


def _by_environment(node: Node, crash: Crash) -> Iterator[Fault]:
    """Yield a fault for each address that a container without a log is told to call, and that is not there."""
    path = pods.template_path(node, crash.owner, crash.name)
    for one in dependencies(node, crash.container.spec, path):
        service = node.cluster.get(one.key)
        if node.cluster.is_absent(one.key) or (service is not None and not has_port(service, one.port)):
            yield Fault(
                rule=RULE,
                state=crash.state,
                cause=crash.owner,
                about=f"{crash.name} {one.key.name} {one.port}",
                tell=partial(_told_by_field, node, crash, one),
            )


def is_told_by_environment(node: Node, crash: Crash) -> bool:
    """Whether a container without a log is told to call something that is not there."""
    return any(_by_environment(node, crash))


def _told_by_field(node: Node, crash: Crash, one: Dependency) -> Finding:
    service = node.cluster.get(one.key)
    return RULE.finding(
        str(crash.owner),
        f"{crash.owner}: container {crash.name} fails; it is configured to call {one.text}, "
        f"{_problem(node, one.key, one.key.name, one.port)}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=one.text, subject=crash.owner.key, path=one.path),
            *line(node.fleet, crash.owner, one.path),
            *crashes.evidence(node, crash),
        ],
        confidence=Confidence.TEXT,
        fix=_fix(node, one.key, service, one.key.name, one.port),
        since=str(crash.container.ended.get("finishedAt") or ""),
    )


def service_of(node: Node, host: str) -> ObjectKey | None:
    """Return the Service that a host name or cluster address means; None for what is outside the cluster."""
    if _is_address(host):
        return node.cluster.remembered(_by_address).get(host)
    return in_cluster(host, node.key.namespace)


def _by_address(cluster: ClusterIndex) -> dict[str, ObjectKey]:
    services = cluster.of_kind(_SERVICE)
    return {str((obj.get("spec") or {}).get("clusterIP")): key for key, obj in services}


def ports(service: Object) -> list[str]:
    """Return the ports of a Service."""
    return [str(one.get("port")) for one in (service.get("spec") or {}).get("ports") or ()]


def has_port(service: Object, port: str) -> bool:
    """Whether a Service answers at a port; a headless one does wherever its pods do."""
    there = ports(service)
    return not port or not there or port in there or (service.get("spec") or {}).get("clusterIP") == "None"


def _finding(node: Node, crash: Crash, key: ObjectKey | None) -> Finding:
    told = crash.told
    host, port = (told.host, told.port) if told is not None else ("", "")
    service = node.cluster.get(key) if key is not None else None
    held = denying(node, key, service, port) if key is not None and service is not None else []
    return RULE.finding(
        str(crash.owner),
        f"{crash.owner}: container {crash.name} calls {host}{f':{port}' if port else ''}, "
        f"{_problem(node, key, host, port)}",
        evidence=[
            *crashes.evidence(node, crash),
            *(found for one in held for found in line(node.fleet, node.at(one), "spec", one.short)),
        ],
        confidence=Confidence.TEXT,
        fix=_fix(node, key, service, host, port),
        since=str(crash.container.ended.get("finishedAt") or ""),
    )


def _problem(node: Node, key: ObjectKey | None, host: str, port: str) -> str:
    if key is None:
        where = "which no Service here has" if _is_address(host) else "which is outside the cluster"
        return f"{where} and does not answer"
    service = node.cluster.get(key)
    if service is None:
        if node.cluster.is_absent(ObjectKey("", "Namespace", "", key.namespace)):
            return f"and namespace {key.namespace} does not exist"
        return f"and no Service {key.name} exists in namespace {key.namespace}"
    if not has_port(service, port):
        return f"a port that Service {key.name} does not have"
    if held := denying(node, key, service, port):
        return f"Service {key.name}, and {_permit(held)} not permit that"
    return f"and Service {key.name}, which looks well, does not answer it"


def _permit(held: list[ObjectKey]) -> str:
    return f"{listed([one.short for one in held])} {'does' if len(held) == 1 else 'do'}"


def denying(node: Node, key: ObjectKey, service: Object, port: str) -> list[ObjectKey]:
    """Return the NetworkPolicies that keep the pod from those behind a Service."""
    selector = (service.get("spec") or {}).get("selector") or {}
    behind = node.cluster.selected(key.namespace, {str(name): str(value) for name, value in selector.items()})
    targets = {str(one.get("port")): one.get("targetPort") for one in (service.get("spec") or {}).get("ports") or ()}
    target = str(targets.get(port) or port)
    return policies.denying(node.cluster, node.obj, behind[0][1], target) if behind else []


def _is_address(host: str) -> bool:
    return host.replace(".", "").isdigit()


def _fix(node: Node, key: ObjectKey | None, service: Object | None, host: str, port: str) -> Fix:
    if key is None:
        return Fix(
            text=f"decide: check whether {host} is right and reachable from the cluster; it was not checked from here"
        )
    if service is None:
        return no_service(node, key)
    if not has_port(service, port):
        return Fix(text=f"decide: call port {listed(ports(service))}, which Service {key.name} has")
    if held := denying(node, key, service, port):
        which = listed([f"{one.short} in {one.namespace}" for one in held])
        return Fix(
            text=f"decide: let {which} permit this call to port {port or 'of the Service'}, or call something else"
        )
    return Fix(text="decide: check what is between them: NetworkPolicies, a protocol, a program that is not listening")


def no_service(node: Node, key: ObjectKey) -> Fix:
    """Return what to do about a Service that is called and not there."""
    others = node.cluster.of_kind(_SERVICE)
    same = [one.namespace for one, _obj in others if one.name == key.name]
    if same:
        return Fix(text=f"decide: Service {key.name} is in {listed(same)}: name that namespace in the address")
    close = near(key.name, [one.name for one, _obj in others if one.namespace == key.namespace])
    hint = f" (near: {listed(close)})" if close else ""
    return Fix(text=f"decide: correct the address{hint}, or deliver Service {key.name}")
