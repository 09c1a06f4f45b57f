"""What the CEL rules of a CustomResourceDefinition may cost: each alone, and all together.

Filled by `syncline.sandbox.kinds.schemas`, rule by rule. A rule below lists and mappings counts as often as they can
have elements; where nothing bounds that, as often as its values fit into one request.
"""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.cel.cost.spans import MOST
from syncline.apimachinery.schema import cel_sizes
from syncline.apimachinery.schema.node import Node
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

_EACH: Final = 10_000_000
_ALL: Final = 100_000_000
_NAMED: Final = 4
_REMEDY: Final = (
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared"
)
_SHARE: Final = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"


class Costs:
    """The costs of one schema."""

    def __init__(self) -> None:
        self._total = 0
        self._dear: list[tuple[int, str]] = []

    def add(self, field: str, title: str, cost: int, node: Node, times: int | None) -> list[FieldCause]:
        """Count an expression; returns what is said where it alone costs too much."""
        cost = min(cost * (cel_sizes.repeats(node) if times is None else times), MOST)
        self._total = min(self._total + cost, MOST)
        if cost >= _ALL // 100:
            self._dear.append((cost, field))
        return [errors.forbidden_field(field, _told(title, cost, _EACH))] if cost > _EACH else []

    def told(self, field: str) -> list[FieldCause]:
        """Return what is said where all rules together cost too much: the dearest, and by how much."""
        if self._total <= _ALL:
            return []
        dearest = sorted(self._dear, key=lambda one: -one[0])[:_NAMED]
        title = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        return [
            *(errors.forbidden_field(where, _SHARE) for _, where in dearest),
            errors.forbidden_field(field, _told(title, self._total, _ALL)),
        ]


def _told(title: str, cost: int, limit: int) -> str:
    factor = cost / limit
    shown = "more than 100x" if factor > 100 else f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    return f"{title} exceeds budget by factor of {shown} ({_REMEDY})"
