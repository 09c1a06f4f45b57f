"""jq path expressions followed without jq: what they delete is what jq deletes."""

import copy
from typing import Any

import jq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.apimachinery import cuts, jq_paths

OBJ: dict[str, Any] = {
    "metadata": {"annotations": {"a.b/c": "1", "plain": "2"}, "finalizers": ["x", "y"]},
    "spec": {
        "replicas": 3,
        "paused": False,
        "nothing": None,
        "containers": [
            {"name": "web", "image": "a", "env": [{"name": "A", "value": "1"}, {"name": "B"}]},
            {
                "name": "proxy",
                "image": "b",
                "ports": [{"port": 80, "protocol": "TCP"}, {"port": 80, "protocol": "UDP"}],
            },
        ],
    },
}

FOLLOWED = [
    ".spec.replicas",
    " .spec.replicas ",
    ".spec.missing.deeper",
    ".spec.nothing.deeper",
    '.metadata.annotations["a.b/c"]',
    '.metadata.annotations."a.b/c"',
    '.metadata["annotations"].plain',
    '.["spec"]["replicas"]',
    ".spec.containers[]",
    ".spec.containers[].image",
    ".spec.containers[0].image",
    ".spec.containers[-1].image",
    ".spec.containers[7].image",
    ".spec.containers[0,1]",
    ".spec.containers[]?.env[]?.value",
    ".spec.missing[]?",
    '.spec.containers[] | select(.name == "web") | .image',
    '.spec.containers[] | select(.name == "web").image',
    '.spec.containers[] | select(.name != "web")',
    '.spec.containers[] | .env[]? | select(.name == "A" and .value == "1") | .value',
    '.spec.containers[1].ports[] | select(.port == 80 and .protocol == "UDP")',
    '.spec.containers[] | select(.name == "x" or .name == "proxy") | .ports',
    '.spec.containers[] | select(.name | startswith("w"))',
    '.spec.containers[] | select(.name | endswith("xy")) | .image',
    '.spec.containers[] | select(has("env"))',
    '.spec.containers[] | select(has("env") | not)',
    '.spec.containers[] | select(.env[]?.name == "B") | .image',
    '.metadata.finalizers[] | select(. == "x")',
    ".spec.replicas, .spec.paused",
    "(.spec, .metadata) | .replicas?, .annotations?",
    ".spec | .replicas, .paused",
    ".spec.paused",
    ".",
    ".spec.containers[] | select(.missing == null) | .image",
    ".spec[] | select(. == 3)",
    '(.spec.containers[] | select(.name == "web")).image',
]
REFUSED = ["..", ".a, .b, .c, .d, .e, .f", "select(.a[] and .b[])", ".foo-bar", ".a) | .b |= (.",
           ".a[]]", ".a.b??", ".spec | keys", ".a as $x | .b", "first(.a[])", ".a // .b", ".a[1:2]",
           '.a | test("x")', "", ".a +",
           ".[", '."\\(.a)"', ".a.", ".spec.1", "select(.a < 1)", ".a?//.b"]  # fmt: skip
FAILING = [".spec.replicas.deeper", ".spec.missing[]", ".spec[0]", ".spec.containers.name", ".spec.replicas[]",
           '.spec.replicas | select(. | startswith("a"))']  # fmt: skip


def without(expression: str, obj: Any) -> Any:
    program = jq_paths.parse(expression)
    assert program is not None
    return cuts.without(obj, program.paths(obj))


@pytest.mark.parametrize("expression", [text for text in FOLLOWED if text != ".spec.containers[0,1]"])
def test_what_is_deleted_is_what_jq_deletes(expression: str) -> None:
    before = copy.deepcopy(OBJ)
    assert without(expression, OBJ) == jq.compile(f"del({expression})").input_value(OBJ).first()
    assert before == OBJ


@pytest.mark.parametrize("expression", [*REFUSED, ".spec.containers[0,1]"])
def test_everything_else_is_left_to_jq(expression: str) -> None:
    assert jq_paths.parse(expression) is None


@pytest.mark.parametrize("expression", FAILING)
def test_where_jq_fails_the_expression_fails_as_a_whole(expression: str) -> None:
    with pytest.raises(ValueError, match=r"Cannot|requires"):
        jq.compile(f"del({expression})").input_value(OBJ).first()
    program = jq_paths.parse(expression)
    assert program is not None
    with pytest.raises(jq_paths.PathFailed):
        program.paths(OBJ)


NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
STEPS = st.lists(
    st.sampled_from(
        [
            ".a",
            ".b",
            "[]",
            "[0]",
            "[-1]",
            '["c"]',
            "[]?",
            ".a?",
            "[0]?",
            " | .a?",
            ' | select(.a == "b")',
            " | select(.b)",
        ]
    ),
    min_size=1,
    max_size=4,
).map(lambda parts: "." + "".join(parts).removeprefix("."))


@given(st.dictionaries(NAMES, VALUES, max_size=3), STEPS)
def test_any_plain_expression_does_to_any_object_what_jq_does(obj: dict[str, Any], expression: str) -> None:
    program = jq_paths.parse(expression)
    assert program is not None
    try:
        expected = jq.compile(f"del({expression})").input_value(obj).first()
    except ValueError:
        with pytest.raises((jq_paths.PathFailed, AssertionError)):
            assert cuts.without(obj, program.paths(obj)) is None
        return
    assert cuts.without(obj, program.paths(obj)) == expected
