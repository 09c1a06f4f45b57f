"""Every rule about an app speaks where it should, and is silent where something only looks like it."""

import pytest

from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.subjects import App
from tests.unit.diagnose.app_cases import CASES, FINE, Case

by_code = pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])
ABOUT_APPS = registry.checks(App)


def said(app: App, code: str) -> list[str]:
    """Return what one rule says of an app."""
    checks = [check for check in ABOUT_APPS if check.rule.code == code]
    return [f"{finding.code} {finding.message}" for finding in engine.run(checks, app)]


@by_code
def test_a_rule_says_what_it_is_about(case: Case) -> None:
    assert [text for text in said(case.true, case.code) if text.startswith(case.code)]


@by_code
def test_a_rule_is_silent_about_what_only_looks_like_it(case: Case) -> None:
    assert said(case.near, case.code) == [], case.about


def test_every_rule_about_apps_has_both_cases() -> None:
    assert {case.code for case in CASES} == {check.rule.code for check in ABOUT_APPS}


def test_nothing_is_said_of_an_app_that_is_fine() -> None:
    assert [one for check in ABOUT_APPS for one in said(FINE, check.rule.code)] == []
