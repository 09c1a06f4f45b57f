"""Checks fields by tables: a path below an object, and what its values must be.

The tables are `syncline.sandbox.kinds.pod_fields` and `syncline.sandbox.kinds.kind_fields`. In a path `[]` stands for
every element of a list. A field that is missing is checked too where the structure around it is there, with None:
`syncline.sandbox.kinds.checks.needed` refuses that, all other checks let it pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from syncline.apimachinery import names
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks
from syncline.sandbox.kinds.rules import go_value

Check = Callable[[str, Any], list[FieldCause]]
Row = tuple[str, Check]
_HEADER: Final = re.compile(r"[-A-Za-z0-9]+")
_HEADER_TEXT: Final = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for "
    "validation is '[-A-Za-z0-9]+')"
)


class Table:
    """Rows of paths and checks, joined to a tree: what is missing from an object is passed over as a whole."""

    __slots__ = ("elements", "fields", "own")

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.own: list[Check] = []
        self.fields: dict[str, Table] = {}
        self.elements: Table | None = None
        for path, wanted in rows:
            self._at(path).own.append(wanted)

    def _at(self, path: str) -> Table:
        """Return the part of the tree for a path, made where there is none yet."""
        found = self
        for name in path.split("."):
            found = found.fields.setdefault(name.removesuffix("[]"), Table())
            if name.endswith("[]"):
                found.elements = found = found.elements or Table()
        return found

    def check(self, value: Any, field: str) -> list[FieldCause]:
        """Return what is wrong with a value and the fields below it."""
        causes = [cause for wanted in self.own for cause in wanted(field, value)]
        if isinstance(value, dict):
            for name, inner in self.fields.items():
                item = value.get(name)
                if item is not None or inner.own:
                    causes += inner.check(item, f"{field}.{name}" if field else name)
        elif self.elements is not None and isinstance(value, list):
            for index, item in enumerate(value):
                causes += self.elements.check(item, f"{field}[{index}]")
        return causes


def one_of(*allowed: str) -> Check:
    """Refuse a word outside an enumeration."""
    return lambda field, value: checks.one_of(field, value, allowed)


def needed_of(*allowed: str) -> Check:
    """Refuse a missing word, and one outside an enumeration."""
    return lambda field, value: checks.needed(field, value) or checks.one_of(field, value, allowed)


def between(least: int, most: int) -> Check:
    """Refuse a number outside a range."""
    text = f"must be between {least} and {most}, inclusive"

    def found(field: str, value: Any) -> list[FieldCause]:
        wrong = isinstance(value, int) and not least <= value <= most
        return [errors.invalid_value(field, str(value), text)] if wrong else []

    return found


def above_zero(field: str, value: Any) -> list[FieldCause]:
    """Refuse a number that is not positive."""
    wrong = isinstance(value, int) and value <= 0
    return [errors.invalid_value(field, str(value), "must be greater than zero")] if wrong else []


def from_zero(field: str, value: Any) -> list[FieldCause]:
    """Refuse a negative number."""
    wrong = isinstance(value, int) and value < 0
    return [errors.invalid_value(field, str(value), "must be greater than or equal to 0")] if wrong else []


def mode(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not the mode of a file."""
    text = "must be a number between 0 and 0777 (octal), both inclusive"
    wrong = isinstance(value, int) and not 0 <= value <= 0o777
    return [errors.invalid_value(field, str(value), text)] if wrong else []


def _texts(rule: Callable[[str], list[str]]) -> Check:
    return lambda field, value: [] if value is None else checks.refused(field, str(value), rule(str(value)))


subdomain: Final = _texts(names.subdomain)
label: Final = _texts(names.label)
qualified: Final = _texts(names.qualified)
label_value: Final = _texts(names.label_value)
config_key: Final = _texts(names.config_key)
segment: Final = _texts(names.path_segment)


def filled_subdomain(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not a subdomain; an empty text is fine."""
    return subdomain(field, value or None)


def reference(field: str, value: Any) -> list[FieldCause]:
    """Refuse a missing name, and one that cannot be part of a path."""
    return checks.needed(field, value) or segment(field, value)


def address(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not an IP address; a missing one too."""
    return checks.address(field, value or "")


def local_path(field: str, value: Any) -> list[FieldCause]:
    """Refuse a path that leads out of its folder."""
    text = str(value or "")
    causes = checks.refused(field, text, ["must be a relative path"]) if text.startswith("/") else []
    return causes + (checks.refused(field, text, ["must not contain '..'"]) if ".." in text.split("/") else [])


def without_steps_up(field: str, value: Any) -> list[FieldCause]:
    """Refuse a path with steps up."""
    up = ".." in str(value or "").split("/")
    return checks.refused(field, str(value), ["must not contain '..'"]) if up else []


def absolute(field: str, value: Any) -> list[FieldCause]:
    """Refuse a path that does not start at the root."""
    wrong = value and not str(value).startswith("/")
    return checks.refused(field, str(value), ["must be an absolute path"]) if wrong else []


def header(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not the name of an HTTP header."""
    return [] if _HEADER.fullmatch(str(value or "")) else checks.refused(field, str(value or ""), [_HEADER_TEXT])


def unlike(*keys: str) -> Check:
    """Refuse elements of a list that have the same keys as one before."""

    def found(field: str, value: Any) -> list[FieldCause]:
        causes: list[FieldCause] = []
        seen: list[Any] = []
        for index, item in enumerate(value if isinstance(value, list) else ()):
            named = [(item or {}).get(key) for key in keys] if keys else item
            if named in seen and named != [None] * len(keys):
                where = f"{field}[{index}]" + (f".{keys[0]}" if len(keys) == 1 else "")
                shown = go_value(named[0] if len(keys) == 1 else named)
                causes.append(FieldCause(where, "FieldValueDuplicate", f"Duplicate value: {shown}"))
            seen.append(named)
        return causes

    return found


def below(path: str, rows: Iterable[Row]) -> list[Row]:
    """Return rows for a structure that stands deeper."""
    return [(f"{path}.{name}", wanted) for name, wanted in rows]
