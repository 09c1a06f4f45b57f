"""Each promise of SECURITY.md names tests that exist."""

from __future__ import annotations

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
HELD_TO = (ROOT / "SECURITY.md").read_text().partition("## What Syncline is held to\n")[2].partition("\n## ")[0]
PROMISES = re.findall(r"(?ms)^- \*\*(.+?)\.\*\*(.+?)(?=^- \*\*|\Z)", HELD_TO)
TEST = re.compile(r"`(tests/[^`]+?\.py)(?:::(test_\w+))?`")


@pytest.mark.parametrize(("name", "text"), PROMISES, ids=[name for name, _ in PROMISES])
def test_promise_names_tests_that_exist(name: str, text: str) -> None:
    tests = TEST.findall(text)
    assert tests, f"the promise {name} names no test"
    for file, test in tests:
        assert (ROOT / file).is_file(), f"{name}: {file} does not exist"
        assert not test or f"def {test}(" in (ROOT / file).read_text(), f"{name}: {file} has no {test}"


def test_all_promises_are_found() -> None:
    assert len(PROMISES) >= 10
