"""What `app get` and `app sync` say about a sync that runs: waves, whose turn it is not yet, and sync windows."""

from typing import Any

import pytest

from syncline.cli.app.following import waves_of
from syncline.cli.app.sync_windows import words
from syncline.cli.app.waiting import queued
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
