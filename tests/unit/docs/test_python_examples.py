"""The examples of docs/guide/python.md do what the page says."""

import doctest
import pathlib
import re
from typing import Any

import pytest

PAGE = pathlib.Path(__file__).parents[3] / "docs/guide/python.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILE = re.compile(r"^`([\w./-]+)`.*?:\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the files of the page and stand in their folder."""
    for name, text in FILE.findall(TEXT):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / ".cache"))


def test_the_examples_print_what_the_page_shows() -> None:
    session = "".join(block for block in PYTHON.findall(TEXT) if block.startswith(">>>"))
    example = doctest.DocTestParser().get_doctest(session, {}, PAGE.name, str(PAGE), 0)
    said: list[str] = []
    found = doctest.DocTestRunner().run(example, out=said.append)
    assert found.failed == 0, "".join(said)
    assert found.attempted > 10


def test_the_tests_of_the_page_pass() -> None:
    (module,) = [block for block in PYTHON.findall(TEXT) if not block.startswith(">>>")]
    names: dict[str, Any] = {}
    exec(compile(module, PAGE.name, "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert [test() for test in tests] == [None, None]
