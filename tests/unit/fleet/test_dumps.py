"""A folder of dumps is read in any layout; what is odd is named and skipped."""

import pathlib

import orjson
import pytest

from syncline import wiring
from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.verbs.fleet.dump import DumpRead
from syncline.verbs.fleet.dump_logs import LogPlace, log_place

PODS = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1, namespace: shop, creationTimestamp: "2026-01-01T00:00:00Z"}
- apiVersion: v1
  kind: Pod
  metadata: {name: api-1, namespace: shop}
"""
NODE = "{{kind: Node, apiVersion: v1, metadata: {{name: {}}}}}"
EVENTS = {
    "kind": "EventList",
    "apiVersion": "v1",
    "items": [
        {"metadata": {"name": "e", "namespace": "shop"}, "reason": "Failed", "lastTimestamp": "2026-01-01T00:10:00Z"},
    ],
}
NEW_EVENT = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "n", "namespace": "shop"},
    "regarding": {"kind": "Pod", "name": "web-1"},
    "note": "Back-off",
    "deprecatedCount": 4,
}
ALERTS = [{"labels": {"alertname": "Down"}, "startsAt": "2026-01-01T00:00:00Z", "fingerprint": "a"}]
RANGE = {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"job": "a"}, "values": []}]}}


def read(folder: pathlib.Path, files: dict[str, object]) -> DumpRead:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else orjson.dumps(content))
    return wiring.read_from(folder)


def test_lists_documents_events_alerts_and_series_are_all_found(tmp_path: pathlib.Path) -> None:
    found = read(
        tmp_path,
        {
            "deep/er/pods.yaml": PODS,
            "two.yml": "\n---\n".join((NODE.format("a"), "", NODE.format("b"))),
            "events.json": EVENTS,
            "events-new.json": NEW_EVENT,
            "alerts.json": ALERTS,
            "memory.json": RANGE,
        },
    )
    (cluster,) = found.snapshot.clusters
    assert [str(key_of(obj)) for obj in cluster.objects] == [
        "/Node:/a",
        "/Node:/b",
        "/Pod:shop/api-1",
        "/Pod:shop/web-1",
    ]
    assert [(event["reason"] if "reason" in event else event["message"]) for event in cluster.events] == [
        "Failed",
        "Back-off",
    ]
    assert cluster.events[1]["involvedObject"]["name"] == "web-1"
    assert found.snapshot.alerts == tuple(ALERTS)
    assert [one["metric"] for one in found.snapshot.series] == [{"job": "a"}]
    assert found.snapshot.as_of == "2026-01-01T00:10:00Z"
    assert found.skipped == ()


def test_odd_files_are_named_and_the_rest_is_read(tmp_path: pathlib.Path) -> None:
    found = read(
        tmp_path,
        {
            "pods.yaml": PODS,
            "cut.json": '{"kind": "List", "items": [',
            "notes.txt": "we restarted it twice\n",
            "broken.yaml": "a: b: c\n",
            "values.yaml": "replicas: 3\n",
        },
    )
    assert len(found.snapshot.clusters[0].objects) == 2
    said = dict(sentence.split(": ", 1) for sentence in found.skipped)
    assert sorted(said) == ["broken.yaml", "cut.json", "notes.txt", "values.yaml"]
    assert said["cut.json"].startswith("is not JSON")
    assert said["broken.yaml"].startswith("is not YAML")
    assert said["values.yaml"] == "has no Kubernetes object, alert or series"


def test_links_lead_nowhere(tmp_path: pathlib.Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(PODS)
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(outside)
    assert wiring.read_from(folder).snapshot.clusters[0].objects == ()


def test_values_of_secrets_are_not_kept(tmp_path: pathlib.Path) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "db", "namespace": "shop"},
        "data": {"pw": "Y2FuYXJ5"},
    }
    (cluster,) = read(tmp_path, {"secrets.json": secret}).snapshot.clusters
    assert cluster.objects[0]["data"] == {"pw": ""}
    assert cluster.secrets_listed


def test_logs_find_their_pod_and_are_redacted(tmp_path: pathlib.Path) -> None:
    found = read(
        tmp_path,
        {
            "pods.yaml": PODS,
            "logs/web-1/main.log": "starting\npassword=hunter2-canary\n",
            "logs/web-1/main.previous.log": "panic: no such host\n",
            "logs/shop/api-1/side.log": "fine\n",
            "shop/api-1/logs.txt": "==== START logs for container main of pod shop/api-1 ====\none\n"
            "==== END logs for container main of pod shop/api-1 ====\n",
        },
    )
    logs = [(log.pod, log.container, log.lines) for log in found.snapshot.clusters[0].logs]
    web, api = ObjectKey("", "Pod", "shop", "web-1"), ObjectKey("", "Pod", "shop", "api-1")
    assert (web, "main", ("starting", "password=•••")) in logs
    assert logs[-1] == (web, "main", ("panic: no such host",))
    assert (api, "side", ("fine",)) in logs
    assert (api, "main", ("one",)) in logs


def test_what_a_container_printed_before_it_got_ready_again_is_over(tmp_path: pathlib.Path) -> None:
    ready = {"containerStatuses": [{"name": "main", "ready": True}, {"name": "side", "ready": False}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1", "namespace": "shop"}, "status": ready}
    logs = {
        f"logs/web-1/{name}{when}.log": f"{name}{when}\n" for name in ("main", "side") for when in ("", ".previous")
    }
    (cluster,) = read(tmp_path, {"pods.json": pod, **logs}).snapshot.clusters
    assert {log.container: log.lines for log in cluster.logs} == {"main": ("main",), "side": ("side.previous",)}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("logs/web/main.log", LogPlace("", "web", "main")),
        ("x/logs/shop/web/main.previous.log", LogPlace("shop", "web", "main", previous=True)),
        ("namespaces/shop/pods/web/main/main/logs/previous.log", LogPlace("shop", "web", "main", previous=True)),
        ("shop/web/logs.txt", LogPlace("shop", "web", "")),
        ("web.log", None),
        ("pods.yaml", None),
    ],
)
def test_the_path_says_whose_log_it_is(path: str, place: LogPlace | None) -> None:
    assert log_place(path) == place
