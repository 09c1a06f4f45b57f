"""The pages for contributors name files that exist, so that nobody is sent to where something once was."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PAGES = sorted((ROOT / "docs/internals").glob("*.md"))
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
STEP = re.compile(r"^(\d+)\. `([\w/.]+)`", re.MULTILINE)
TOP = {path.name for path in ROOT.iterdir() if path.is_dir()}
ROOMS = {path.name for path in (ROOT / "src/syncline").iterdir() if path.is_dir()}


def gone(text: str) -> list[str]:
    """Return the paths from the root of the repository or of the package that a page names and that do not exist."""
    named = [path for path in PATH.findall(text) if path.split("/")[0] in TOP | ROOMS]
    return [path for path in named if not (ROOT / path).exists() and not (ROOT / "src/syncline" / path).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: pathlib.Path) -> None:
    assert gone(page.read_text(encoding="utf-8")) == []


def test_the_way_of_a_commit_is_numbered_and_has_at_most_25_files() -> None:
    steps = STEP.findall((ROOT / "docs/internals/one-commit.md").read_text(encoding="utf-8"))
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    assert 10 < len(steps) <= 25
    assert len({path for _, path in steps}) == len(steps)


def test_the_check_sees_paths_that_are_gone() -> None:
    assert gone("see `core/nowhere.py`, `core/assess.py` and `tests/nowhere`") == ["core/nowhere.py", "tests/nowhere"]
