"""Hands out the cluster addresses and node ports of Services, and refuses those that are taken or out of range.

Asked by `syncline.sandbox.kinds.services` before anything else is checked, as the real server does. Who holds what is
remembered in `Backend.reserved`; an entry counts only while the Service it names still holds it, so that neither a
delete, a refused write nor a dry run has to give anything back.
"""

from __future__ import annotations

import ipaddress
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.store.store import Bucket, RowKey

_PORTS: Final = range(30000, 32768)
_SERVICES: Final = Bucket("", "services")
_COUNTED: Final = "node ports"


def place_of(obj: Object) -> RowKey:
    """Return where a Service is kept."""
    return RowKey(_SERVICES, obj["metadata"].get("namespace", ""), obj["metadata"].get("name", ""))


def remember(backend: Backend, obj: Object) -> None:
    """Note what a stored Service holds."""
    for held in _held(obj.get("spec") or {}):
        backend.reserved[held] = place_of(obj)


def address(backend: Backend, place: RowKey) -> str:
    """Hand out a free cluster address."""
    network = ipaddress.ip_network(backend.settings.service_network)
    usable = network.num_addresses - 2
    for _ in range(usable):
        number = backend.addresses.get(backend.settings.service_network, 1) % usable + 1
        backend.addresses[backend.settings.service_network] = number
        if _reserve(backend, str(network[number]), place):
            return str(network[number])
    raise errors.StatusError(
        500, "InternalError", "Internal error occurred: failed to allocate a serviceIP: range is full"
    )


def port(backend: Backend, place: RowKey) -> int:
    """Hand out a free node port."""
    for _ in _PORTS:
        number = backend.addresses.get(_COUNTED, 0)
        backend.addresses[_COUNTED] = number + 1
        found = _PORTS[number % len(_PORTS)]
        if _reserve(backend, str(found), place):
            return found
    raise errors.StatusError(
        500, "InternalError", "Internal error occurred: failed to allocate a nodePort: range is full"
    )


def check_address(backend: Backend, place: RowKey, asked: str) -> None:
    """Take the cluster address a Service asks for; what is not an address is left to the kind's other rules."""
    try:
        parsed = ipaddress.ip_address(asked)
    except ValueError:
        return
    network = ipaddress.ip_network(backend.settings.service_network)
    if parsed not in network or parsed == network.network_address:
        told = "the provided network does not match the current range"
    elif not _reserve(backend, asked, place):
        told = "provided IP is already allocated"
    else:
        return
    text = f"failed to allocate IP {asked}: {told}"
    raise _refused(place, errors.invalid_value("spec.clusterIPs", f'["{asked}"]', text))


def check_ports(backend: Backend, place: RowKey, ports: list[Object], old: Object) -> None:
    """Take the node ports a Service asks for besides those it has."""
    own = {one.get("nodePort") for one in old.get("ports") or ()}
    seen: dict[int, set[str]] = {}
    for index, one in enumerate(ports):
        number, protocol = one.get("nodePort"), one.get("protocol") or "TCP"
        if not number:
            continue
        others = seen.setdefault(number, set())
        shared = bool(others) and protocol not in others
        taken = protocol in others
        others.add(protocol)
        if shared or (number in own and not taken):
            continue
        if number not in _PORTS:
            told = f"not in the valid range. The range of valid ports is {_PORTS.start}-{_PORTS.stop - 1}"
        elif taken or not _reserve(backend, str(number), place):
            told = "already allocated"
        else:
            continue
        cause = errors.invalid_value(f"spec.ports[{index}].nodePort", str(number), f"provided port is {told}")
        raise _refused(place, cause)


def _reserve(backend: Backend, held: str, place: RowKey) -> bool:
    """Note that a Service is about to hold something; False when one holds it."""
    holder = backend.reserved.get(held)
    row = backend.store.at(holder) if holder is not None else None
    if row is not None and held in _held(row.decode().get("spec") or {}):
        return False
    backend.reserved[held] = place
    return True


def _held(spec: Object) -> list[str]:
    ports = [str(one["nodePort"]) for one in spec.get("ports") or () if one.get("nodePort")]
    ports += [str(spec["healthCheckNodePort"])] if spec.get("healthCheckNodePort") else []
    return [spec["clusterIP"], *ports] if spec.get("clusterIP") not in (None, "", "None") else ports


def _refused(place: RowKey, cause: errors.FieldCause) -> errors.StatusError:
    return errors.invalid("Service", "", place.name, [cause])
