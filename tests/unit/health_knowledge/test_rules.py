"""The rule language: what fits, what is said, and which files are refused."""

from typing import Any

import pytest

from syncline.apimachinery.yaml import YamlError
from syncline.core.health import rules
from syncline.core.health.rule_matches import compile_match
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode

Fields = dict[str, Any]


def condition(name: str, status: str, **rest: Any) -> Fields:
    return {"type": name, "status": status, **rest}


READY_FALSE = {"status": {"conditions": [condition("Synced", "True"), condition("Ready", "False", reason="NoKey")]}}


@pytest.mark.parametrize(
    ("match", "obj", "path"),
    [
        ({"condition": "Ready"}, READY_FALSE, "status.conditions[1]"),
        ({"condition": "Ready", "status": "False"}, READY_FALSE, "status.conditions[1]"),
        ({"condition": "Ready", "status": "True"}, READY_FALSE, None),
        ({"condition": "Ready", "status": ["True", "False"]}, READY_FALSE, "status.conditions[1]"),
        ({"condition": ["Ready", "Synced"]}, READY_FALSE, "status.conditions[0]"),
        ({"condition": "*", "status": "False"}, READY_FALSE, "status.conditions[1]"),
        ({"condition": "Rea*"}, READY_FALSE, "status.conditions[1]"),
        ({"condition": "Ready", "reason": "NoKey"}, READY_FALSE, "status.conditions[1]"),
        ({"condition": "Ready", "reason": ["Other", "No*"]}, READY_FALSE, "status.conditions[1]"),
        ({"condition": "Ready", "reason": "Other"}, READY_FALSE, None),
        ({"condition": "Ready", "notReason": "Other"}, READY_FALSE, "status.conditions[1]"),
        ({"condition": "Ready", "notReason": "NoKey"}, READY_FALSE, None),
        ({"condition": "Ready"}, {}, None),
        ({"condition": "Ready"}, {"status": {"conditions": {"Ready": "True"}}}, None),
    ],
)
def test_a_condition_fits_by_type_status_and_reason(match: Fields, obj: Fields, path: str | None) -> None:
    found = compile_match(match)(obj, None)
    assert (found and found[0]) == path


@pytest.mark.parametrize(
    ("age", "observed", "generation", "fits"),
    [
        ("current", 2, 2, True),
        ("current", 1, 2, False),
        ("current", None, 2, True),
        ("current", 1, None, True),
        ("exact", 2, 2, True),
        ("exact", 1, 2, False),
        ("exact", None, 2, False),
        ("exact", 1, None, False),
        ("exact", None, None, False),
        ("behind", 1, 2, True),
        ("behind", 2, 2, False),
        ("behind", None, 2, False),
    ],
)
def test_a_condition_knows_the_generation_it_saw(
    age: str, observed: int | None, generation: int | None, fits: bool
) -> None:
    conditions = [condition("Ready", "True", observedGeneration=observed)]
    obj = {"metadata": {"generation": generation}, "status": {"conditions": conditions}}
    assert (compile_match({"condition": "Ready", "generation": age})(obj, None) is not None) is fits


@pytest.mark.parametrize(
    ("observed", "generation", "fits"),
    [(1, 2, True), (2, 2, False), (3, 2, False), (None, 2, False), (1, None, False), ("1", 2, True), ("a7f", 2, False)],
)
def test_an_object_is_behind_only_when_its_controller_says_a_lower_number(
    observed: int | str | None, generation: int | None, fits: bool
) -> None:
    obj = {"metadata": {"generation": generation}, "status": {"observedGeneration": observed}}
    assert (compile_match({"generation": "status.observedGeneration"})(obj, None) is not None) is fits


FIELDS = {
    "metadata": {"annotations": {"a.b/c": "on"}},
    "spec": {"replicas": 3, "sets": [{"count": 2}, {"count": 1}], "paused": True},
    "status": {
        "phase": "Running",
        "ready": 2,
        "zero": 0,
        "nothing": [],
        "text": "5",
        "scale": "3/3",
        "parts": [{"name": "x"}],
    },
}


