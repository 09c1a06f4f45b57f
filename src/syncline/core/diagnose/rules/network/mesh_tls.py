"""A service mesh is told to call in plain text what takes mutual TLS only, or the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import part
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.workloads import calls, pods
from syncline.core.diagnose.graph.workloads.hosts import in_cluster
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="LIV-215",
    name="mesh-tls",
    severity=Severity.ERROR,
    summary="A DestinationRule and a PeerAuthentication disagree on mutual TLS, so no call gets through.",
    fix="set the same on both sides: ISTIO_MUTUAL for STRICT, DISABLE for DISABLE",
    looks_at=(LooksAt.LIVE,),
    why="With STRICT the proxy of the pods ends every connection in plain text; callers see that the connection was "
    "terminated before any header.",
)
_DESTINATION = GroupKind("networking.istio.io", "DestinationRule")
_PEERS = GroupKind("security.istio.io", "PeerAuthentication")
_ROOT = "istio-system"
_MATCHING = {"STRICT": "ISTIO_MUTUAL", "DISABLE": "DISABLE"}
_TAKEN = {"STRICT": "mutual TLS only (STRICT)", "DISABLE": "plain text only (DISABLE)"}
_CLASHES = (("STRICT", "DISABLE"), ("DISABLE", "ISTIO_MUTUAL"))


@on_node(RULE, _DESTINATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a rule that calls a Service in another way than its pods take."""
    spec = part(node.obj, "spec")
    mode = str(part(spec, "trafficPolicy", "tls").get("mode") or "")
    service = in_cluster(str(spec.get("host") or ""), node.key.namespace)
    if not mode or service is None or node.cluster.get(service) is None:
        return
    peers = _peers(node, service)
    if peers is not None and (peers[1], mode) in _CLASHES:
        yield Fault(rule=RULE, state="TLS differs", tell=partial(_finding, node, mode, service, *peers))


def _peers(node: Node, service: ObjectKey) -> tuple[ObjectKey, str] | None:
    """Return what decides which connections the pods of a Service take: the closest that says something."""
    pod = next((key for key in calls.behind(node.cluster, service) if key.group_kind == pods.POD), None)
    labels = meta.labels(node.cluster.get(pod)) if pod is not None else {}
    found = []
    for key, obj in node.cluster.of_kind(_PEERS):
        selector = part(obj, "spec", "selector")
        mode = str(part(obj, "spec", "mtls").get("mode") or "")
        near = key.namespace == service.namespace
        if mode in ("", "UNSET") or not (near or (key.namespace == _ROOT and not selector)):
            continue
        if not selector or _fits(selector, labels):
            found.append((not selector, not near, key, mode))
    closest = min(found, default=None)
    return closest[2:] if closest is not None else None


def _fits(selector: Object, labels: Mapping[str, str]) -> bool:
    try:
        return LabelSelector.from_object(selector).matches(labels)
    except InvalidSelector:
        return False


def _finding(node: Node, mode: str, service: ObjectKey, peers: ObjectKey, wanted: str) -> Finding:
    path = "spec.trafficPolicy.tls.mode"
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} calls Service {service.name} with tls.mode {mode}, and "
        f"{peers.short} in {peers.namespace} makes its pods take {_TAKEN[wanted]}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=f"tls.mode {mode}", subject=node.key, path=path),
            Evidence(kind=EvidenceKind.FIELD, text=f"mtls.mode {wanted}", subject=peers, path="spec.mtls.mode"),
            *line(node.fleet, node.thing, path),
        ],
        fix=rewrite(node.fleet, node.thing, path, _MATCHING[wanted]),
    )
