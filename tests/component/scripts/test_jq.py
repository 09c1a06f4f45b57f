"""jq path expressions: what is deleted, which texts users rely on, and what an error may not show."""

from typing import Any

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from tests.component.scripts import processes
from tests.component.scripts.making import delete

WEB = {"name": "web", "env": [{"name": "A", "value": "1"}]}
PROXY = {"name": "istio-proxy", "image": "x"}
SPEC = {"containers": [WEB, PROXY], "secret": "canary"}
POD = {"metadata": {"name": "p"}, "spec": SPEC}


@pytest.mark.parametrize(
    ("expression", "spec"),
    [
        ('.spec.containers[] | select(.name == "istio-proxy")', {"containers": [WEB], "secret": "canary"}),
        (".spec.containers[].env, .spec.secret", {"containers": [{"name": "web"}, PROXY]}),
        (".spec.secret", {"containers": [WEB, PROXY]}),
        (".spec.secret) | .spec.containers |= (length", {"containers": 2}),
        (".spec.missing | .deeper", SPEC),
    ],
)
async def test_what_an_expression_points_at_is_deleted(expression: str, spec: Any, evaluator: ScriptEvaluator) -> None:
    (result,) = await evaluator.evaluate([delete(expression, POD)])
    assert result.value == {"metadata": {"name": "p"}, "spec": spec}


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        (".spec |", "the jq path expression .spec | cannot be parsed: syntax error, unexpected ')'"),
        ("nosuch", "the jq path expression nosuch cannot be parsed: nosuch/0 is not defined"),
        (".spec.secret[] | .x", "the jq path expression .spec.secret[] | .x failed: Cannot iterate over string"),
        (".spec.secret | .x", "the jq path expression .spec.secret | .x failed: Cannot index string"),
        (".spec.secret[]", "the jq path expression .spec.secret[] failed: Cannot iterate over string"),
        (".spec | to_entries", "the jq path expression .spec | to_entries failed: Invalid path expression"),
        (".spec.secret | error", "the jq path expression .spec.secret | error failed: the object does not fit it"),
        (".a) | empty | (.", "the jq path expression .a) | empty | (. returned no result, expected exactly one"),
        (
            ".a) | 1, 2 | (.",
            "the jq path expression .a) | 1, 2 | (. returned more than one result, expected exactly one",
        ),
    ],
)
async def test_failures_name_the_expression_and_show_no_value(
    expression: str, error: str, evaluator: ScriptEvaluator
) -> None:
    (result,) = await evaluator.evaluate([delete(expression, POD)])
    assert result.error.startswith(error)
    assert "canary" not in result.error


async def test_a_plain_path_needs_no_worker(evaluator: ScriptEvaluator) -> None:
    before = processes.workers()
    await evaluator.evaluate([delete(".spec.containers[].env", POD)])
    assert processes.workers() == before
