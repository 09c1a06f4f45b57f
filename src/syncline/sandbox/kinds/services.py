"""Services: cluster addresses, node ports, and what may not change."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import NODE_PORTS, Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds.rules import Rules

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")


def _complete(backend: Backend, obj: Object, live: Object | None) -> Object:
    spec = dict(obj.get("spec") or {})
    kind = spec.get("type") or "ClusterIP"
    old = (live or {}).get("spec") or {}
    if kind != "ExternalName":
        if not spec.get("clusterIP"):
            spec["clusterIP"] = old.get("clusterIP") or backend.next_address("10.96")
        spec.setdefault("clusterIPs", [spec["clusterIP"]])
        dual = spec["clusterIP"] == "None" and not spec.get("selector")
        spec.setdefault("ipFamilies", ["IPv4", "IPv6"] if dual else ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "RequireDualStack" if dual else "SingleStack")
    if kind in ("NodePort", "LoadBalancer"):
        spec["ports"] = [_with_node_port(backend, port, old) for port in spec.get("ports") or ()]
    completed = {**obj, "spec": spec}
    if live is None:
        completed["status"] = {"loadBalancer": {}}
    return completed


def _with_node_port(backend: Backend, port: Object, old: Object) -> Object:
    if port.get("nodePort"):
        return port
    for known in old.get("ports") or ():
        if known.get("port") == port.get("port") and known.get("nodePort"):
            return {**port, "nodePort": known["nodePort"]}
    number = backend.addresses.get(NODE_PORTS, 0)
    backend.addresses[NODE_PORTS] = number + 1
    return {**port, "nodePort": 30000 + number % 2768}


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    causes: list[Cause] = []
    kind = spec.get("type") or "ClusterIP"
    if kind not in _TYPES:
        causes.append(errors.not_supported("spec.type", kind, _TYPES))
    if kind == "ExternalName" and not spec.get("externalName"):
        causes.append(errors.required("spec.externalName"))
    if not spec.get("ports") and spec.get("type") != "ExternalName" and spec.get("clusterIP") != "None":
        causes.append(errors.required("spec.ports"))
    for index, port in enumerate(spec.get("ports") or ()):
        number = port.get("port")
        if not isinstance(number, int) or not 0 < number < 65536:
            text = "must be between 1 and 65535, inclusive"
            causes.append(errors.invalid_value(f"spec.ports[{index}].port", str(number or 0), text))
            if port.get("targetPort") == number:
                causes.append(errors.invalid_value(f"spec.ports[{index}].targetPort", str(number or 0), text))
        if len(spec["ports"]) > 1 and not port.get("name"):
            causes.append(errors.required(f"spec.ports[{index}].name"))
    old = (live or {}).get("spec") or {}
    if live is not None and old.get("type") != "ExternalName" and spec.get("type") != "ExternalName":
        given, was = spec.get("clusterIP"), old.get("clusterIP")
        if was and given != was:
            text = "may not change once set"
            causes.append(errors.invalid_value("spec.clusterIPs[0]", f'["{given}"]', text))
    return causes


SERVICE = Rules(complete=_complete, validate=_validate, returns_deleted=True)
