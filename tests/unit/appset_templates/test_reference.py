"""The page on templates names every function."""

from syncline.core.appset.functions import FUNCTIONS
from tests.arch import source_rules


def test_every_function_is_on_the_page() -> None:
    page = (source_rules.ROOT / "docs" / "reference" / "templates.md").read_text(encoding="utf-8")
    assert [name for name in FUNCTIONS if f"`{name}`" not in page] == []
