"""Objects that a finalizer holds: told at once to whoever asks, and a cause once it takes longer than it should."""

import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.core.diagnose.subjects import App
from syncline.model.diagnosis import Thing
from tests.support.objects import config_map, desired
from tests.support.sick_fleet import Fleet, made
from tests.unit.diagnose.app_cases import live, look

SECONDS_AGO, MINUTES_AGO = "2026-03-02T11:59:40Z", "2026-03-02T11:57:00Z"
HELD = ObjectKey("", "ConfigMap", "shop", "held")
EXTRA = [check for check in registry.checks(App) if check.rule.code == "LIV-103"]


def fleet_with(since: str, *finalizers: str) -> Fleet:
    """Return a fleet in which an object of an app was deleted; the app is Progressing since."""
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    held = made("v1", "ConfigMap", "shop", "held")
    held["metadata"] |= {"deletionTimestamp": since, "finalizers": list(finalizers)}
    fleet.add(held, "web")
    return fleet


def told(fleet: Fleet) -> list[tuple[str, str]]:
    """Return the causes of a fleet whose app waits for the object to go."""
    snapshot = fleet.snapshot()
    status = next(one for one in snapshot.clusters[0].objects if one["kind"] == "Application")["status"]
    status["health"], status["sync"] = (
        {"status": "Progressing", "lastTransitionTime": SECONDS_AGO},
        {"status": "OutOfSync"},
    )
    return [(cause.finding.code, str(cause.thing)) for cause in diagnose(snapshot).causes]


@pytest.mark.parametrize("since", [SECONDS_AGO, MINUTES_AGO])
@pytest.mark.parametrize("finalizer", ["example.io/cleanup", "foregroundDeletion"])
def test_who_asks_about_an_object_that_goes_is_told_who_holds_it(since: str, finalizer: str) -> None:
    found = diagnose(fleet_with(since, finalizer).snapshot(), Thing(cluster="prod", key=HELD))
    assert list(found.counts) == ["Terminating"]
    (cause,) = found.causes
    assert finalizer in cause.finding.message
    assert "finalizers" in cause.finding.options[0].command


def test_an_object_that_nobody_deletes_is_in_order() -> None:
    fleet = fleet_with(SECONDS_AGO, "example.io/cleanup")
    del fleet.objects[HELD]["metadata"]["deletionTimestamp"]
    assert diagnose(fleet.snapshot(), Thing(cluster="prod", key=HELD)).counts == {}


def test_a_finalizer_that_holds_for_minutes_is_the_cause_of_its_app() -> None:
    assert told(fleet_with(MINUTES_AGO, "example.io/cleanup")) == [("LIV-010", "ConfigMap/held in shop")]


@pytest.mark.parametrize(
    ("since", "finalizer"), [(SECONDS_AGO, "example.io/cleanup"), (MINUTES_AGO, "foregroundDeletion")]
)
def test_what_goes_in_time_is_no_cause(since: str, finalizer: str) -> None:
    assert told(fleet_with(since, finalizer)) == []


@pytest.mark.parametrize("with_apps", [True, False])
def test_a_claim_that_is_being_deleted_is_no_symptom_of_a_dump(with_apps: bool) -> None:
    fleet = Fleet()
    claim = fleet.add(made("v1", "PersistentVolumeClaim", "shop", "data", status={"phase": "Bound"}))
    claim["metadata"] |= {"deletionTimestamp": SECONDS_AGO, "finalizers": ["kubernetes.io/pvc-protection"]}
    assert diagnose(fleet.snapshot(with_apps=with_apps)).causes == ()


@pytest.mark.parametrize(
    ("deleted", "said"), [(True, "the finalizer example.io/guard blocks it"), (False, "no longer in Git")]
)
def test_an_object_that_is_held_is_not_left_to_the_next_sync(deleted: bool, said: str) -> None:
    value = live(config_map())
    value["metadata"] |= {"finalizers": ["example.io/guard"]}
    if deleted:
        value["metadata"]["deletionTimestamp"] = "2026-03-01T08:29:59Z"
    (finding,) = engine.run(EXTRA, look(wanted=desired(), live=[value]))
    assert said in finding.message
    assert finding.fix is not None
    assert ("controller of example.io" in finding.fix.text) is deleted
