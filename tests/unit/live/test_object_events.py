"""Events that are kept: of objects that are not Healthy, a few each, in short; what an app gets of them has bounds."""

from typing import Any

import orjson
import pytest

from syncline.apimachinery.keys import Object
from syncline.controller.live.events import PER_APP, PER_APP_BYTES, ObjectEvents
from syncline.controller.live.index import LiveIndex
from syncline.controller.live.scope import WatchTarget
from syncline.core.health.events import KINDS
from tests.support.objects import SETTINGS, obj, tracked


def claim(name: str = "data", phase: str = "Pending", version: int = 1, *, owned: bool = True) -> Object:
    found = obj("PersistentVolumeClaim", name, status={"phase": phase})
    found["metadata"] |= {"uid": f"uid-{name}", "resourceVersion": str(version)}
    return tracked(found) if owned else found


def warning(about: Object, reason: str = "ProvisioningFailed", minute: int = 0, **rest: Any) -> Object:
    metadata = about["metadata"]
    involved = {"apiVersion": about["apiVersion"], "kind": about["kind"], "namespace": metadata["namespace"]}
    name = f"{metadata['name']}.{reason}"
    event = obj("Event", name, namespace=metadata["namespace"])
    return event | {
        "involvedObject": involved | {"name": metadata["name"], "uid": metadata["uid"]},
        "reason": reason,
        "type": "Warning",
        "message": f"{reason} at {minute}",
        "lastTimestamp": f"2026-03-01T08:{minute:02}:00Z",
        **rest,
    }


class Kept:
    """The Events of a cluster that holds some objects, and the names of those of which there was news."""

    def __init__(self, *live: Object) -> None:
        self.index = LiveIndex(SETTINGS)
        for one in live:
            self.index.put(one)
        self.news: list[str] = []
        self.events = ObjectEvents(self.index, SETTINGS, lambda found: self.news.append(found["metadata"]["name"]))

    def reasons(self, *live: Object) -> list[str]:
        return [event["reason"] for event in self.events.about(live)]


def test_an_event_that_repeats_what_is_known_is_no_news() -> None:
    pending = claim()
    kept = Kept(pending)
    for event in (warning(pending), warning(pending, count=7), warning(pending, message="another reason")):
        kept.events.updated(event)
    assert (kept.news, len(kept.events)) == (["data", "data"], 1)


def test_what_is_kept_is_short_and_says_whom_it_is_about() -> None:
    pending = claim()
    kept = Kept(pending)
    kept.events.updated(warning(pending, message="x" * 5000, managedFields=["bulk"], source={"host": "n1"}))
    (event,) = kept.events.about([pending])
    assert event == {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "shop", "name": "data.ProvisioningFailed"},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": "shop",
            "name": "data",
            "uid": "uid-data",
        },
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": "x" * 1024,
        "lastTimestamp": "2026-03-01T08:00:00Z",
        "count": 1,
    }


def test_the_newest_of_an_object_come_first_and_only_some_are_kept() -> None:
    pending = claim()
    kept = Kept(pending)
    for minute, reason in enumerate(("A", "B", "C", "D", "E", "F")):
        kept.events.updated(warning(pending, reason, minute))
    assert kept.reasons(pending) == ["F", "E", "D", "C"]


@pytest.mark.parametrize(("length", "most"), [(10, PER_APP), (1024, PER_APP_BYTES // 1024)])
def test_an_app_gets_the_newest_within_a_number_and_a_number_of_bytes(length: int, most: int) -> None:
    claims = [claim(f"data-{number:03}") for number in range(200)]
    kept = Kept(*claims)
    for number, one in enumerate(claims):
        time = f"2026-03-01T{number // 60:02}:{number % 60:02}:00Z"
        kept.events.updated(warning(one, message="x" * length, lastTimestamp=time))
    found = kept.events.about(claims)
    assert 0 < len(found) <= most
    assert len(orjson.dumps(found)) <= PER_APP_BYTES + 2 + len(found)
    assert [event["involvedObject"]["name"] for event in found] == [f"data-{199 - one:03}" for one in range(len(found))]


def test_nothing_is_kept_about_what_is_healthy_or_has_no_check() -> None:
    bound, settings = claim(phase="Bound"), tracked(obj("ConfigMap", "settings"))
    settings["metadata"] |= {"uid": "uid-settings", "resourceVersion": "1"}
    kept = Kept(bound, settings)
    kept.events.updated(warning(bound))
    kept.events.updated(warning(settings))
    assert (len(kept.events), kept.news) == (0, [])


def test_what_was_kept_is_forgotten_when_its_object_is_seen_healthy() -> None:
    pending, bound = claim(), claim(phase="Bound", version=2)
    kept = Kept(pending)
    kept.events.updated(warning(pending))
    assert kept.reasons(bound) == []
    assert len(kept.events) == 0


def test_an_event_that_comes_before_its_object_is_found_once_that_is_there() -> None:
    pending = claim()
    kept = Kept()
    kept.events.updated(warning(pending))
    assert (kept.reasons(pending), kept.news) == (["ProvisioningFailed"], [])


def test_of_objects_that_belong_to_no_app_only_so_many_are_waited_for() -> None:
    strangers = [claim(f"data-{number}", owned=False) for number in range(2000)]
    ours = claim("ours")
    kept = Kept(ours, *strangers)
    kept.events.updated(warning(ours))
    for one in strangers:
        kept.events.updated(warning(one))
    assert (kept.reasons(ours), len(kept.events)) == (["ProvisioningFailed"], 513)


def test_an_event_about_a_former_object_of_the_same_name_is_not_told() -> None:
    pending, former = claim(), claim()
    former["metadata"]["uid"] = "another"
    kept = Kept(pending)
    kept.events.updated(warning(former))
    assert kept.reasons(pending) == []


def test_a_list_replaces_what_was_kept_of_its_namespace() -> None:
    here, there = claim(), claim("data")
    there["metadata"] |= {"namespace": "other", "uid": "uid-there"}
    kept = Kept(here, there)
    for one in (here, there):
        kept.events.updated(warning(one))
    with kept.events.listing(WatchTarget(KINDS[0], "shop")) as listing:
        listing.take(warning(here, "Other"))
        listing.finish("9")
    assert (kept.reasons(here), kept.reasons(there)) == (["Other"], ["ProvisioningFailed"])


def test_what_is_wrong_with_an_application_is_not_read_from_our_own_events() -> None:
    app = obj("Application", "child", api="argoproj.io/v1alpha1", status={"health": {"status": "Degraded"}})
    app["metadata"] |= {"uid": "uid-child", "resourceVersion": "1"}
    kept = Kept(tracked(app))
    kept.events.updated(warning(app, "OperationCompleted"))
    assert (len(kept.events), kept.news) == (0, [])
