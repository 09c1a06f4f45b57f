"""What calling a function costs at most, by how large its arguments can be.

Asked by `estimating` for every call. The numbers are those of an API server, whose budgets for rules are counted in
them: a step costs 1, to walk through a text a tenth of its length, a pattern a quarter of its own for each of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from syncline.apimachinery.cel.cost.spans import MOST, NOTHING, ONE, Span, fixed
from syncline.apimachinery.cel.types import Type

TEXT: Final = 0.1
PATTERN: Final = 0.25
LIST: Final = 10
MAP: Final = 30
OBJECT: Final = 40
CHECK: Final = 350_000
FORMAT_PATTERN: Final = 128
_FORMAT: Final = 64
_REQUIREMENT: Final = LIST + OBJECT


class Argument(NamedTuple):
    """An argument as far as it is known before anything runs."""

    size: Span
    """How large it can be; `UNKNOWN` where nothing tells."""
    type: Type
    element: Span
    """How large an element of it can be."""
    number: int | None = None
    """The number that is written there."""
    sized: bool = True
    """Whether anything tells its size."""


class CallCost(NamedTuple):
    """What a call costs, and how large its result can be if that is a text, list or mapping."""

    cost: Span
    size: Span | None = None


Estimate = Callable[[list[Argument], tuple[Type, ...]], CallCost]
"""From the arguments (that before the dot first) and the types of the signature to the cost, without the arguments'."""


