"""The page puts texts of objects into text nodes alone (security row J1): its source has no other way to write them."""

from __future__ import annotations

import pathlib
import re

import pytest

SOURCE = pathlib.Path(__file__).parents[3] / "web" / "src"
# Whatever makes markup or script of a text, and links whose scheme a text could choose.
WAYS = re.compile(
    r"dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|createContextualFragment"
    r"|DOMParser|\bsrcdoc\b|\beval\(|new Function\(|setTimeout\(\s*['\"`]|javascript:"
)


def ways(text: str) -> list[str]:
    return [found.group() for found in WAYS.finditer(text)]


@pytest.mark.parametrize(
    "text",
    ["<p dangerouslySetInnerHTML={{__html: x}} />", "node.innerHTML = x", "eval(x)", 'a.href = "javascript:" + x'],
)
def test_the_check_itself_sees_what_it_is_for(text: str) -> None:
    assert ways(text)


def test_no_file_of_the_page_makes_markup_of_a_text() -> None:
    files = sorted(path for path in SOURCE.rglob("*") if path.suffix in (".ts", ".tsx"))
    assert len(files) > 20
    assert {path.name: found for path in files if (found := ways(path.read_text()))} == {}
