"""What expressions cost at most, as kube-apiserver 1.37.1 tells: costs.json has what it said to each of `cases`.

A rule is offered for the items of a list that may be so long that it costs a little more than allowed; the server says
by how much. `python -m tests.real.test_cel_costs` renews the record, tests/real asks again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.cel import cases

BUDGET = 10_000_000
_BOUNDS = ("maxItems", "maxLength", "maxProperties")


def _unbounded(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {name: _unbounded(part) for name, part in schema.items() if name not in _BOUNDS}


SCHEMAS: dict[str, dict[str, Any]] = {"bounded": cases.SCHEMA, "unbounded": _unbounded(cases.SCHEMA)}
EXPRESSIONS = tuple(one for one in cases.EXPRESSIONS if cases.RECORDED[one][:1] == "=")
RECORD = Path(__file__).with_name("costs.json")


def recorded() -> dict[str, dict[str, list[Any]]]:
    """Return how long the list was and by which factor the budget was exceeded, by schema and expression."""
    found: dict[str, dict[str, list[Any]]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def rule(expression: str) -> str:
    """Return a rule that works out an expression of any type."""
    return f"[{expression}].size() > 0"
