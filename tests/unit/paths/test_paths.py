"""Field paths: printed, parsed, followed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.paths import MISSING, FieldPath, InvalidPath, KeyMatch, Step, ValueMatch

OBJ: dict[str, Any] = {
    "metadata": {"annotations": {"a.b/c": "1"}, "finalizers": ["x.io/hold"]},
    "spec": {
        "containers": [{"name": "web", "image": "web:1", "args": ["a", "b"]}],
        "ports": [{"port": 80, "protocol": "TCP"}, {"port": 80, "protocol": "UDP", "name": "dns"}],
        "none": None,
    },
}


def key(**keys: Any) -> KeyMatch:
    return KeyMatch(tuple(keys.items()))


@pytest.mark.parametrize(
    ("text", "steps", "value"),
    [
        ("", (), OBJ),
        ("spec.none", ("spec", "none"), None),
        ('metadata.annotations["a.b/c"]', ("metadata", "annotations", "a.b/c"), "1"),
        ("metadata.finalizers[=x.io/hold]", ("metadata", "finalizers", ValueMatch("x.io/hold")), "x.io/hold"),
        ("spec.containers[name=web].image", ("spec", "containers", key(name="web"), "image"), "web:1"),
        ("spec.containers[0].args[1]", ("spec", "containers", 0, "args", 1), "b"),
        ("spec.ports[port=80,protocol=UDP].name", ("spec", "ports", key(port=80, protocol="UDP"), "name"), "dns"),
        ('spec.ports[port="80"]', ("spec", "ports", key(port="80")), MISSING),
        ("spec.containers[name=db].image", ("spec", "containers", key(name="db"), "image"), MISSING),
        ("spec.containers[3]", ("spec", "containers", 3), MISSING),
        ("spec.none.deeper", ("spec", "none", "deeper"), MISSING),
        ('["odd key"].x', ("odd key", "x"), MISSING),
        ('a[x="true",y=true,z=null]', ("a", KeyMatch((("x", "true"), ("y", True), ("z", None)))), MISSING),
    ],
)
def test_a_path_is_printed_parsed_and_followed(text: str, steps: tuple[Step, ...], value: Any) -> None:
    path = FieldPath(steps)
    assert str(path) == text
    assert FieldPath.parse(text) == path
    assert path.resolve(OBJ) is value or path.resolve(OBJ) == value


@pytest.mark.parametrize(
    "text", [".", "a..b", "a.", "a[", "a[]", "a[0", "a[=]", "a[x=]", "a[x=1,]", "a]b", "a[1.5]", 'a["x]', "a[0]b"]
)
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(InvalidPath, match="is not a field path: unexpected text at character"):
        FieldPath.parse(text)


scalars = st.one_of(st.text(max_size=4), st.integers(-(2**53), 2**53), st.booleans(), st.none())
steps = st.one_of(
    st.text(max_size=5),
    st.integers(0, 99),
    st.lists(
        st.tuples(st.text(min_size=1, max_size=3), scalars), min_size=1, max_size=2, unique_by=lambda pair: pair[0]
    ).map(lambda keys: KeyMatch(tuple(keys))),
    scalars.map(ValueMatch),
)


@settings(deadline=None)
@given(st.lists(steps, max_size=5))
def test_what_is_printed_parses_to_the_same_path(made: list[Step]) -> None:
    path = FieldPath(tuple(made))
    assert FieldPath.parse(str(path)) == path
