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
RUNS = Path(__file__).with_name("run_costs.json")
_MORE = (
    "optional.none().optMap(x, x).hasValue()",
    "optional.of(1).optFlatMap(x, optional.of(x)).hasValue()",
    "optional.none().optFlatMap(x, optional.of(x)).hasValue()",
    "self.list.exists_one(x, x == 'q')",
    "[1, 1, 2].exists_one(x, x == 1)",
    "self.numbers.filter(x, x > 1)",
    "type(1) == int",
    "type(self.text) == string",
    "self.text == 'hello' ? self.list : self.list",
    "self.text == 'hello' ? self.number : 3",
    "self.number > 1 ? self.number + 1 : 3",
    "self.yes ? self.list[0] : self.text",
    "'a' + string(1) == 'a1'",
    "[1, 2, 3].exists(x, x == 3)",
    "[1, 2, 3].all(x, x < 3)",
    "[1, 2, 3].all(x, x < 2)",
    "self.map[self.list[0]] == 1 || true",
    "self.none == 'x' || true",
    "size(self.list) > 0 && self.list[0] == 'b'",
)
_BY_CHANCE = ("self.map.exists(k, v, k == 'y' && v == 2)",)
"""A search in a map ends where it finds something, and a Go map has no order: the library says 14 or 17."""
RUN = tuple(one for one in (*EXPRESSIONS, *_MORE) if one not in _BY_CHANCE)


def recorded() -> dict[str, dict[str, list[Any]]]:
    """Return how long the list was and by which factor the budget was exceeded, by schema and expression."""
    found: dict[str, dict[str, list[Any]]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def rule(expression: str) -> str:
    """Return a rule that works out an expression of any type."""
    return f"[{expression}].size() > 0"


def recorded_runs() -> dict[str, Any]:
    """Return what each expression of RUN costs while it runs; a text where nobody can say."""
    found: dict[str, Any] = json.loads(RUNS.read_text(encoding="utf-8"))
    return found
