"""Services: cluster addresses, node ports, and what may not change."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import allocating, checks, outdated, statuses
from syncline.sandbox.kinds.rules import KindRules, go_value
from syncline.sandbox.store.store import RowKey

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")


_OF_CLUSTER = ("clusterIP", "clusterIPs", "internalTrafficPolicy", "ipFamilies", "ipFamilyPolicy")
"""What a Service gives up when it becomes a mere name."""


def _complete(backend: Backend, obj: Object, live: Object | None) -> Object:
    spec = dict(obj.get("spec") or {})
    kind = spec.get("type") or "ClusterIP"
    old = (live or {}).get("spec") or {}
    if kind != "ExternalName":
        spec["clusterIP"] = _cluster_address(backend, obj, old)
        spec.setdefault("clusterIPs", [spec["clusterIP"]])
        dual = spec["clusterIP"] == "None" and not spec.get("selector")
        spec.setdefault("ipFamilies", ["IPv4", "IPv6"] if dual else ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "RequireDualStack" if dual else "SingleStack")
    elif old and old.get("type") != "ExternalName":
        for field in _OF_CLUSTER:
            spec.pop(field, None)
    if kind in ("NodePort", "LoadBalancer"):
        allocating.check_ports(backend, allocating.place_of(obj), spec.get("ports") or [], old)
        manual = kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is False
        if not manual:
            place = allocating.place_of(obj)
            spec["ports"] = [_with_node_port(backend, place, port, old) for port in spec.get("ports") or ()]
    if kind == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local" and not spec.get("healthCheckNodePort"):
        known = old.get("healthCheckNodePort")
        spec["healthCheckNodePort"] = known or allocating.port(backend, allocating.place_of(obj))
    completed = {**obj, "spec": spec}
    if live is None:
        completed["status"] = {"loadBalancer": {}}
    return completed


def _cluster_address(backend: Backend, obj: Object, old: Object) -> str:
    asked, had = (obj.get("spec") or {}).get("clusterIP"), old.get("clusterIP")
    if asked and not had:
        allocating.check_address(backend, allocating.place_of(obj), str(asked))
    return str(asked or had or allocating.address(backend, allocating.place_of(obj)))


def _with_node_port(backend: Backend, place: RowKey, port: Object, old: Object) -> Object:
    if port.get("nodePort"):
        return port
    for known in old.get("ports") or ():
        if known.get("port") == port.get("port") and known.get("nodePort"):
            return {**port, "nodePort": known["nodePort"]}
    return {**port, "nodePort": allocating.port(backend, place)}


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    kind = spec.get("type") or "ClusterIP"
    causes = checks.one_of("spec.type", kind, _TYPES)
    if kind == "ExternalName":
        name = spec.get("externalName")
        causes += checks.subdomain("spec.externalName", name) if name else [errors.required("spec.externalName")]
    elif not spec.get("ports") and spec.get("clusterIP") != "None":
        causes.append(errors.required("spec.ports"))
    causes += _check_ports(spec.get("ports") or [], kind)
    causes += checks.label_keys("spec.selector", spec.get("selector"))
    causes += checks.one_of("spec.sessionAffinity", spec.get("sessionAffinity"), ("ClientIP", "None"))
    causes += _check_addresses(spec, kind)
    old = (live or {}).get("spec") or {}
    if live is not None and old.get("type") != "ExternalName" and spec.get("type") != "ExternalName":
        given, was = spec.get("clusterIP"), old.get("clusterIP")
        if was and given != was:
            text = "may not change once set"
            causes.append(errors.invalid_value("spec.clusterIPs[0]", f'["{given}"]', text))
    return causes


def _check_ports(ports: list[Object], kind: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    named: set[str] = set()
    pairs: set[tuple[object, object]] = set()
    for index, port in enumerate(ports):
        where, name = f"spec.ports[{index}]", port.get("name") or ""
        if not name and len(ports) > 1:
            causes.append(errors.required(f"{where}.name"))
        causes += checks.label(f"{where}.name", name)
        if name and name in named:
            causes.append(FieldCause(f"{where}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'))
        named.add(name)
        causes += checks.port(f"{where}.port", port.get("port"))
        causes += checks.one_of(f"{where}.protocol", port.get("protocol"), checks.PROTOCOLS)
        causes += checks.port(f"{where}.targetPort", port.get("targetPort") or port.get("port"))
        if port.get("nodePort") and kind == "ClusterIP":
            causes.append(errors.forbidden_field(f"{where}.nodePort", "may not be used when `type` is 'ClusterIP'"))
        pair = (port.get("protocol") or "TCP", port.get("port"))
        if pair in pairs:
            shown = {"Name": "", "Protocol": pair[0], "AppProtocol": None, "Port": pair[1]}
            text = f"Duplicate value: {go_value({**shown, 'TargetPort': 0, 'NodePort': 0})}"
            causes.append(FieldCause(where, "FieldValueDuplicate", text))
        pairs.add(pair)
    return causes


def _check_addresses(spec: Object, kind: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    address = spec.get("clusterIP") or ""
    if address == "None" and kind in ("NodePort", "LoadBalancer"):
        text = f"may not be set to 'None' for {kind} services"
        causes += checks.refused("spec.clusterIPs[0]", "None", [text])
    elif address not in ("", "None"):
        causes += checks.address("spec.clusterIPs[0]", address)
    for index, one in enumerate(spec.get("externalIPs") or ()):
        causes += checks.address(f"spec.externalIPs[{index}]", one)
    for index, one in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        causes += checks.network(f"spec.LoadBalancerSourceRanges[{index}]", str(one).strip())
    if spec.get("ipFamilyPolicy") == "RequireDualStack" and (address != "None" or spec.get("selector")):
        text = "this cluster is not configured for dual-stack services"
        causes += checks.refused("spec.ipFamilyPolicy", "RequireDualStack", [text])
    single = address != "None" or spec.get("selector")
    for index, family in enumerate(spec.get("ipFamilies") or () if single and kind != "ExternalName" else ()):
        if family == "IPv6":
            causes += checks.refused(f"spec.ipFamilies[{index}]", "IPv6", ["not configured on this cluster"])
    causes += checks.one_of("spec.trafficDistribution", spec.get("trafficDistribution"), _DISTRIBUTIONS)
    policy = spec.get("externalTrafficPolicy")
    if policy and kind not in ("NodePort", "LoadBalancer") and not spec.get("externalIPs"):
        text = "may only be set for externally-accessible services"
        causes += checks.refused("spec.externalTrafficPolicy", policy, [text])
    return causes


SERVICE = KindRules(
    warn=outdated.of_service,
    complete=_complete,
    validate=_validate,
    validate_status=statuses.check_service,
    returns_deleted=True,
)
