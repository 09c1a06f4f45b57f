"""Some fields of an object, and all of them in a table."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.cli.show.fields import fields_table, only_fields

POD: dict[str, Any] = {
    "metadata": {"name": "web-1", "labels": {}},
    "spec": {"containers": [{"name": "a", "image": "a:1"}, {"name": "b"}]},
    "status": {"podIP": "10.0.0.1", "ready": True},
}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["status.podIP"], {"status": {"podIP": "10.0.0.1"}}),
        (["status.podIP", "status.ready"], {"status": {"podIP": "10.0.0.1", "ready": True}}),
        (["spec.containers.image"], {"spec": {"containers": [{"image": "a:1"}, None]}}),
        (
            ["spec.containers.image", "spec.containers.name"],
            {"spec": {"containers": [{"image": "a:1", "name": "a"}, {"name": "b"}]}},
        ),
        (["status.nothing", "nothing"], {}),
    ],
)
def test_only_the_named_fields_stay(paths: list[str], expected: dict[str, Any]) -> None:
    assert only_fields(POD, paths) == expected


def test_every_field_has_a_row() -> None:
    rows = [line.split() for line in fields_table([POD], ["web-1"]).splitlines()]
    assert rows == [
        ["FIELD", "RESOURCE", "NAME", "VALUE"],
        ["metadata.name", "web-1", "web-1"],
        ["metadata.labels", "web-1", "{}"],
        ["spec.containers[0].name", "web-1", "a"],
        ["spec.containers[0].image", "web-1", "a:1"],
        ["spec.containers[1].name", "web-1", "b"],
        ["status.podIP", "web-1", "10.0.0.1"],
        ["status.ready", "web-1", "true"],
    ]
