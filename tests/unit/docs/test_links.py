"""Links between the pages of the repository lead somewhere."""

import pathlib
import re
from urllib.parse import unquote, urlsplit

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def links(page: pathlib.Path) -> list[str]:
    """Return the links of a page that stay within the repository."""
    found = [inline or reference for inline, reference in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))]
    return [link for link in found if not urlsplit(link).scheme]


def anchors(page: pathlib.Path) -> set[str]:
    """Return what the headings of a page can be linked by."""
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def leads_nowhere(page: pathlib.Path, link: str) -> bool:
    parts = urlsplit(link)
    place = page.parent / unquote(parts.path) if parts.path else page
    if not place.exists():
        return True
    return bool(parts.fragment) and place.suffix == ".md" and parts.fragment not in anchors(place)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_relative_link_leads_to_a_file_and_heading_that_exist(page: pathlib.Path) -> None:
    assert [link for link in links(page) if leads_nowhere(page, link)] == []


MENTION = re.compile(r"\bdocs/[\w./-]*\w\.md\b")
TEXTS = (".py", ".md", ".yaml", ".toml")


def mentions() -> list[tuple[str, str]]:
    """Return every file of the repository with each page under docs/ that its text names by path."""
    folders = [ROOT / name for name in ("src", "tests", "tools", "bench", "changes", "docs")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in TEXTS]
    found = []
    for path in [*sorted(ROOT.glob("*.md")), ROOT / "pyproject.toml", *sorted(files)]:
        if path != pathlib.Path(__file__) and "binaries" not in path.parts:
            text = path.read_text(encoding="utf-8")
            found += [(str(path.relative_to(ROOT)), page) for page in MENTION.findall(text)]
    return found


def test_every_page_that_a_text_names_by_its_path_exists() -> None:
    gone = [f"{file} names {page}" for file, page in mentions() if not (ROOT / page).is_file()]
    assert gone == []


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs/README.md"
    reached, waiting = set(), [index]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        places = {(page.parent / unquote(urlsplit(link).path)).resolve() for link in links(page)}
        waiting += [place for place in places - reached if place.suffix == ".md" and place.is_file()]
    assert sorted(str(page.relative_to(ROOT)) for page in {*(ROOT / "docs").rglob("*.md")} - reached) == []


def test_the_check_sees_links() -> None:
    assert "docs/README.md" in links(ROOT / "README.md")


def test_the_check_sees_pages_that_are_named() -> None:
    assert ("CONTRIBUTING.md", "docs/reference/differences.md") in mentions()
