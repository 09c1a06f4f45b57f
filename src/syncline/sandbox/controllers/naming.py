"""Decides which of its names a definition gets: those that no other definition of its group has already.

Asked by `syncline.sandbox.controllers.definitions`. Every name is looked at by itself, and of several that are taken
the last one gives the reason, as on a real cluster.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from syncline.apimachinery.keys import Object

_REASONS: Final = {
    "plural": "PluralConflict",
    "singular": "SingularConflict",
    "shortNames": "ShortNamesConflict",
    "kind": "KindConflict",
    "listKind": "ListKindConflict",
}
_KINDS: Final = ("kind", "listKind")


class Accepted(NamedTuple):
    """The names a definition has, and why it did not get the others (empty when it has all)."""

    names: Object
    reason: str = ""
    message: str = ""


def accept(wanted: Object, had: Object, others: Iterable[Object]) -> Accepted:
    """Return what a definition gets; `others` are the accepted names of the other definitions of its group."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        resources |= {other.get("plural", ""), other.get("singular", ""), *(other.get("shortNames") or ())}
        kinds |= {other.get("kind", ""), other.get("listKind", "")}
    names: Object = {"plural": "", "kind": "", **had}
    reason = message = ""
    for field, conflict in _REASONS.items():
        taken = kinds if field in _KINDS else resources
        clashes = [name for name in _listed(wanted.get(field)) if name in taken and name not in _listed(had.get(field))]
        if clashes:
            reason, message = conflict, _told([f'"{name}" is already in use' for name in clashes])
        else:
            names[field] = wanted.get(field)
    names["categories"] = wanted.get("categories")
    return Accepted({field: value for field, value in names.items() if value is not None}, reason, message)


def _listed(value: str | list[str] | None) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return value or []


def _told(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