@pytest.mark.parametrize(
    ("match", "fits"),
    [
        ({"field": "status.phase", "is": "Running"}, True),
        ({"field": "status.phase", "is": ["Pending", "Running"]}, True),
        ({"field": "status.phase", "not": "Running"}, False),
        ({"field": "status.absent", "not": "Running"}, True),
        ({"field": "status.phase", "matches": "Run*"}, True),
        ({"field": "status.ready", "matches": "2"}, False),
        ({"field": "spec.paused", "is": True}, True),
        ({"field": "status.ready", "is": True}, False),
        ({"field": "status.zero", "is": False}, False),
        ({"field": "status.zero", "is": 0}, True),
        ({"field": "status.zero", "present": True}, True),
        ({"field": "status.nothing", "present": True}, False),
        ({"field": "status.nothing", "empty": True}, True),
        ({"field": "status.absent", "empty": True}, True),
        ({"field": "status.ready", "below": "spec.replicas"}, True),
        ({"field": "status.ready", "below": 2}, False),
        ({"field": "status.ready", "above": 1}, True),
        ({"field": "status.text", "above": 4}, True),
        ({"field": "status.ready", "equals": "spec.sets[0].count"}, True),
        ({"field": "status.ready", "below": "spec.sets[*].count"}, True),
        ({"field": "spec.sets[*].count", "equals": 3}, True),
        ({"field": "status.parts[*].name", "is": "x"}, True),
        ({"field": "metadata.annotations[*]", "is": "on"}, True),
        ({"field": "status.phase", "differs": "metadata.name"}, False),
        ({"field": "status.absent", "below": 1}, False),
        ({"field": "status.absent", "default": 0, "below": 1}, True),
        ({"field": 'metadata.annotations["a.b/c"]', "is": "on"}, True),
        ({"field": "status.parts[3].name", "present": True}, False),
        ({"field": "status.phase.deeper", "present": True}, False),
        ({"field": "status.ready", "plus": "spec.sets[0].count", "equals": 4}, True),
        ({"field": "status.ready", "plus": "spec.absent", "equals": 2}, True),
        ({"field": "status.absent", "plus": "spec.replicas", "above": 0}, False),
        ({"field": "status.absent", "default": 0, "plus": "spec.replicas", "equals": 3}, True),
        ({"field": "status.absent|status.phase", "is": "Running"}, True),
        ({"field": "status.phase|status.text", "is": "Running"}, True),
        ({"field": "status.absent|spec.absent", "empty": True}, True),
        ({"field": "spec.sets[-1].count", "is": 1}, True),
        ({"field": "status.nothing[-1].count", "present": True}, False),
        ({"field": "spec.sets[#]", "is": 2}, True),
        ({"field": "spec.sets[#]", "above": "status.parts[#]"}, True),
        ({"field": "status.phase[#]", "present": True}, False),
        ({"field": "status.scale", "complete": True}, True),
        ({"field": "status.phase", "complete": True}, False),
        ({"field": "status.ready", "complete": True}, False),
    ],
)
def test_a_field_is_tested_by_value_presence_or_number(match: Fields, fits: bool) -> None:
    assert (compile_match(match)(FIELDS, None) is not None) is fits


@pytest.mark.parametrize(
    ("match", "fits"),
    [
        ({"all": [{"field": "spec.paused", "is": True}, {"field": "status.ready", "is": 2}]}, True),
        ({"all": [{"field": "spec.paused", "is": True}, {"field": "status.ready", "is": 9}]}, False),
        ({"any": [{"field": "spec.paused", "is": False}, {"field": "status.ready", "is": 2}]}, True),
        ({"any": [{"field": "spec.paused", "is": False}, {"field": "status.ready", "is": 9}]}, False),
        ({"not": {"field": "spec.paused", "is": False}}, True),
        ({"not": {"field": "spec.paused", "is": True}}, False),
    ],
)
def test_matches_are_put_together(match: Fields, fits: bool) -> None:
    assert (compile_match(match)(FIELDS, None) is not None) is fits


def test_some_fits_by_one_element_and_says_which() -> None:
    accepted = condition("Accepted", "False")
    parents = [{"name": "a", "conditions": []}, {"name": "b", "conditions": [accepted]}]
    match = compile_match({"some": "status.parents", "where": {"condition": "Accepted", "at": "item.conditions"}})
    found = match({"status": {"parents": parents}}, None)
    assert found == ("status.parents[1].conditions[0]", accepted, parents[1])


@pytest.mark.parametrize(
    ("match", "fits"),
    [
        ({"count": "spec.sets", "where": {"field": "item.count", "above": 1}, "equals": 1}, True),
        ({"count": "spec.sets", "where": {"field": "item.count", "above": 0}, "below": "spec.replicas"}, True),
        ({"count": "metadata.annotations[*]", "where": {"field": "item", "is": "on"}, "above": 0}, True),
        ({"count": "spec.sets", "where": {"field": "item.count", "above": 1}, "above": 1}, False),
        ({"count": "spec.absent", "where": {"field": "item", "is": "on"}, "equals": 0}, False),
    ],
)
def test_elements_that_fit_are_counted(match: Fields, fits: bool) -> None:
    assert (compile_match(match)(FIELDS, None) is not None) is fits