def of_call(name: str, arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    """Return what one way to call a function costs at most."""
    estimate = _BY_NAME.get(name)
    return CallCost(ONE) if estimate is None else estimate(arguments, parameters)


def _check(_arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(fixed(CHECK))


def _selector(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    size = arguments[-1].size
    return CallCost(fixed(LIST).plus(size.scaled(TEXT)).plus(size.scaled(0.5).scaled(_REQUIREMENT)))


def _walked(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    """Estimate a walk through a list, or through a text."""
    of = arguments[0]
    if not of.type.args:
        return CallCost(of.size.scaled(TEXT))
    each = ONE
    if of.type.args[0].name in ("string", "bytes"):
        each = each.plus(of.element.scaled(TEXT))
    return CallCost(of.size.times(each))


def _read(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(arguments[0].size.scaled(TEXT))


def _rewritten(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(arguments[0].size.scaled(TEXT), arguments[0].size)


def _canonical(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(arguments[0].size.scaled(2 * TEXT))


def _replaced(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    size, old, new = (one.size for one in arguments[:3])
    # As often as can be, by the longest that can be; and the other way round.
    if old.low == 0:
        most, kept_most = min(size.high + 1, MOST), size.high
    elif new.high <= old.low:
        most, kept_most = 0, size.high
    else:
        most, kept_most = math.ceil(float(size.high) / float(old.low)), 0
    if old.high == 0:
        least, kept_least = min(size.low + 1, MOST), size.low
    elif old.high <= new.low:
        least, kept_least = 0, size.low
    else:
        least, kept_least = math.ceil(float(size.low) / float(old.high)), 0
    made = Span(least, min(most, MOST)).times(new).plus(Span(kept_least, kept_most))
    return CallCost(size.scaled(2 * TEXT), made)


def _split(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    size = arguments[0].size
    limit = arguments[2].number if len(arguments) > 2 else None
    most = size.high if limit is None else limit % (MOST + 1)
    return CallCost(size.scaled(2 * TEXT), Span(0, most))


def _joined(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    of = arguments[0]
    made = of.size.times(of.element) if of.type.args else NOTHING
    if len(arguments) > 1:
        between = Span(max(of.size.low - 1, 0), max(of.size.high - 1, 0))
        made = made.plus(arguments[1].size.times(between))
    return CallCost(made.scaled(TEXT), made)


def _found(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(_matched(arguments, parameters).cost, Span(0, arguments[0].size.high))


def _matched(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    text, pattern = arguments[0].size, arguments[1].size
    return CallCost(text.plus(ONE).scaled(TEXT).times(pattern.scaled(PATTERN)))


def _address(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(ONE) if parameters[0].name == "net.CIDR" else _read(arguments, parameters)


_BYTES: Final = Span(4, 16)


def _holds_address(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    cost = _BYTES.plus(_BYTES).scaled(TEXT)
    return CallCost(cost.plus(arguments[1].size.scaled(TEXT)) if parameters[1].name == "string" else cost)


def _holds_network(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(_holds_address(arguments, parameters).cost.plus(_BYTES.scaled(TEXT)).plus(ONE))


def _validated(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(arguments[1].size.scaled(TEXT).scaled(FORMAT_PATTERN * PATTERN))


def _equal(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    one, other = arguments
    name = one.type.name
    if one.type == other.type:
        if name in _QUICK:
            return CallCost(ONE)
        if name == "kubernetes.NamedFormat":
            return CallCost(Span(1, _FORMAT).scaled(TEXT))
        if name == "kubernetes.URL":
            return CallCost(Span(1, other.size.high if other.sized else 1).scaled(TEXT))
    return _compared(arguments, _parameters)


_OF: Final = "kubernetes.authorization"
_QUICK: Final = frozenset(
    {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"}
    | {f"{_OF}.{one}" for one in ("Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision")}
)


def _compared(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    most = min(arguments[0].size.high, arguments[1].size.high)
    return CallCost(Span(min(most, 1), most).scaled(TEXT))


def _ordered(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    texts = parameters[0].name in ("string", "bytes")
    return _compared(arguments, parameters) if texts else CallCost(ONE)


def _added(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    made = arguments[0].size.plus(arguments[1].size)
    if parameters[0].name in ("string", "bytes"):
        return CallCost(made.scaled(TEXT), made)
    return CallCost(ONE, made) if parameters[0].name == "list" else CallCost(ONE)


def _contained(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(arguments[0].size.scaled(TEXT).times(arguments[1].size.scaled(TEXT)))


def _begun(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(arguments[1].size.scaled(TEXT))


def _within(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    return CallCost(arguments[1].size.scaled(1)) if parameters[1].name == "list" else CallCost(ONE)


def _to_bytes(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    size = arguments[0].size
    if parameters[0].name != "string":
        return CallCost(ONE)
    return CallCost(size.scaled(TEXT), Span(size.low, size.high * 4 % (MOST + 1)))


def _to_text(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    size = arguments[0].size
    return (
        CallCost(size.scaled(TEXT), Span(size.low // 4, size.high)) if parameters[0].name == "bytes" else CallCost(ONE)
    )


def _quoted(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    size = arguments[0].size
    return CallCost(size.scaled(TEXT), Span((size.low + 2) % (MOST + 1), (size.high * 2 + 2) % (MOST + 1)))


def _listed(size: Span, factor: float = 1) -> CallCost:
    """Estimate the making of a list."""
    return CallCost(size.scaled(factor).plus(ONE).plus(fixed(LIST)), size)


def _sliced(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    begin = _natural(arguments[1], 0)
    return _listed(fixed((_natural(arguments[2], arguments[0].size.high) - begin) % (MOST + 1)))


def _natural(argument: Argument, otherwise: int) -> int:
    return otherwise if argument.number is None else max(argument.number, 0)


def _flattened(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    depth = _natural(arguments[1], MOST) if len(arguments) > 1 else 1
    return _listed(arguments[0].size, float(depth))


def sorted_by(keys: Argument) -> CallCost:
    """Estimate the sorting of a list by its keys."""
    text = keys.type.args and keys.type.args[0].name in ("string", "bytes")
    return _listed(keys.size.times(keys.size), 2.0 + (TEXT if text else 0))


def _sorted(arguments: list[Argument], parameters: tuple[Type, ...]) -> CallCost:
    return sorted_by(arguments[0]._replace(type=parameters[0]))


def _distinct(arguments: list[Argument], _parameters: tuple[Type, ...]) -> CallCost:
    return _listed(arguments[0].size.times(arguments[0].size), 2.0)


def _sets(factor: float) -> Estimate:
    return lambda arguments, _: CallCost(arguments[0].size.times(arguments[1].size).scaled(factor).plus(ONE))


_BY_NAME: Final[dict[str, Estimate]] = {
    "check": _check, "fieldSelector": _selector, "labelSelector": _selector,
    "isSorted": _walked, "sum": _walked, "max": _walked, "min": _walked, "indexOf": _walked, "lastIndexOf": _walked,
    "url": _rewritten, "jsonpatch.escapeKey": _rewritten, "lowerAscii": _rewritten, "upperAscii": _rewritten,
    "substring": _rewritten, "trim": _rewritten, "replace": _replaced, "split": _split, "join": _joined,
    "find": _found, "findAll": _found, "matches": _matched, "cidr": _read, "isIP": _read, "isCIDR": _read,
    "ip": _address, "ip.isCanonical": _canonical, "containsIP": _holds_address, "containsCIDR": _holds_network,
    "quantity": _read, "isQuantity": _read, "semver": _read, "isSemver": _read, "validate": _validated,
    "_==_": _equal, "_!=_": _compared, "_<_": _ordered, "_<=_": _ordered, "_>_": _ordered, "_>=_": _ordered,
    "_+_": _added, "contains": _contained, "startsWith": _begun, "endsWith": _begun, "@in": _within,
    "bytes": _to_bytes, "string": _to_text, "strings.quote": _quoted, "format": _read,
    "slice": _sliced, "flatten": _flattened, "reverse": lambda arguments, _: _listed(arguments[0].size),
    "lists.range": lambda arguments, _: _listed(fixed(_natural(arguments[0], MOST))),
    "sort": _sorted, "distinct": _distinct,
    "sets.contains": _sets(1), "sets.intersects": _sets(1), "sets.equivalent": _sets(2),
}  # fmt: skip
