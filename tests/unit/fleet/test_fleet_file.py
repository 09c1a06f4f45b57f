"""A snapshot file holds what was read, and says which line cannot be read."""

import pathlib

import pytest

from syncline import wiring
from syncline.apimachinery.keys import ObjectKey
from syncline.model import fleet_file
from syncline.model.errors import InvalidSpec, Place
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Generated, Rendered
from syncline.model.layers import HiddenValue, Layers
from syncline.model.snapshot import PodLog
from syncline.verbs.fleet.sharing import cleaned

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "one"}}
EVENT = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "shop"}, "reason": "Failed"}
FLEET = FleetSnapshot(
    as_of="2026-01-02T03:04:05Z",
    origin="context x",
    clusters=(
        ClusterSnapshot(
            name="x",
            server="https://x",
            objects=(POD,),
            events=(EVENT,),
            logs=(PodLog(ObjectKey("", "Pod", "shop", "web"), "main", ("one", "two")),),
            unreadable=("Node",),
        ),
        ClusterSnapshot(name="y", objects=(NODE,), secrets_listed=True),
        ClusterSnapshot(name="z", problem="no way there"),
    ),
    rendered=(
        Rendered(app=ObjectKey("argoproj.io", "Application", "argocd", "a"), problem="not here"),
        Rendered(
            app=ObjectKey("argoproj.io", "Application", "argocd", "b"),
            layers=Layers(
                hidden=(
                    HiddenValue(
                        path=("tolerations",),
                        place=Place("web.yaml", 3),
                        empty="tolerations: []",
                        hides=Place("dev.yaml", 9),
                        hidden=[{"key": "env", "operator": "Exists"}],
                    ),
                )
            ),
        ),
    ),
    generated=(Generated(appset=ObjectKey("argoproj.io", "ApplicationSet", "argocd", "s"), names=("a", "b")),),
    alerts=({"labels": {"alertname": "Down"}},),
    series=({"metric": {"job": "a"}, "values": [[1, "2"]]},),
)


@pytest.mark.parametrize("name", ["fleet.gz", "fleet.jsonl"])
def test_what_is_written_is_read_back(tmp_path: pathlib.Path, name: str) -> None:
    path = tmp_path / name
    size = wiring.write_snapshot(path, FLEET)
    assert path.stat().st_size == size
    assert path.stat().st_mode & 0o077 == 0
    assert wiring.read_from(path).snapshot == FLEET


def test_a_file_cut_short_names_the_line() -> None:
    lines = list(fleet_file.lines(FLEET, cleaned))
    with pytest.raises(InvalidSpec, match=r"fleet\.gz:3: .*cut short"):
        fleet_file.read([*lines[:2], lines[2][:10]], "fleet.gz")


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b"hello", "not a snapshot"),
        (b'{"syncline":"snapshot","schemaVersion":99}', "schemaVersion 99"),
    ],
)
def test_another_file_or_a_newer_schema_is_refused(first: bytes, said: str) -> None:
    with pytest.raises(InvalidSpec, match=said):
        fleet_file.read([first], "f")


def test_a_line_of_an_unknown_cluster_is_refused() -> None:
    head = next(iter(fleet_file.lines(FLEET, cleaned)))
    with pytest.raises(InvalidSpec, match="f:2"):
        fleet_file.read([head, b'{"cluster":7,"object":{}}'], "f")
