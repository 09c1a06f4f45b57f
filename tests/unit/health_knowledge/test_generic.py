"""Kinds that nobody described: their conditions are read and shown, and nothing waits for them."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core.health import generic
from syncline.core.health.assess import aggregate, assess, shown
from syncline.model.comparison import ComparedObject, Verdict
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode

HEALTHY, PROGRESSING, DEGRADED = HealthCode.HEALTHY, HealthCode.PROGRESSING, HealthCode.DEGRADED
SUSPENDED = HealthCode.SUSPENDED


def widget(status: Any = None, generation: int = 1) -> Object:
    metadata = {"name": "w", "namespace": "shop", "generation": generation}
    found: Object = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata}
    return found if status is None else {**found, "status": status}


def conditions(*items: tuple[str, str, str]) -> dict[str, Any]:
    return {"conditions": [{"type": name, "status": status, "reason": reason} for name, status, reason in items]}


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (conditions(("Ready", "True", "Done")), HEALTHY, "Done"),
        (conditions(("Available", "True", "")), HEALTHY, "Available"),
        (conditions(("Ready", "False", "NoKey")), DEGRADED, "NoKey"),
        (conditions(("Ready", "False", "ResourcesCreating")), PROGRESSING, "ResourcesCreating"),
        (conditions(("Ready", "False", "NoKey"), ("Reconciling", "True", "")), PROGRESSING, "NoKey"),
        (conditions(("Ready", "Unknown", "")), PROGRESSING, "Ready"),
        (conditions(("Ready", "True", ""), ("Synced", "False", "Denied")), DEGRADED, "Denied"),
        (conditions(("Ready", "True", ""), ("Stalled", "True", "Retries")), DEGRADED, "Retries"),
        (conditions(("Ready", "True", ""), ("Degraded", "False", "")), HEALTHY, "Ready"),
        (conditions(("Progressing", "True", "Busy")), PROGRESSING, "Busy"),
        ({"phase": "Running"}, HEALTHY, "Running"),
        ({"phase": "Failed"}, DEGRADED, "Failed"),
        ({"state": "paused"}, SUSPENDED, "paused"),
        ({"phase": "Molting"}, PROGRESSING, "Molting"),
        ({"observedGeneration": 0, **conditions(("Ready", "True", ""))}, PROGRESSING, "NotObserved"),
    ],
)
def test_conditions_phase_and_generation_are_read_by_convention(
    status: dict[str, Any], code: HealthCode, reason: str
) -> None:
    health = generic.read(widget(status))
    assert health is not None
    assert (health.status, health.reason, health.gating) == (code, reason, False)


@pytest.mark.parametrize("status", [None, "ok", {}, {"conditions": []}, {"conditions": "x"}, {"phase": 3}])
def test_a_status_that_says_nothing_known_is_not_read(status: Any) -> None:
    assert generic.read(widget(status)) is None


def test_the_reading_quotes_the_condition_and_where_it_stands() -> None:
    ready = {"type": "Ready", "status": "False", "reason": "NoKey", "message": "key is missing"}
    evidence = Evidence(kind=EvidenceKind.CONDITION, text="Ready=False NoKey", path="status.conditions[0]")
    expected = Health(DEGRADED, "Ready=False NoKey: key is missing", "NoKey", (evidence,), gating=False)
    assert generic.read(widget({"conditions": [ready]})) == expected


def test_a_reading_is_shown_but_is_no_health_and_makes_no_app_degraded() -> None:
    obj = widget(conditions(("Ready", "False", "NoKey")))
    reading = shown(obj)
    assert assess(obj) is None
    assert reading is not None
    key = key_of(obj)
    row = ComparedObject(key=key, version="v1", verdict=Verdict.SYNCED, reasons=(), desired=True, live=True)
    assert aggregate([row], {key: reading}, {key: obj}) == Health(HEALTHY)
