"""The pages of the stories show what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from syncline.cli.show.scenario import told
from syncline.scenarios import shipped

PAGES = Path(__file__).parents[3] / "docs/guide/stories"
SHOWN = re.compile(r"```\n\$ syncline scenario show ([\w-]+)\n(.*?)\n```", re.DOTALL)


@pytest.mark.parametrize("name", shipped.NAMES)
def test_every_story_has_a_page(name: str) -> None:
    assert f"[{name}]({name}.md)" in (PAGES / "README.md").read_text()
    assert (PAGES / f"{name}.md").is_file()


def test_what_a_page_shows_is_what_is_printed() -> None:
    shown = {name: text for page in sorted(PAGES.glob("*.md")) for name, text in SHOWN.findall(page.read_text())}
    assert {"ameide", "homelab", "self-healing"} <= shown.keys()
    for name, text in shown.items():
        assert text == told(shipped.get(name)).rstrip("\n"), name
