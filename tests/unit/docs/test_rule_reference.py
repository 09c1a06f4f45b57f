"""docs/reference/rules.md explains the rules there are."""

from tools import build_rule_reference as reference


def test_the_page_is_as_the_rules_are_now() -> None:
    assert reference.TARGET.read_text(encoding="utf-8") == reference.page(), (
        "docs/reference/rules.md is stale: run python tools/build_rule_reference.py"
    )
