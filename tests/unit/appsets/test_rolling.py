"""Rolling sync, decided from values: who is in which step, who may go on, and how many."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.appset import rolling

NOW = "2030-01-01T00:00:10Z"
BEFORE = "2030-01-01T00:00:00Z"
STEPS = [{"matchExpressions": [{"key": "env", "operator": "In", "values": [env]}]} for env in ("dev", "prod")]
SPEC = {"strategy": {"type": "RollingSync", "rollingSync": {"steps": STEPS}}}
SOURCE = {"repoURL": "https://git.example/repo.git", "path": "apps", "targetRevision": "main"}


def app(
    name: str, env: str, *, sync: str = "Synced", health: str = "Healthy", sha: str = "1" * 40, **status: Any
) -> Object:
    return {
        "metadata": {"name": name, "labels": {"env": env}},
        "spec": {"source": SOURCE},
        "status": {
            "sync": {"status": sync, "revision": sha, "comparedTo": {"source": SOURCE}},
            "health": {"status": health},
            **status,
        },
    }


def entry(name: str, status: str, *, sha: str = "1" * 40, since: str = BEFORE) -> Object:
    return {
        "application": name,
        "status": status,
        "message": "",
        "step": "1",
        "targetRevisions": [sha],
        "lastTransitionTime": since,
    }


def states(before: list[Object], *apps: Object, changed: set[str] | None = None, spec: Object = SPEC) -> dict[str, str]:
    live = {one["metadata"]["name"]: one for one in apps}
    found = rolling.advance(spec, before, live, live, changed or set(), NOW)
    return {one["application"]: one["status"] for one in found.entries}


@pytest.mark.parametrize(
    ("expression", "labels", "taken"),
    [
        ({"key": "env", "operator": "In", "values": ["a"]}, {"env": "a"}, True),
        ({"key": "env", "operator": "In", "values": ["a"]}, {"env": "b"}, False),
        ({"key": "env", "operator": "In", "values": ["a"]}, {}, False),
        ({"key": "env", "operator": "NotIn", "values": ["a"]}, {"env": "b"}, True),
        ({"key": "env", "operator": "NotIn", "values": ["a"]}, {"env": "a"}, False),
        ({"key": "env", "operator": "NotIn", "values": ["a"]}, {}, True),
        ({"key": "env", "operator": "Exists"}, {"env": "a"}, False),
    ],
)
def test_steps_select_by_labels(expression: Object, labels: dict[str, str], taken: bool) -> None:
    assert rolling.selects({"matchExpressions": [expression]}, labels) is taken


@pytest.mark.parametrize(
    ("most", "total", "found"),
    [
        (None, 4, None),
        (2, 4, 2),
        (0, 4, 0),
        ("50%", 5, 2),
        ("10%", 4, 1),
        ("0%", 4, 0),
        ("100%", 4, 4),
        ("many", 4, None),
    ],
)
def test_so_many_at_a_time(most: Any, total: int, found: int | None) -> None:
    assert rolling.limit(most, total) == found


@pytest.mark.parametrize(
    ("before", "live", "after"),
    [
        ("Waiting", app("a", "dev"), "Healthy"),
        ("Waiting", app("a", "dev", health="Progressing"), "Progressing"),
        ("Waiting", app("a", "dev", sync="OutOfSync"), "Pending"),
        ("Pending", app("a", "dev", sync="OutOfSync"), "Pending"),
        ("Pending", app("a", "dev", sync="OutOfSync", operationState={"startedAt": NOW}), "Progressing"),
        ("Pending", app("a", "dev", sync="OutOfSync", operationState={"startedAt": "2029-01-01T00:00:00Z"}), "Pending"),
        ("Pending", app("a", "dev", sync="Unknown", conditions=[{"type": "InvalidSpecError"}]), "Progressing"),
        ("Progressing", app("a", "dev", health="Degraded"), "Progressing"),
        ("Progressing", app("a", "dev"), "Healthy"),
        ("Healthy", app("a", "dev", health="Degraded"), "Healthy"),
        ("Healthy", app("a", "dev", sync="OutOfSync"), "Pending"),
        ("Healthy", app("a", "dev", sync="OutOfSync", sha="2" * 40), "Pending"),
    ],
)
def test_an_application_moves_on_by_its_status(before: str, live: Object, after: str) -> None:
    assert states([entry("a", before)], live) == {"a": after}


def test_a_spec_that_is_not_there_yet_is_waited_for() -> None:
    assert states([entry("a", "Healthy"), entry("b", "Healthy")], app("a", "dev"), app("b", "prod"), changed={"a"}) == {
        "a": "Pending",
        "b": "Healthy",
    }


def test_a_status_about_another_source_does_not_count() -> None:
    old = app("a", "dev")
    old["status"]["sync"]["comparedTo"]["source"] = {**SOURCE, "path": "before"}
    waiting = app("b", "prod", sync="OutOfSync")
    assert states([entry("a", "Progressing"), entry("b", "Waiting")], old, waiting) == {
        "a": "Progressing",
        "b": "Waiting",
    }


def test_a_later_step_waits_for_the_commit_that_it_has_seen() -> None:
    before = [entry("a", "Healthy"), entry("b", "Healthy")]
    behind, ahead = app("a", "dev"), app("b", "prod", sync="OutOfSync", sha="2" * 40)
    assert states(before, behind, ahead) == {"a": "Healthy", "b": "Waiting"}
    arrived = app("a", "dev", sha="2" * 40)
    assert states([entry("a", "Healthy", sha="2" * 40), entry("b", "Waiting", sha="2" * 40)], arrived, ahead) == {
        "a": "Healthy",
        "b": "Pending",
    }


def test_an_application_that_is_not_there_yet_holds_the_next_step() -> None:
    live = {"b": app("b", "prod", sync="OutOfSync")}
    desired = {"a": app("a", "dev"), **live}
    found = rolling.advance(SPEC, [], live, desired, set(), NOW)
    assert [(one["application"], one["status"]) for one in found.entries] == [("b", "Waiting")]


def test_a_sync_is_asked_for_once() -> None:
    pending = entry("a", "Pending", since=NOW)
    made = {"metadata": {"name": "a"}, "spec": {"source": SOURCE}}
    asked = rolling.asked_to_sync(made, app("a", "dev", sync="OutOfSync"), pending, made)
    assert asked["operation"]["sync"] == {"revision": "1" * 40}
    running = app("a", "dev", operationState={"startedAt": NOW, "operation": asked["operation"]})
    assert "operation" not in rolling.asked_to_sync(made, running, pending, made)
