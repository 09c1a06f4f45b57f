"""When `app wait` has what it waits for, after Argo CD's rules for each wish."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.cli.app.resource_names import parse_resource
from syncline.cli.app.wait import Wish
from syncline.model.errors import NeedsUser


def app(sync: str = "Synced", health: str = "Healthy", **more: Any) -> dict[str, Any]:
    operation = {"operation": more.pop("operation")} if "operation" in more else {}
    return {"status": {"sync": {"status": sync}, "health": {"status": health}, **more}, **operation}


def resource(name: str, health: str, status: str = "Synced") -> dict[str, Any]:
    return {
        "group": "apps",
        "kind": "Deployment",
        "namespace": "x",
        "name": name,
        "status": status,
        "health": {"status": health},
    }


DEFAULT = frozenset({"sync", "health", "operation"})


@pytest.mark.parametrize(
    ("wishes", "obj", "missing"),
    [
        (DEFAULT, app(), ""),
        (DEFAULT, app(sync="OutOfSync"), "sync is OutOfSync"),
        (DEFAULT, app(sync="OutOfSync", health="Progressing"), "sync is OutOfSync, health is Progressing"),
        (DEFAULT, app(operation={"sync": {}}), "an operation is waiting to start"),
        ({"health"}, app(sync="OutOfSync"), ""),
        ({"sync"}, app(health="Degraded"), ""),
        ({"suspended"}, app(health="Suspended"), ""),
        ({"suspended", "health"}, app(health="Healthy"), ""),
        ({"degraded"}, app(health="Healthy"), "health is Healthy"),
        ({"delete"}, app(), "not deleted yet"),
        ({"delete"}, None, ""),
    ],
)
def test_each_wish_asks_for_its_own_status(wishes: set[str], obj: dict[str, Any] | None, missing: str) -> None:
    assert Wish(frozenset(wishes)).missing(obj) == missing


def test_an_operation_counts_as_running_until_its_end_was_looked_at() -> None:
    state = {"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:10Z"}
    wish = Wish(frozenset({"operation"}))
    assert wish.missing(app(operationState=state, reconciledAt="2026-01-01T00:00:09Z"))
    assert not wish.missing(app(operationState=state, reconciledAt="2026-01-01T00:00:11Z"))


@pytest.mark.parametrize(
    ("before", "now", "failed"),
    [
        ("Progressing", "Degraded", True),
        ("Healthy", "Degraded", True),
        ("Unknown", "Degraded", False),
        ("Degraded", "Degraded", False),
        ("Progressing", "Healthy", False),
    ],
)
def test_waiting_for_health_fails_when_an_object_becomes_degraded(before: str, now: str, *, failed: bool) -> None:
    wish = Wish(DEFAULT)
    told = wish.failed(app(resources=[resource("web", now)]), app(resources=[resource("web", before)]))
    assert bool(told) is failed


def test_only_the_named_objects_count() -> None:
    obj = app(sync="OutOfSync", health="Degraded", resources=[resource("web", "Healthy"), resource("db", "Degraded")])
    assert Wish(DEFAULT, (parse_resource("apps:Deployment:web"),)).missing(obj) == ""
    assert Wish(DEFAULT, (parse_resource("apps:Deployment:x/db"),)).missing(obj) == "health is Degraded"
    assert Wish(DEFAULT, (parse_resource("apps:Deployment:none"),)).missing(obj) == "sync is Unknown, health is Missing"


@pytest.mark.parametrize("text", ["", "web", "apps:Deployment", "apps::web", "a:b:c:d"])
def test_a_name_that_is_no_object_is_told_with_an_example(text: str) -> None:
    with pytest.raises(NeedsUser, match="apps:Deployment:web"):
        parse_resource(text)
