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


def test_the_check_sees_links() -> None:
    assert "docs/guide.md" in links(ROOT / "README.md")
