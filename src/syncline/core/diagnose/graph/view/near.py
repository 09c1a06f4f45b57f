"""Which existing name somebody may have meant, among very many: those that begin alike are looked at first."""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher

from syncline.apimachinery.nearest import nearest

_MANY = 200
_ALIKE = 0.75


def near(wanted: str, known: Collection[str]) -> list[str]:
    """Return up to three names that are so like the wanted one that they are worth naming."""
    few = sorted(known)
    if len(few) > _MANY:
        few = [name for name in few if name[:3] == wanted[:3]][:_MANY]
    found = nearest(wanted, few)
    return [name for name in found if SequenceMatcher(None, wanted, name).ratio() >= _ALIKE]
