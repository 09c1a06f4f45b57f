"""The columns of Services, EndpointSlices and Ingresses."""

from __future__ import annotations

from datetime import datetime

from syncline.apimachinery.keys import Object
from syncline.sandbox.tables.columns import AGE, NAME, TableColumn, at, dig, labels_text


def _addresses(obj: Object) -> list[str]:
    entries = dig(obj, ("status", "loadBalancer", "ingress"), [])
    return [entry.get("ip") or entry.get("hostname") or "" for entry in entries]


def _external(obj: Object, _now: datetime) -> str:
    spec = obj.get("spec") or {}
    outside = list(spec.get("externalIPs") or ())
    match spec.get("type"):
        case "ExternalName":
            return str(spec.get("externalName", ""))
        case "LoadBalancer":
            return ",".join([*_addresses(obj), *outside]) or "<pending>"
    return ",".join(outside) or "<none>"


def _ports(obj: Object, _now: datetime) -> str:
    told = []
    for port in (obj.get("spec") or {}).get("ports") or ():
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        told.append(f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}")
    return ",".join(told) or "<none>"


def _cluster_address(obj: Object, _now: datetime) -> str:
    return str(dig(obj, ("spec", "clusterIP")) or "<none>")


def _selector(obj: Object, _now: datetime) -> str:
    return labels_text((obj.get("spec") or {}).get("selector"))


def _slice_ports(obj: Object, _now: datetime) -> str:
    return ",".join(str(port.get("port", "*")) for port in obj.get("ports") or ()) or "<unset>"


def _slice_endpoints(obj: Object, _now: datetime) -> str:
    found = [address for one in obj.get("endpoints") or () for address in one.get("addresses") or ()]
    shown = ",".join(found[:3])
    return f"{shown} + {len(found) - 3} more..." if len(found) > 3 else shown or "<unset>"


def _hosts(obj: Object, _now: datetime) -> str:
    found = [rule["host"] for rule in (obj.get("spec") or {}).get("rules") or () if rule.get("host")]
    shown = ",".join(found[:3])
    return f"{shown} + {len(found) - 3} more..." if len(found) > 3 else shown or "*"


def _ingress_ports(obj: Object, _now: datetime) -> str:
    return "80, 443" if (obj.get("spec") or {}).get("tls") else "80"


def _ingress_address(obj: Object, _now: datetime) -> str:
    return ",".join(_addresses(obj))


SERVICES = (
    NAME,
    TableColumn("Type", at("spec", "type", default="ClusterIP")),
    TableColumn("Cluster-IP", _cluster_address),
    TableColumn("External-IP", _external),
    TableColumn("Port(s)", _ports),
    AGE,
    TableColumn("Selector", _selector, wide=True),
)
ENDPOINT_SLICES = (
    NAME,
    TableColumn("AddressType", at("addressType")),
    TableColumn("Ports", _slice_ports),
    TableColumn("Endpoints", _slice_endpoints),
    AGE,
)
INGRESSES = (
    NAME,
    TableColumn("Class", at("spec", "ingressClassName", default="<none>")),
    TableColumn("Hosts", _hosts),
    TableColumn("Address", _ingress_address),
    TableColumn("Ports", _ingress_ports),
    AGE,
)
