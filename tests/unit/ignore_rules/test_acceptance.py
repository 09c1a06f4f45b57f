"""Accepted drift: a difference somebody agreed to live with does not count, until it expires, and is always shown."""

from typing import Any

import pytest

from syncline.apimachinery import yaml
from syncline.core.compare.context import for_app
from syncline.core.compare.ignore import acceptance
from syncline.model import names
from syncline.model.application import Application
from syncline.model.comparison import AcceptedDifference, ComparedObject, Verdict
from syncline.model.reason import Reason
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import as_applied, compared, deployment, edited, node_for, prepared, typed_application

ENTRY = {"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"], "reason": "hpa"}
WEB = prepared(deployment())
APPLIED = as_applied(WEB.objects[0].obj)
SCALED = edited(APPLIED, {**APPLIED, "spec": {**APPLIED["spec"], "replicas": 5}})
REPLICAS = AcceptedDifference(path="spec.replicas", reason="hpa")


def app(*entries: Any, **spec: Any) -> Application:
    annotation = {names.ACCEPTED_DRIFT: yaml.dump(list(entries))}
    return typed_application(metadata={"annotations": annotation}, **spec)


def row(given: Application, as_of: str = "2026-03-01T08:30:00Z", live: Any = SCALED) -> ComparedObject:
    (found,) = compared(WEB, live, in_context=for_app(given, Settings(), node_for, as_of)).rows
    return found


def test_accepted_drift_does_not_count_and_is_shown_with_its_reason() -> None:
    found = row(app({**ENTRY, "owner": "ada"}))
    assert (found.verdict, found.differences) == (Verdict.SYNCED, ())
    assert found.reasons == (Reason.EQUAL, Reason.ACCEPTED_DRIFT)
    assert found.accepted == (AcceptedDifference(path="spec.replicas", reason="hpa", owner="ada"),)


def test_by_argo_cds_rules_accepted_drift_counts() -> None:
    given = for_app(app(ENTRY), Settings(compat=Compat.ARGOCD), node_for, "2026-03-01T08:30:00Z")
    (found,) = compared(WEB, SCALED, in_context=given).rows
    assert (found.verdict, found.accepted) == (Verdict.OUT_OF_SYNC, ())


def test_what_is_accepted_and_does_not_differ_is_not_shown() -> None:
    found = row(app(ENTRY), live=APPLIED)
    assert (found.verdict, found.reasons, found.accepted) == (Verdict.SYNCED, (Reason.EQUAL,), ())


@pytest.mark.parametrize(
    ("expires", "as_of", "expired"),
    [
        ("", "2099-01-01T00:00:00Z", False),
        ("2026-12-31", "2026-12-31T23:59:59Z", False),
        ("2026-12-31", "2027-01-01T00:00:00Z", True),
        ("2026-12-31T12:00:00Z", "2026-12-31T12:00:00Z", False),
        ("2026-12-31T12:00:00Z", "2026-12-31T12:00:01Z", True),
    ],
)
def test_accepted_drift_counts_again_when_its_day_or_moment_is_over(expires: str, as_of: str, expired: bool) -> None:
    found = row(app({**ENTRY, "expires": expires}), as_of)
    assert found.verdict is (Verdict.OUT_OF_SYNC if expired else Verdict.SYNCED)
    assert found.accepted == (AcceptedDifference(path="spec.replicas", reason="hpa", expires=expires, expired=expired),)
    first = Reason.FIELDS_DIFFER if expired else Reason.EQUAL
    assert found.reasons == (first, Reason.ACCEPTANCE_EXPIRED if expired else Reason.ACCEPTED_DRIFT)


def test_other_fields_still_differ() -> None:
    image = edited(SCALED, as_applied(prepared(deployment(image="shop/web:2")).objects[0].obj) | {"spec": {
        **SCALED["spec"], "template": deployment(image="shop/web:2")["spec"]["template"]}})  # fmt: skip
    found = row(app(ENTRY), live=image)
    assert [one.path for one in found.differences] == ["spec.template.spec.containers[name=web].image"]
    assert found.accepted == (REPLICAS,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "annotation syncline.io/accepted-drift"),
        ("kind: x", "it is not a list of entries"),
        ("- 1", "entry 0: it is not a map"),
        ("- {kind: Deployment, jsonPointers: [/spec]}", "entry 0: it has no reason"),
        ("- {kind: Deployment, reason: x, expires: soon}", "entry 0: it expires at soon, which is neither a date"),
        ("- {kind: Deployment, reason: x, jsonPointers: 1}", "entry 0: it cannot be read"),
    ],
)
def test_what_cannot_be_read_accepts_nothing_and_is_told(text: str, problem: str) -> None:
    given = typed_application(metadata={"annotations": {names.ACCEPTED_DRIFT: text}})
    read = acceptance.read(given)
    assert read.drifts == ()
    assert problem in read.problems[0]
    comparison = compared(WEB, SCALED, in_context=for_app(given, Settings(), node_for, "2026-03-01T08:30:00Z"))
    assert comparison.verdict is Verdict.OUT_OF_SYNC
    assert [rule.reason for rule in comparison.unused_rules] == [Reason.UNUSED_IGNORE_RULE]


def test_an_acceptance_that_fits_nothing_is_told_like_any_unused_rule() -> None:
    given = app({**ENTRY, "name": "api"})
    comparison = compared(WEB, SCALED, in_context=for_app(given, Settings(), node_for, "2026-03-01T08:30:00Z"))
    assert [rule.rule for rule in comparison.unused_rules] == ["accepted: hpa"]