def check(text: str) -> rules.Check:
    compiled = rules.read(f"about: a kind\nsource: convention\nrules:\n{text}", "x/health.yaml").check
    assert compiled is not None
    return compiled


ASSESSED = """\
  - if: {condition: Ready, status: "False"}
    status: Degraded
    reason: "{condition.reason|NotReady}"
    message: "{spec.name|unnamed}: {condition.message}"
  - if: {field: status.phase, is: Paused}
    status: Suspended
    reason: "{status.phase}"
    evidence: spec.paused
  - status: Healthy
"""
SINCE = "2026-03-01T08:30:00Z"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (
            {"conditions": [condition("Ready", "False", message=" no key ", lastTransitionTime=SINCE)]},
            Health(
                HealthCode.DEGRADED,
                "unnamed: no key",
                "NotReady",
                (Evidence(kind=EvidenceKind.CONDITION, text="Ready=False", path="status.conditions[0]"),),
                SINCE,
            ),
        ),
        (
            {"phase": "Paused"},
            Health(
                HealthCode.SUSPENDED,
                "",
                "Paused",
                (Evidence(kind=EvidenceKind.FIELD, text="", path="spec.paused"),),
            ),
        ),
        ({}, Health(HealthCode.HEALTHY)),
    ],
)
def test_the_first_rule_that_fits_gives_status_message_reason_evidence_and_since(
    status: Fields, expected: Health
) -> None:
    assert check(ASSESSED)({"status": status}) == expected


LAST = "  - status: Healthy\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("rules: []\n", 1, "about"),
        ("about: x\nsource: convention\n", 1, "either rules or like"),
        ("about: x\nrules:\n  - status: Healthy\n", 1, "source is one of argo-cd case, argo-cd proposal"),
        ("about: x\nsource: hearsay\nrules:\n  - status: Healthy\n", 1, "source is one of"),
        ("about: x\nsource: convention\nlike: y/Z\nrules:\n" + LAST, 1, "either rules or like"),
        ("about: x\nsource: convention\nlike: Z\n", 1, "group/Kind"),
        ("about: x\nsource: convention\nrules:\n  - status: Fine\n", 4, "Healthy, Suspended"),
        (
            "about: x\nsource: convention\nrules:\n  - if: {condition: Ready}\n    status: Healthy\n",
            4,
            "the last rule has no if",
        ),
        ("about: x\nsource: convention\nrules:\n" + LAST + LAST, 4, "the last rule has no if"),
        (
            "about: x\nsource: convention\nrules:\n" + "  - if: {condition: Ready}\n    status: Degraded\n" + LAST,
            4,
            "needs a reason",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {condition: Ready, statuss: a}\n    status: Healthy\n"
            + LAST,
            4,
            "statuss",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {phase: Ready}\n    status: Healthy\n" + LAST,
            4,
            "exactly one of",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {condition: Ready, status: true}\n    status: Healthy\n"
            + LAST,
            4,
            "quote",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {field: status.a}\n    status: Healthy\n" + LAST,
            4,
            "exactly one test",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {field: 7.a, is: b}\n    status: Healthy\n" + LAST,
            4,
            "is not a path",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {field: staus.a, is: b}\n    status: Healthy\n" + LAST,
            4,
            "starts with none of",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {field: status.a, present: false}\n    status: Healthy\n"
            + LAST,
            4,
            "only ever",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - if: {all: [{condition: A}]}\n    status: Healthy\n" + LAST,
            4,
            "at least two",
        ),
        (
            "about: x\nsource: convention\nrules:\n  - status: Healthy\n    message: '{condition.message}'\n",
            4,
            "needs a condition",
        ),
        ("about: x\nsource: convention\nrules:\n  - status: Healthy\n    message: '{}'\n", 4, "names no value"),
        ("about: x\nsource: convention\nrules:\n  - status: Healthy\n    note: x\n", 4, "note is not known"),
        ("about: x\nsource: convention\nrules:\n - [\n", 5, ""),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(YamlError) as caught:
        rules.read(text, "x/health.yaml")
    assert (caught.value.source, caught.value.line) == ("x/health.yaml", line)
    assert says in caught.value.message
