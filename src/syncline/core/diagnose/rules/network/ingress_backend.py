"""An Ingress that leads nowhere: its class or the Service behind it does not exist, or has nobody behind it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references import read
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.reference import Reference

RULE = Rule(
    code="LIV-207",
    name="ingress-backend",
    severity=Severity.ERROR,
    summary="An Ingress names a class, a Service or a Service port that does not exist.",
    fix="name a class, Service and port that exist",
    looks_at=(LooksAt.LIVE,),
    why="Requests end in 404 or 503, or no controller handles the Ingress at all, so it never gets an address.",
)


@on_node(RULE, GroupKind("networking.k8s.io", "Ingress"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each name that does not resolve, and for Services that are bad themselves."""
    because = []
    told: set[ObjectKey] = set()
    for one in read.references(node.obj):
        if one.key in told or one.key.kind not in ("Service", "IngressClass"):
            continue
        told.add(one.key)
        if node.cluster.is_absent(one.key):
            yield Fault(rule=RULE, state="no backend", about=one.key.short, tell=partial(_absent, node, one))
        elif one.key.kind == "Service":
            because.append(node.at(one.key))
    if because:
        yield Fault(rule=RULE, state="no backend", because=tuple(because))
    yield from _ports(node)


def _ports(node: Node) -> Iterator[Fault]:
    for at, rule in enumerate((node.obj.get("spec") or {}).get("rules") or ()):
        for index, path in enumerate((rule.get("http") or {}).get("paths") or ()):
            backend = (path.get("backend") or {}).get("service") or {}
            service = node.cluster.get(ObjectKey("", "Service", node.key.namespace, str(backend.get("name") or "")))
            port = backend.get("port") or {}
            field = "number" if port.get("number") else "name"
            wanted = port.get(field)
            ports = (service.get("spec") or {}).get("ports") or () if service is not None else ()
            known = [one.get("port" if field == "number" else "name") for one in ports]
            if service is not None and ports and wanted and wanted not in known:
                where = f"spec.rules[{at}].http.paths[{index}].backend.service.port"
                yield Fault(
                    rule=RULE,
                    state="wrong port",
                    about=f"{backend.get('name')} {wanted}",
                    tell=partial(_port, node, str(backend.get("name")), wanted, list(ports), f"{where}.{field}"),
                )


def _absent(node: Node, one: Reference) -> Finding:
    space = one.key.namespace or None
    known = [key.name for key, _obj in node.cluster.of_kind(one.key.group_kind, space)]
    close = near(one.key.name, known) or (known if len(known) == 1 else [])
    fix = (
        rewrite(node.fleet, node.thing, one.path, close[0])
        if len(close) == 1
        else Fix(text=f"decide: name one that exists ({listed(close)}), or deliver {one.key.short}")
        if close
        else Fix(text=f"decide: deliver {one.key.short}, or name one that exists")
    )
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} names {one.key.short}, which does not exist",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=one.key.name, subject=node.key, path=one.path),
            *line(node.fleet, node.thing, one.path),
        ],
        fix=fix,
    )


def _port(node: Node, service: str, wanted: object, ports: list[dict[str, Any]], path: str) -> Finding:
    names = [str(one["name"]) for one in ports if one.get("name")]
    by_name = path.endswith(".name")
    shown = [f"{one.get('name')} ({one.get('port')})" if one.get("name") else str(one.get("port")) for one in ports]
    there = ObjectKey("", "Service", node.key.namespace, service)
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} points to port {wanted} of Service {service}, "
        f"which has {listed(shown)}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=str(wanted), subject=node.key, path=path),
            *line(node.fleet, node.thing, path),
            *line(node.fleet, node.at(there), "spec.ports", f"ports of Service {service}"),
        ],
        fix=_port_fix(node, path, names if by_name else [one.get("port") for one in ports], str(wanted), shown),
    )


def _port_fix(node: Node, path: str, known: list[Any], wanted: str, shown: list[str]) -> Fix:
    """Return the edit where one port alone can be meant; a Service without names has to be named by its number."""
    close = near(wanted, [str(one) for one in known]) if path.endswith(".name") else []
    meant = close[:1] or known if len(close) < 2 else close
    if len(meant) == 1:
        return rewrite(node.fleet, node.thing, path, meant[0])
    if not known:
        return Fix(text=f"decide: use port.number {' or '.join(shown)} instead of port.name; the port has no name")
    return Fix(text="decide which port of the Service it should point to")
