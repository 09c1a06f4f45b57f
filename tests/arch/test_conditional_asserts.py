"""No test can pass without having checked anything."""

import ast

import pytest

from tests.arch import conditional_asserts, source_rules

ALLOWED = {
    "test_packed_subcharts_bring_nothing_in_and_nothing_out": "repaired along with the renderer",
}


def test_every_test_that_asserts_has_an_assertion_that_nothing_steps_around() -> None:
    found = conditional_asserts.unsure_in(source_rules.ROOT / "tests")
    assert [line for line in found if line.split()[-1] not in ALLOWED] == []


@pytest.mark.parametrize(
    ("body", "sure"),
    [
        ("assert x", True),
        ("if x:\n    assert y", False),
        ("if x:\n    assert y\nelse:\n    assert z", True),
        ("if x:\n    return\nassert y", False),
        ("if x:\n    print(y)\nassert y", True),
        ("with suppress(ValueError):\n    assert x", False),
        ("with contextlib.suppress(ValueError):\n    assert x", False),
        ("with pytest.raises(ValueError):\n    x()\nif y:\n    assert z", True),
        ("with opened() as file:\n    assert file", True),
        ("try:\n    assert x\nexcept ValueError:\n    pass", False),
        ("try:\n    x()\nexcept ValueError:\n    pass\nassert y", True),
        ("try:\n    x()\nfinally:\n    assert y", True),
        ("for x in y:\n    if z:\n        continue\n    assert x", False),
        ("for x in y:\n    assert x", True),
        ("async def story(bed):\n    assert bed\nplay(story)", True),
        ("async def story(bed):\n    if bed:\n        assert bed\nplay(story)", False),
        ("check(x)\nif x:\n    assert y", True),
    ],
)
def test_the_check_knows_what_is_sure(body: str, sure: bool) -> None:
    text = "def test_it():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    assert list(conditional_asserts.unsure(ast.parse(text))) == ([] if sure else [(1, "test_it")])
