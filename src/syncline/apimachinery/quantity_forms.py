"""What quantity must be meant by a text that is none: `2cores` is 2, `1 GB` is 1G, `512mib` is 512Mi.

Asked by rules that explain a refused amount. A form is returned only where the text has one number and a unit that
people write for one of Kubernetes' own.
"""

from __future__ import annotations

import re

from syncline.apimachinery import quantity

_SHAPE = re.compile(r"([+-]?[0-9]+(?:[.,][0-9]+)?)\s*([A-Za-z ]*)")
_COUNTED = frozenset({"core", "cores", "cpu", "cpus", "vcpu", "vcpus", "b", "byte", "bytes"})
_BINARY = {"ki": "Ki", "mi": "Mi", "gi": "Gi", "ti": "Ti", "pi": "Pi"}
_DECIMAL = {"k": "k", "m": "M", "g": "G", "t": "T", "p": "P"}
_MILLI = frozenset({"m", "millicore", "millicores", "millicpu", "mcpu", "mcore", "mcores"})
_CPU = "cpu"


def meant(text: str, resource: str) -> str:
    """Return the quantity that a text for a resource must mean; empty where that is not told."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        return ""
    number, unit = found[1].replace(",", "."), found[2].replace(" ", "").lower()
    form = f"{number}{_suffix(unit, resource)}" if _suffix(unit, resource) is not None else ""
    return form if form != text and is_quantity(form) else ""


def is_quantity(value: object) -> bool:
    """Whether a value can be read as a quantity."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    try:
        quantity.parse(value)
    except quantity.InvalidQuantity:
        return False
    return True


def _suffix(unit: str, resource: str) -> str | None:
    """Return Kubernetes' own suffix for a unit, which may be none; None for a unit that nobody knows."""
    if not unit or unit in _COUNTED:
        return ""
    if resource == _CPU or resource.endswith(f".{_CPU}"):
        return "m" if unit in _MILLI else None
    bare = unit.removesuffix("bytes").removesuffix("byte").removesuffix("b") or unit
    return _BINARY.get(bare) or _DECIMAL.get(bare)
