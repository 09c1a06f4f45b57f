"""docs/reference/reasons.md explains the reasons there are."""

from tools import build_reason_reference as reference


def test_the_page_is_as_the_reasons_are_now() -> None:
    assert reference.TARGET.read_text(encoding="utf-8") == reference.page(), (
        "docs/reference/reasons.md is stale: run python tools/build_reason_reference.py"
    )
