"""CEL rules of custom kinds, held to the recorded answers of kube-apiserver."""

from __future__ import annotations

import time
from typing import Any

import pytest

from syncline.apimachinery.schema import cel, crd, validate
from syncline.apimachinery.schema.cel import Skipped
from tests.unit.schema.cel_cases import CRD, CREATED, RECORDED, UPDATED, field, ruler

NODE: Any = crd.schema_for(CRD, "v1")


def refusals(checked: cel.Checked) -> list[list[str]]:
    assert checked.skipped == ()
    return sorted([violation.path, violation.message] for violation in checked.violations)


@pytest.mark.parametrize("case", CREATED)
def test_new_objects_are_refused_in_the_servers_words(case: str) -> None:
    assert refusals(cel.check(ruler(CREATED[case]), NODE)) == RECORDED[case]


@pytest.mark.parametrize("case", UPDATED)
def test_changes_are_refused_in_the_servers_words(case: str) -> None:
    old, new = UPDATED[case]
    assert refusals(cel.check(ruler(new), NODE, ruler(old))) == RECORDED[case]


@pytest.mark.parametrize("case", CREATED)
def test_validation_tells_broken_rules_too(case: str) -> None:
    problems = validate.validate(ruler(CREATED[case]), NODE)
    assert sorted([problem.path, problem.message] for problem in problems) == RECORDED[case]


def test_a_rule_may_look_at_the_name() -> None:
    assert refusals(cel.check(ruler({}, name="evil"), NODE)) == RECORDED["an evil name"]


def schema_of(spec: dict[str, Any]) -> Any:
    made = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": made}}
    return crd.schema_for({**CRD, "spec": {**CRD["spec"], "versions": [version]}}, "v1")


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("math.abs(1) == 1", "undeclared reference to 'math'"),
        ("self.reverse() == ''", "found no matching overload for 'reverse'"),
        ("self ==", "Syntax error"),
        ("self < timestamp('2026-01-01T00:00:00Z')", "found no matching overload for '_<_'"),
    ],
)
def test_a_rule_that_cannot_run_is_said_and_not_held_against_the_object(rule: str, reason: str) -> None:
    node = schema_of(field({"type": "string"}, rule))
    checked = cel.check({"spec": "2026-03-01T00:00:00Z"}, node)
    assert checked.violations == ()
    [skipped] = checked.skipped
    assert (skipped.path, skipped.rule) == ("spec", rule)
    assert reason in skipped.reason


def test_an_object_on_which_a_rule_would_take_long_is_refused_in_time() -> None:
    node = schema_of(
        field({"type": "array", "items": {"type": "integer"}}, "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))")
    )
    begin = time.process_time()
    checked = cel.check({"spec": list(range(2000))}, node)
    assert time.process_time() - begin < 5
    [found] = checked.violations
    assert (found.path, "call cost exceeds limit" in found.message) == ("spec", True)


def test_an_object_with_very_many_places_is_checked_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel, "MAX_EVALUATIONS", 3)
    node = schema_of({"type": "array", "items": field({"type": "integer"}, "self > 0")})
    checked = cel.check({"spec": [1, 0, 1, 0]}, node)
    assert [violation.path for violation in checked.violations] == ["spec[1]"]
    assert checked.skipped == (Skipped("spec[3]", "self > 0", "more than 3 rules to check in one object"),)


def test_old_self_in_a_text_is_no_look_at_the_old_value() -> None:
    node = schema_of(field({"type": "string"}, "self != 'oldSelf'"))
    assert [violation.path for violation in cel.check({"spec": "oldSelf"}, node).violations] == ["spec"]
