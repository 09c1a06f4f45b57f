"""Parameters of one Application: what generators make, and how Go would print and flatten it.

Made by the generators beside this file, combined by `syncline.core.appset.combined`, put into the template by
`syncline.core.appset.generate`. Numbers are floats, as Go reads JSON; a list of texts that Go has as `[]string` is a
tuple and a map that Go has as `map[string]string` is a `StringMap`, since flattening leaves both whole.
"""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from syncline.core.appset.gotemplate.values import StringMap

Values = dict[str, Any]

_NAME_LENGTH = 253
_NOT_IN_NAMES = re.compile("[^-a-z0-9.]")
_SMALLEST, _LARGEST = -4, 6
"""Numbers with an exponent outside of this range are written with it, as Go's `%v` does."""


class Origin(NamedTuple):
    """Where parameters come from: a field of the ApplicationSet, or a file or folder of a repository."""

    field: str
    repo_url: str = ""
    file: str = ""
    line: int = 0


class Parameters(NamedTuple):
    """The parameters of one Application and where they come from, one origin for each generator that took part."""

    values: Values
    origins: tuple[Origin, ...] = ()


def from_json(value: Any) -> Any:
    """Return a value as Go reads it from JSON: every number is a float."""
    if isinstance(value, dict):
        return {str(name): from_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [from_json(member) for member in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def to_json(value: Any) -> Any:
    """Return a value for people and programs: whole numbers without a fraction."""
    if isinstance(value, Mapping):
        return {name: to_json(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(member) for member in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return int(value)
    return value


def go_text(value: Any) -> str:
    """Return how Go's `%v` prints a value."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case None:
            return "<nil>"
        case float() | int():
            return _number(float(value)) if isinstance(value, float) else str(value)
        case Mapping():
            return f"map[{' '.join(f'{name}:{go_text(value[name])}' for name in sorted(value))}]"
        case list() | tuple():
            return f"[{' '.join(map(go_text, value))}]"
        case _:
            return str(value)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else '+'}Inf"
    exact = decimal.Decimal(repr(value)).normalize()
    sign, digits, _ = exact.as_tuple()
    power = exact.adjusted()
    if value == 0 or _SMALLEST <= power < _LARGEST:
        return f"{exact:f}"
    first, *rest = map(str, digits)
    written = f"{first}.{''.join(rest)}" if rest else first
    return f"{'-' if sign else ''}{written}e{'-' if power < 0 else '+'}{abs(power):02d}"


def flattened(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested parameters with dots in their names; empty maps and lists vanish, those of texts stay whole."""
    return dict(_leaves("", values))


def _leaves(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and not isinstance(value, StringMap):
        for name, member in value.items():
            yield from _leaves(f"{prefix}.{name}" if prefix else name, member)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _leaves(f"{prefix}.{index}" if prefix else str(index), member)
    else:
        yield prefix, value


def flat_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return flattened parameters as texts, which is all that selectors and plain templates know."""
    return {name: go_text(value) for name, value in flattened(values).items()}


def normalized(name: str) -> str:
    """Return a text as part of a DNS name: lower case, other characters as dashes."""
    return _NOT_IN_NAMES.sub("-", name.lower())[:_NAME_LENGTH].strip("-.")
