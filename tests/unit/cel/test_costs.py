"""Expressions cost what a real API server says they cost."""

from __future__ import annotations

import pytest

from syncline.apimachinery.cel import program, types
from syncline.apimachinery.cel.program import Program
from syncline.apimachinery.schema import cel, crd
from tests.unit.cel import cases, costing

RECORDED = costing.recorded()


def shown(factor: float) -> str:
    return "more than 100" if factor > 100 else f"{factor:f}" if factor < 1.5 else f"{factor:.1f}"


@pytest.mark.parametrize("schema", costing.SCHEMAS)
def test_expressions_cost_at_most_what_the_api_server_says(schema: str) -> None:
    whole = {"type": "object", "properties": {"spec": costing.SCHEMAS[schema]}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": whole}}
    node = crd.schema_for({"spec": {"versions": [version]}}, "v1")
    assert node is not None
    found = {}
    for expression, (times, _) in RECORDED[schema].items():
        made = cel.compiled(costing.rule(expression), node.fields["spec"])
        assert isinstance(made, Program), (expression, made)
        factor = cel.most(made, node.fields["spec"]) * times / costing.BUDGET
        found[expression] = [times, shown(factor)]
    assert found == RECORDED[schema]


def test_every_expression_was_asked_for() -> None:
    assert {schema: tuple(costs) for schema, costs in RECORDED.items()} == dict.fromkeys(
        costing.SCHEMAS, costing.EXPRESSIONS
    )


MUCH = 10**9
# Without a type cel-go cannot tell which function sorts, and counts none.
UNTYPED = {"self.list.sort()", "self.list.sortBy(x, x)", "self.map.map(k, k).sort()"} | {
    "self.map.transformList(k, v, k).sort()"
}


def test_expressions_cost_while_they_run_what_the_library_of_the_api_server_says() -> None:
    recorded = costing.recorded_runs()
    assert tuple(recorded) == costing.RUN
    wanted = {one: cost for one, cost in recorded.items() if isinstance(cost, int) and one not in UNTYPED}
    assert len(wanted) > len(costing.RUN) - 10
    found = {}
    for expression in wanted:
        budget = program.Budget(MUCH)
        program.compiled(expression, {"self": types.DYN}).run({"self": cases.SELF}, budget)
        found[expression] = MUCH - budget.left
    assert found == wanted
