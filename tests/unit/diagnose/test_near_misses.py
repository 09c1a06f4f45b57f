"""Every rule about an app speaks where it should, and is silent where something only looks like it."""

import pytest

from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.subjects import App
from tests.support.objects import config_map
from tests.unit.diagnose.app_cases import CASES, FINE, Case, changed, claim, provisioned, rival

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


def test_an_object_that_two_apps_deliver_is_not_rewritten_on_admission() -> None:
    shared, apart = (changed("argocd-controller", **rival(config_map(name))) for name in ("settings", "other"))
    assert said(shared, "DIF-013") == []
    assert said(shared, "OWN-001")
    assert said(apart, "DIF-013"), "the other app has another object"


def test_a_class_that_is_missing_is_told_by_its_own_rule_alone() -> None:
    (text,) = said(provisioned("Pending"), "WKL-202")
    assert "PersistentVolumeClaim/data gets no volume of StorageClass fast-ssd: volume quota exceeded" in text
    assert said(provisioned("Pending"), "WKL-101") == []
    assert said(claim("Pending"), "WKL-202") == []
