"""Subsets of Endpoints in one form: the same addresses behind the same ports are one subset, however they are written.

Called by `syncline.core.compare.kind_rules` on both sides. Ports are TCP where they do not say, an address that is
ready and not ready for one port is not ready, and the order of nothing counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from syncline.apimachinery.keys import Object

_Behind = dict[bytes, bool]
"""Addresses behind one port, and whether each is ready."""


def repacked(obj: Object) -> Object:
    """Return Endpoints with its subsets repacked; unchanged where they are not subsets."""
    subsets = obj.get("subsets")
    if not isinstance(subsets, list) or not all(_is_subset(subset) for subset in subsets):
        return obj
    addresses: dict[tuple[str, str], bytes] = {}
    by_port: dict[bytes, _Behind] = {}
    for subset in subsets:
        for port in _ports(subset):
            behind = by_port.setdefault(port, {})
            for address, ready in _addresses(subset):
                same = addresses.setdefault(_identity(address), _text(address))
                behind[same] = behind.get(same, True) and ready
    together: dict[bytes, tuple[_Behind, list[bytes]]] = {}
    for port, behind in by_port.items():
        together.setdefault(_text(sorted((one.decode(), ready) for one, ready in behind.items())), (behind, []))[
            1
        ].append(port)
    made = [_subset(behind, ports) for behind, ports in together.values()]
    return {**obj, "subsets": sorted(made, key=_text)}


def _is_subset(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    lists = [value.get(name) or [] for name in ("addresses", "notReadyAddresses", "ports")]
    return all(isinstance(items, list) and all(isinstance(item, dict) for item in items) for items in lists)


def _ports(subset: dict[str, Any]) -> list[bytes]:
    """Return the ports of a subset; one that has none keeps its addresses, behind no port."""
    ports = subset.get("ports") or ()
    return [_text({**port, "protocol": port.get("protocol") or "TCP"}) for port in ports] or [b""]


def _addresses(subset: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    yield from ((address, True) for address in subset.get("addresses") or ())
    yield from ((address, False) for address in subset.get("notReadyAddresses") or ())


def _identity(address: dict[str, Any]) -> tuple[str, str]:
    """Return what tells addresses apart: one IP may stand for several pods."""
    reference = address.get("targetRef")
    return str(address.get("ip") or ""), str(reference.get("uid") or "") if isinstance(reference, dict) else ""


def _subset(behind: _Behind, ports: list[bytes]) -> dict[str, Any]:
    parts = {
        "addresses": sorted(address for address, ready in behind.items() if ready),
        "notReadyAddresses": sorted(address for address, ready in behind.items() if not ready),
        "ports": sorted(port for port in ports if port),
    }
    return {name: [orjson.loads(item) for item in items] for name, items in parts.items() if items}


def _text(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
