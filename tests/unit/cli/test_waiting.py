"""What `app get` and `app sync` say about a sync that runs: waves, whose turn it is not yet, and sync windows."""

from typing import Any

import pytest

from syncline.cli.app.following import waves_of
from syncline.cli.app.sync_windows import words
from syncline.cli.app.waiting import held_words, is_held, queued
from syncline.model.project import SyncWindow
from syncline.verbs.sync_windows import standing


def row(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "namespace": "shop", "name": name, **more}


def application(phase: str = "Running", **sync: Any) -> dict[str, Any]:
    results = [
        row("Job", "prepare", hookPhase="Succeeded", syncPhase="PreSync", hookType="PreSync"),
        row("Deployment", "web", hookPhase="Running", syncPhase="Sync"),
        row("Service", "web", hookPhase="Succeeded", syncPhase="Sync"),
    ]
    return {
        "metadata": {"name": "shop"},
        "spec": {"destination": {"name": "in-cluster", "namespace": "shop"}},
        "status": {
            "resources": [
                row("Job", "prepare", hook=True, syncWave=-1),
                row("Service", "web", status="Synced"),
                row("Deployment", "web", status="Synced"),
                row("ConfigMap", "after", status="OutOfSync", syncWave=1),
                row("ConfigMap", "same", status="Synced", syncWave=1),
            ],
            "operationState": {"phase": phase, "operation": {"sync": sync}, "syncResult": {"resources": results}},
        },
    }


@pytest.mark.parametrize(
    ("app", "found"),
    [
        (application(), {("", "ConfigMap", "shop", "after"): "waits for its turn in wave 1, after Deployment/web"}),
        (application("Succeeded"), {}),
        (application(resources=[row("Deployment", "web")]), {}),
        ({"metadata": {"name": "new"}}, {}),
    ],
    ids=["running", "over", "of single objects", "never synced"],
)
def test_what_differs_and_was_not_begun_waits_for_what_is_not_through(
    app: dict[str, Any], found: dict[tuple[str, ...], str]
) -> None:
    assert queued(app) == found


def test_waves_are_told_in_the_order_in_which_they_were_begun() -> None:
    assert waves_of(application()) == [
        ("PreSync wave -1", {("", "Job", "shop", "prepare")}),
        ("Sync wave 0", {("", "Deployment", "shop", "web"), ("", "Service", "shop", "web")}),
    ]


def window(kind: str, schedule: str, *, manual: bool = False) -> SyncWindow:
    return SyncWindow(kind=kind, schedule=schedule, duration="1h", applications=("*",), manual_sync=manual)


@pytest.mark.parametrize(
    ("rules", "verdict", "assigned"),
    [
        ((), "Sync Allowed", ""),
        ((window("allow", "0 12 * * *"),), "Sync Allowed", "allow:0 12 * * *:1h"),
        ((window("deny", "0 12 * * *"),), "Sync Denied", "deny:0 12 * * *:1h"),
        ((window("deny", "0 12 * * *", manual=True),), "Manual Allowed", "deny:0 12 * * *:1h"),
        ((window("deny", "0 14 * * *"),), "Sync Allowed", "deny:0 14 * * *:1h"),
    ],
)
def test_sync_windows_are_told_in_argo_cds_words(rules: tuple[SyncWindow, ...], verdict: str, assigned: str) -> None:
    found = dict(words(standing(application(), rules, "2026-03-02T12:30:00Z")))
    assert found["SyncWindow"].partition(":")[0] == verdict
    assert found.get("Assigned Windows", "") == assigned


def test_what_is_active_what_comes_next_and_when_an_app_may_sync_again_is_told() -> None:
    rules = (window("deny", "0 12 * * *"), window("allow", "0 15 * * *"), window("deny", "0 15 * * *"))
    found = dict(words(standing(application(), rules, "2026-03-02T12:30:00Z", project_name="team")))
    assert found == {
        "SyncWindow": "Sync Denied: held by window deny '0 12 * * *' for 1h of project team, no end in sight",
        "Assigned Windows": "deny:0 12 * * *:1h, allow:0 15 * * *:1h, deny:0 15 * * *:1h",
        "Active Windows": "deny:0 12 * * *:1h until 2026-03-02T13:00:00Z",
        "Next Window": "allow:0 15 * * *:1h at 2026-03-02T15:00:00Z",
    }
    found = dict(words(standing(application(), rules[:2], "2026-03-02T12:30:00Z", project_name="team")))
    assert found["SyncWindow"].endswith("of project team, opens 2026-03-02T15:00:00Z")


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("waiting for Deployment/web", "waiting for Deployment/web"),
        ("Sync operation blocked by sync window", "held by a sync window"),
        (
            (
                "Sync operation blocked by sync window: the deny window '0 22 * * *' for 2h is open until"
                " 2026-03-01T23:00:00Z"
            ),
            "held by the deny window '0 22 * * *' for 2h, opens 2026-03-01T23:00:00Z",
        ),
    ],
)
def test_a_sync_that_a_window_holds_says_which_and_when_it_opens(message: str, shown: str) -> None:
    assert held_words(message) == shown
    app = {"operation": {"sync": {}}, "status": {"operationState": {"message": message}}}
    assert is_held(app) is (shown != message)
