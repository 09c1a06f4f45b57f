"""Plain jq paths delete what jq itself deletes; jq is the judge."""

from typing import Any

import jq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.apimachinery import jq_paths
from syncline.apimachinery.jq_paths import PathFailed

FAILED = "failed"


def by_jq(expression: str, value: Any) -> Any:
    try:
        (result,) = jq.compile(f"del({expression})").input_value(value).all()
    except ValueError:
        return FAILED
    return result


def by_us(expression: str, value: Any) -> Any:
    path = jq_paths.parse(expression)
    assert path is not None
    try:
        return jq_paths.delete(value, path)
    except PathFailed:
        return FAILED


WEBHOOKS = {
    "webhooks": [
        {"name": "a", "clientConfig": {"caBundle": "x", "service": {"port": 443}}},
        {"name": "b", "clientConfig": {"url": "https://b"}},
        {"name": "c"},
        {"name": "d", "clientConfig": None},
    ],
    "spec": {"replicas": 3, "a b": {"c.d": [1, [2, 3], {}]}, "none": None, "text": "x", "yes": True},
    "metadata": {"annotations": {"deployment.kubernetes.io/revision": "4", "kept": "yes"}},
}


@pytest.mark.parametrize(
    "expression",
    [
        ".spec.replicas",
        ' .spec["replicas"] ',
        ".webhooks[].clientConfig.caBundle",
        ".webhooks[]?.clientConfig.service",
        ".webhooks[1]",
        ".webhooks[9].name",
        ".webhooks[9][].name",
        ".webhooks[]",
        ".spec[]",
        ".[]",
        '.metadata.annotations["deployment.kubernetes.io/revision"]',
        '.metadata.annotations."deployment.kubernetes.io/revision"',
        '.["metadata"]["annotations"]',
        '.spec["a b"]["c.d"][1][0]',
        ".spec.none.deep.er",
        ".spec.none[].deep",
        ".spec.none[]?.deep",
        ".spec.missing[0].x[]",
        ".spec.missing?.x",
        ".spec.text.x",
        ".spec.text.x?",
        ".spec.text[]",
        ".spec.text[]?",
        ".spec.yes[0]",
        ".spec[0]",
        ".spec[0]?",
        ".webhooks.name",
        ".webhooks[0]?.name",
        ".spec.[]",
        '.spec.["replicas"]',
        ".spec.and",
        ".missing",
    ],
)
def test_what_is_deleted_is_what_jq_deletes(expression: str) -> None:
    assert by_us(expression, WEBHOOKS) == by_jq(expression, WEBHOOKS)


NAMES = ("a", "b", "c d")
STEPS = st.one_of(
    st.sampled_from([".a", ".b", '["c d"]', '."c d"', "[]", "[0]", "[1]", ".[0]"]),
    st.sampled_from([".a?", '["b"]?', "[]?", "[1]?"]),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(STEPS, min_size=1, max_size=4), st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3))
def test_any_plain_path_does_what_jq_does(steps: list[str], value: dict[str, Any]) -> None:
    text = "".join(steps)
    expression = text if text.startswith(".") else f".{text}"
    before = jq.compile(".").input_value(value).first()
    assert by_us(expression, value) == by_jq(expression, value)
    assert value == before, "the object that was given is left as it was"


def test_parts_that_stay_are_shared() -> None:
    path = jq_paths.parse(".spec.replicas")
    assert path is not None
    after = jq_paths.delete(WEBHOOKS, path)
    assert after["webhooks"] is WEBHOOKS["webhooks"]
    nothing = jq_paths.parse(".spec.missing")
    assert nothing is not None
    assert jq_paths.delete(WEBHOOKS, nothing) is WEBHOOKS
