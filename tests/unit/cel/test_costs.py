"""Expressions cost what a real API server says they cost."""

from __future__ import annotations

import pytest

from syncline.apimachinery.cel.program import Program
from syncline.apimachinery.schema import cel, crd
from tests.unit.cel import costing

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
