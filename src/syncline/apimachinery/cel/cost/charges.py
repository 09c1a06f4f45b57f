"""What a call did cost, by what it was given: charged by `compiling` while an expression runs.

The numbers are those of an API server, as in `call_costs`, which estimates the same before anything runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from syncline.apimachinery.cel.cost.call_costs import CHECK, LIST, OBJECT, PATTERN, TEXT
from syncline.apimachinery.cel.formats import Format
from syncline.apimachinery.cel.network import Cidr, Ip
from syncline.apimachinery.cel.values import Opaque, Optional

Charge = Callable[[tuple[Any, ...], Any], int]
"""From arguments and result to the cost."""


def of_call(name: str) -> Charge | None:
    """Return what reckons the cost of a function, None where every call costs 1."""
    return _BY_NAME.get(name)


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | Mapping):
        return len(value)
    if isinstance(value, Optional):
        return _size(value.value) if value.there else 1
    if isinstance(value, Cidr):
        return math.ceil(value.bits / 8)
    return value.address.max_prefixlen // 8 if isinstance(value, Ip) else 1


def _walk(factor: float) -> Charge:
    return lambda given, _result: math.ceil(_size(given[0]) * factor)


def _second(given: tuple[Any, ...], _result: Any) -> int:
    return math.ceil(_size(given[1]) * TEXT)


def _matched(given: tuple[Any, ...], _result: Any) -> int:
    return math.ceil((1 + _size(given[0])) * TEXT) * math.ceil(_size(given[1]) * PATTERN)


def _validated(given: tuple[Any, ...], _result: Any) -> int:
    shape: Format = given[0]
    return math.ceil((1 + _size(given[1])) * TEXT) * math.ceil(_PATTERNS.get(shape.name, 30) * PATTERN)


_PATTERNS: Final = {
    "dns1123Subdomain": 60, "dns1123SubdomainPrefix": 60, "qualifiedName": 60, "labelValue": 40,
    "uri": 1103, "uuid": 70, "byte": 84, "date": 70, "datetime": 70,
}  # fmt: skip
"""Letters of the patterns of formats, where they are not 30."""


def _contained(given: tuple[Any, ...], _result: Any) -> int:
    return math.ceil(_size(given[0]) * TEXT) * math.ceil(_size(given[1]) * TEXT)


def _compared(given: tuple[Any, ...], _result: Any) -> int:
    one, other = given
    if isinstance(one, Opaque) and not isinstance(one, Optional):
        return 1
    return math.ceil(min(_size(one), _size(other)) * TEXT)


def _ordered(given: tuple[Any, ...], _result: Any) -> int:
    return _compared(given, None) if isinstance(given[0], str | bytes) else 1


def _added(given: tuple[Any, ...], _result: Any) -> int:
    one, other = given
    return math.ceil((len(one) + len(other)) * TEXT) if isinstance(one, str | bytes) else 1


def _within(given: tuple[Any, ...], _result: Any) -> int:
    return _size(given[1]) if isinstance(given[1], list) else 1


def _converted(wanted: type) -> Charge:
    return lambda given, _result: math.ceil(_size(given[0]) * TEXT) if isinstance(given[0], wanted) else 1


def _traversed(given: tuple[Any, ...], _result: Any) -> int:
    return traversal(given[0])


def traversal(value: Any) -> int:
    """Return what it costs to walk through all of a value."""
    if isinstance(value, str):
        return int(len(value.encode()) * TEXT)
    if isinstance(value, bytes):
        return int(len(value) * TEXT)
    if isinstance(value, list):
        return sum(map(traversal, value))
    if isinstance(value, Mapping):
        return sum(traversal(key) + traversal(item) for key, item in value.items())
    return 1


def _listed(size: int, factor: float = 1) -> int:
    return int(size * factor) + 1 + LIST


def self_compared(items: Any) -> int:
    """Return what it costs to hold each element of a list against each other."""
    text = bool(items) and isinstance(items[0], str | bytes)
    return _listed(len(items) ** 2, 2.0 + (TEXT if text else 0))


def _flattened(given: tuple[Any, ...], _result: Any) -> int:
    depth = float(given[1]) if len(given) == 2 else 1.0
    return _listed(len(given[0]), depth if depth >= 0 else 1.0)


def _sets(factor: int) -> Charge:
    return lambda given, _result: 1 + len(given[0]) * len(given[1]) * factor


def _holds_address(given: tuple[Any, ...], _result: Any) -> int:
    cost = math.ceil(2 * _size(given[0]) * TEXT)
    return cost + math.ceil(_size(given[1]) * TEXT) if isinstance(given[1], str) else cost


def _holds_network(given: tuple[Any, ...], _result: Any) -> int:
    return _holds_address(given, None) + math.ceil(_size(given[0]) * TEXT) + 1


def _address(given: tuple[Any, ...], _result: Any) -> int:
    return 1 if isinstance(given[0], Cidr) else math.ceil(_size(given[0]) * TEXT)


def _selector(given: tuple[Any, ...], _result: Any) -> int:
    size = _size(given[1])
    return LIST + math.ceil(size * TEXT) + math.ceil(math.ceil(size * 0.5) * (LIST + OBJECT))


_READ: Final = _walk(TEXT)
_BY_NAME: Final[dict[str, Charge]] = {
    "check": lambda _given, _result: CHECK, "fieldSelector": _selector, "labelSelector": _selector,
    "isSorted": _traversed, "sum": _traversed, "max": _traversed, "min": _traversed,
    "indexOf": _traversed, "lastIndexOf": _traversed,
    "url": _READ, "lowerAscii": _READ, "upperAscii": _READ, "substring": _READ, "trim": _READ,
    "jsonpatch.escapeKey": _READ, "replace": _walk(2 * TEXT), "split": _walk(2 * TEXT),
    "join": lambda _given, result: math.ceil(_size(result) * 2 * TEXT),
    "find": _matched, "findAll": _matched, "matches": _matched, "validate": _validated,
    "cidr": _READ, "isIP": _READ, "isCIDR": _READ, "ip": _address, "ip.isCanonical": _walk(2 * TEXT),
    "containsIP": _holds_address, "containsCIDR": _holds_network,
    "quantity": _READ, "isQuantity": _READ, "semver": _READ, "isSemver": _READ,
    "_==_": _compared, "_!=_": _compared, "_<_": _ordered, "_<=_": _ordered, "_>_": _ordered, "_>=_": _ordered,
    "_+_": _added, "contains": _contained, "startsWith": _second, "endsWith": _second, "@in": _within,
    "bytes": _converted(str), "string": _converted(bytes), "strings.quote": _READ, "format": _READ,
    "slice": lambda _given, result: _listed(len(result)), "reverse": lambda _given, result: _listed(len(result)),
    "lists.range": lambda _given, result: _listed(len(result)), "flatten": _flattened,
    "sort": lambda given, _result: self_compared(given[0]), "distinct": lambda given, _result: self_compared(given[0]),
    "sets.contains": _sets(1), "sets.intersects": _sets(1), "sets.equivalent": _sets(2),
}  # fmt: skip
