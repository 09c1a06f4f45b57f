"""Expressions are taken, refused and worked out as by kube-apiserver, whose answers are recorded."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.cel import texts, values
from syncline.apimachinery.schema import cel, crd
from tests.unit.cel.cases import EXPRESSIONS, RECORDED, SCHEMA, SELF

NODE: Any = crd.node_from_openapi(SCHEMA)


def answer(expression: str) -> str:
    made = cel.compiled(expression, NODE)
    if isinstance(made, str):
        return made
    try:
        return f"={texts.shown(made.run({'self': SELF}))}"
    except values.Fault as fault:
        return f"!{fault}"


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_gives_what_the_server_gave(expression: str) -> None:
    assert answer(expression) == RECORDED[expression]
