"""Words that are not used (the table in CONTRIBUTING.md) stay out of the pages and out of `src`."""

import ast
import pathlib
import re

import pytest

from tests.arch import source_rules

TABLE = re.compile(r"^\| ([\w …]+) \| [^|]+ \| (anywhere|messages) \|$", re.MULTILINE)
GUIDE = source_rules.ROOT / "CONTRIBUTING.md"
WORDS: list[tuple[str, str]] = TABLE.findall(GUIDE.read_text(encoding="utf-8"))
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
# Written by tools from the texts in src, which are checked there.
GENERATED = {"cli.md", "reasons.md", "rules.md"}
PAGES = [
    *sorted((source_rules.ROOT / "docs").rglob("*.md")),
    *(source_rules.ROOT / name for name in ("README.md", "SECURITY.md")),
]


def uses(word: str, text: str) -> list[str]:
    """Return each use of a word and what is derived from it, in any spelling of names."""
    pattern = re.escape(word).replace(r"\ ", r"\s+").replace("…", r"(?!longer|more)[\w`]")
    return [found.group() for found in re.finditer(rf"(?<![a-z]){pattern}[a-z]*", text, re.IGNORECASE)]


def messages(tree: ast.Module) -> str:
    """Return the texts of a module that are not docstrings."""
    told = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
    ]
    return "\n".join(texts)


def found_in(path: pathlib.Path) -> list[str]:
    """Return the uses of all words in one module."""
    text, printed = path.read_text(encoding="utf-8"), messages(source_rules.parsed(path))
    place = path.relative_to(source_rules.ROOT)
    return [f"{place}: {use}" for word, where in WORDS for use in uses(word, printed if where == "messages" else text)]


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in GENERATED], ids=lambda page: page.name)
def test_no_page_has_a_word_that_is_not_used(page: pathlib.Path) -> None:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    assert [use for word, _ in WORDS for use in uses(word, text)] == []


def test_no_module_has_a_word_that_is_not_used() -> None:
    found = [use for path in source_rules.modules() for use in found_in(path)]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("mend", "it is mended, then _mend and Mending", ["mended", "mend", "Mending"]),
        ("mend", "amend and recommend", []),
        ("cannot be had", "it cannot\n be had", ["cannot\n be had"]),
        ("take_down", "take_downs", ["take_downs"]),
        (
            "that is no …",
            "a text that is no\nnumber, one that is not a number, that is no longer",
            ["that is no\nnumber"],
        ),
    ],
)
def test_the_check_knows_the_words(word: str, text: str, found: list[str]) -> None:
    assert uses(word, text) == found


def test_the_table_is_read() -> None:
    assert ("by itself", "messages") in WORDS
    assert len(WORDS) >= 7
