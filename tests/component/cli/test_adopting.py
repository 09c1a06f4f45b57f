"""Adopting objects of an unknown app on the command line: listed, asked about, recorded on the Application."""

from __future__ import annotations

import json
import pathlib
import time
from collections.abc import Iterator

import pytest

from tests.support.installation import Installation, installed

pytestmark = pytest.mark.timeout(180)
TRACKING = "argocd.argoproj.io/tracking-id"
WORDS = "ConfigMap/settings (tracked for elsewhere)"


@pytest.fixture
def waiting(tmp_path: pathlib.Path) -> Iterator[Installation]:
    """Yield an installation with an automated app whose ConfigMap another installation delivers."""
    with installed(tmp_path, served=True) as found:
        found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        marks = {TRACKING: "elsewhere:/ConfigMap:shop/settings"}
        metadata = {"name": "settings", "namespace": "shop", "annotations": marks}
        found.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": "theirs"}})
        arguments = ("--repo", str(found.repository), "--path", "web", "--dest-namespace", "shop")
        more = ("--dest-server", "https://kubernetes.default.svc", "--sync-policy", "automated")
        answer = found.run("app", "create", "shop", *arguments, *more)
        assert answer.code == 0, answer.errors
        until(lambda: status_of(found) == "OutOfSync")
        yield found


def until(done: object) -> None:
    assert callable(done)
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def app(found: Installation) -> dict[str, dict[str, dict[str, str]]]:
    return dict(json.loads(found.kubectl("get", "application", "shop", "-n", "argocd", "-o", "json")))


def status_of(found: Installation) -> str:
    return str(app(found).get("status", {}).get("sync", {}).get("status"))


def owner(found: Installation) -> str:
    obj = json.loads(found.kubectl("get", "configmap", "settings", "-n", "shop", "-o", "json"))
    return str(obj["metadata"]["annotations"][TRACKING]).partition(":")[0]


def test_app_adopt_lists_the_objects_asks_and_records_the_approval(waiting: Installation) -> None:
    got = waiting.run("app", "get", "shop")
    assert WORDS in got.output
    assert "syncline app adopt shop" in got.output
    why = waiting.run("why", "shop")
    assert "syncline app adopt shop" in why.output, why.output
    other = waiting.run("app", "adopt", "shop", "another-list", "--yes")
    assert other.code != 0
    assert "would take over other objects" in other.errors
    unasked = waiting.run("app", "adopt", "shop")
    assert (unasked.code != 0, owner(waiting)) == (True, "elsewhere")
    answer = waiting.run("app", "adopt", "shop", "--yes")
    assert (answer.code, "/ConfigMap:shop/settings  tracked for elsewhere" in answer.output) == (0, True), answer
    until(lambda: owner(waiting) == "shop")
    assert "syncline.io/adopted" in app(waiting)["metadata"]["annotations"]
    again = waiting.run("app", "adopt", "shop", "--yes")
    assert "waits for no approval" in again.errors


def test_app_sync_adopts_where_that_is_asked_for(waiting: Installation) -> None:
    held = waiting.run("app", "sync", "shop", "--timeout", "3")
    assert (held.code != 0, owner(waiting)) == (True, "elsewhere")
    assert WORDS in held.output + held.errors
    waiting.run("app", "terminate-op", "shop")
    until(lambda: status_of(waiting) == "OutOfSync")
    answer = waiting.run("app", "sync", "shop", "--adopt", "--yes", "--timeout", "60")
    assert (answer.code, owner(waiting)) == (0, "shop"), answer
