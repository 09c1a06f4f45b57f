"""Ingresses, IngressClasses, NetworkPolicies and EndpointSlices."""

from __future__ import annotations

import ipaddress
from typing import Any, Final

from syncline.apimachinery import names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, outdated
from syncline.sandbox.kinds.rules import KindRules

_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_WILDCARD: Final = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
    r"regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")


def _validate_ingress(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    if not spec.get("rules") and not spec.get("defaultBackend"):
        return [errors.invalid_value("spec", "null", "either `defaultBackend` or `rules` must be specified")]
    causes: list[FieldCause] = []
    if spec.get("defaultBackend") is not None:
        causes += _check_backend(spec["defaultBackend"], "spec.defaultBackend")
    for number, rule in enumerate(spec.get("rules") or ()):
        where = f"spec.rules[{number}]"
        causes += _check_host(rule.get("host") or "", f"{where}.host")
        if rule.get("http") is not None:
            causes += _check_paths(rule["http"].get("paths") or [], f"{where}.http.paths")
    for number, entry in enumerate(spec.get("tls") or ()):
        for index, host in enumerate(entry.get("hosts") or ()):
            causes += _check_name(str(host), f"spec.tls[{number}].hosts[{index}]")
    return causes + checks.subdomain("spec.ingressClassName", spec.get("ingressClassName"))


def _check_host(host: str, field: str) -> list[FieldCause]:
    if not host:
        return []
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return _check_name(host, field)
    return checks.refused(field, host, ["must be a DNS name, not an IP address"])


def _check_name(host: str, field: str) -> list[FieldCause]:
    """Refuse what is neither a DNS name nor all names below one."""
    if "*" not in host:
        return checks.refused(field, host, names.subdomain(host))
    below = host.removeprefix("*.")
    return checks.refused(field, host, [_WILDCARD] if below == host or names.subdomain(below) else [])


def _check_paths(paths: list[Object], field: str) -> list[FieldCause]:
    if not paths:
        return [errors.required(field)]
    causes: list[FieldCause] = []
    for index, path in enumerate(paths):
        where, kind, value = f"{field}[{index}]", path.get("pathType"), path.get("path") or ""
        if not kind:
            causes.append(errors.required(f"{where}.pathType", "pathType must be specified"))
        elif kind in ("Exact", "Prefix") and not value.startswith("/"):
            causes += checks.refused(f"{where}.path", value, ["must be an absolute path"])
        causes += checks.one_of(f"{where}.pathType", kind, _PATH_TYPES)
        causes += _check_backend(path.get("backend") or {}, f"{where}.backend")
    return causes


def _check_backend(backend: Object, field: str) -> list[FieldCause]:
    service = backend.get("service")
    if backend.get("resource") is not None:
        return []
    if service is None:
        return checks.refused(field, "", ["resource or service backend is required"])
    name = service.get("name") or ""
    where = f"{field}.service.name"
    causes = checks.label(where, name) if name else [errors.required(where)]
    port = service.get("port") or {}
    if not port.get("name") and not port.get("number"):
        causes.append(errors.required(field, "port name or number is required"))
    elif port.get("name") and port.get("number"):
        causes += checks.refused(field, "", ["cannot set both port name & port number"])
    elif port.get("name"):
        causes += checks.port_name(f"{field}.service.port.name", str(port["name"]))
    elif port.get("number"):
        causes += checks.port(f"{field}.service.port.number", port["number"])
    return causes


def _validate_class(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    controller = str((obj.get("spec") or {}).get("controller") or "")
    if not controller:
        return []
    if "/" not in controller:
        text = 'must be a domain-prefixed path (such as "acme.io/foo")'
        return checks.refused("spec.controller", controller, [text])
    return checks.subdomain("spec.controller", controller.partition("/")[0])


def _validate_policy(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    causes = checks.selector("spec.podSelector", spec.get("podSelector"))
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for number, rule in enumerate(spec.get(direction) or ()):
            where = f"spec.{direction}[{number}]"
            for index, port in enumerate(rule.get("ports") or ()):
                causes += _check_policy_port(port, f"{where}.ports[{index}]")
            for index, peer in enumerate(rule.get(peers) or ()):
                causes += _check_peer(peer, f"{where}.{peers}[{index}]")
    for index, kind in enumerate(spec.get("policyTypes") or ()):
        causes += checks.one_of(f"spec.policyTypes[{index}]", kind, ("Ingress", "Egress"))
    return causes


def _check_policy_port(port: Object, field: str) -> list[FieldCause]:
    causes = checks.one_of(f"{field}.protocol", port.get("protocol"), ("TCP", "UDP", "SCTP"))
    value: Any = port.get("port")
    return causes + (checks.port(f"{field}.port", value) if value is not None else [])


def _check_peer(peer: Object, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for part in ("podSelector", "namespaceSelector"):
        causes += checks.selector(f"{field}.{part}", peer.get(part))
    block = peer.get("ipBlock")
    if block is not None:
        causes += checks.network(f"{field}.ipBlock.cidr", block.get("cidr") or "")
        if peer.get("podSelector") is not None or peer.get("namespaceSelector") is not None:
            text = "may not specify both ipBlock and another peer"
            causes.append(errors.forbidden_field(field, text))
    elif peer.get("podSelector") is None and peer.get("namespaceSelector") is None:
        causes.append(errors.required(field, "must specify a peer"))
    return causes


def _complete_slice(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    return {"ports": None, **obj}


def _validate_slice(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    kind = obj.get("addressType")
    if not kind:
        return [errors.required("addressType")]
    causes = checks.one_of("addressType", kind, _ADDRESS_TYPES)
    for number, endpoint in enumerate(obj.get("endpoints") or ()):
        for index, address in enumerate(endpoint.get("addresses") or ()):
            where = f"endpoints[{number}].addresses[{index}]"
            causes += checks.subdomain(where, address) if kind == "FQDN" else checks.address(where, address)
    return causes


def _validate_endpoints(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for number, subset in enumerate(obj.get("subsets") or ()):
        for part in ("addresses", "notReadyAddresses"):
            for index, address in enumerate(subset.get(part) or ()):
                where, given = f"subsets[{number}].{part}[{index}].ip", address.get("ip") or ""
                wrong = checks.address(where, given)
                causes += wrong + (checks.refused(where, given, ["must be a valid IP address"]) if wrong else [])
    return causes


def _validate_ingress_status(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, one in enumerate(((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()):
        if one.get("ip"):
            causes += checks.address(f"status.loadBalancer.ingress[{index}].ip", one["ip"])
    return causes


INGRESS = KindRules(validate=_validate_ingress, validate_status=_validate_ingress_status, warn=outdated.of_ingress)
INGRESS_CLASS = KindRules(validate=_validate_class, fixed=True)
NETWORK_POLICY = KindRules(validate=_validate_policy)
ENDPOINT_SLICE = KindRules(complete=_complete_slice, validate=_validate_slice, fixed=True)
ENDPOINTS = KindRules(
    validate=_validate_endpoints,
    warning="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    fixed=True,
)
