"""Alerts and series beside a dump: evidence where they name what is bad, a symptom where nothing explains them."""

import json
import pathlib
from typing import Any

import pytest

from syncline import wiring
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from syncline.model.finding import Confidence, EvidenceKind

START = 1_767_229_200
"""2026-01-01T01:00:00Z"""


def pod(name: str, *, memory_killed: bool) -> dict[str, Any]:
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-01-01T01:00:00Z"}
    status: dict[str, Any] = {"name": "main", "image": "web:1", "restartCount": 0, "ready": True}
    status |= {"state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
    if memory_killed:
        waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}
        status |= {"ready": False, "restartCount": 9, "state": waiting, "lastState": {"terminated": ended}}
    ready = {
        "type": "Ready",
        "status": "False" if memory_killed else "True",
        "lastTransitionTime": "2026-01-01T01:00:00Z",
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {
            "nodeName": "one",
            "containers": [{"name": "main", "image": "web:1", "resources": {"limits": {"memory": "400Mi"}}}],
        },
        "status": {"phase": "Running", "conditions": [ready], "containerStatuses": [status]},
    }


def alert(name: str, since: str = "2026-01-01T01:01:00Z", **labels: str) -> dict[str, Any]:
    """Return an alert as /api/v2/alerts of an Alertmanager prints it."""
    return {
        "annotations": {"summary": f"{name} fires"},
        "endsAt": "2030-01-01T00:00:00Z",
        "fingerprint": name,
        "startsAt": since,
        "status": {"inhibitedBy": [], "silencedBy": [], "state": "active"},
        "labels": {"alertname": name, "severity": "critical", **labels},
    }


def ranged(values: list[float], **metric: str) -> dict[str, Any]:
    """Return what /api/v1/query_range of a Prometheus answers."""
    samples = [[START + 60 * number, str(value)] for number, value in enumerate(values)]
    data = {"resultType": "matrix", "result": [{"metric": metric, "values": samples}]}
    return {"status": "success", "data": data}


def answered(folder: pathlib.Path, *objects: dict[str, Any], **beside: Any) -> Diagnosis:
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    for name, content in beside.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    found = wiring.read_from(folder)
    assert found.skipped == ()
    return diagnose(found.snapshot)


def evidence(found: Diagnosis, kind: EvidenceKind) -> list[str]:
    return [one.text for cause in found.causes for one in cause.finding.evidence if one.kind is kind]


def test_an_alert_about_what_is_bad_is_evidence_of_its_cause(tmp_path: pathlib.Path) -> None:
    alerts = [alert("KubePodCrashLooping", namespace="shop", pod="web"), alert("Watchdog", namespace="shop", pod="web")]
    found = answered(tmp_path, pod("web", memory_killed=True), alerts=alerts)
    assert evidence(found, EvidenceKind.ALERT) == ["alert KubePodCrashLooping (critical): KubePodCrashLooping fires"]
    assert found.unexplained == ()


def test_an_alert_about_something_that_looks_well_is_a_symptom_nobody_can_explain(tmp_path: pathlib.Path) -> None:
    found = answered(
        tmp_path, pod("web", memory_killed=False), alerts=[alert("HighLatency", namespace="shop", pod="web")]
    )
    assert (found.total, found.good, found.counts) == (1, 0, {"alerting": 1})
    [finding] = found.unexplained
    assert "HighLatency" in finding.message
    assert "nothing that was read explains it" in finding.message
    assert found.causes == ()


def test_the_same_time_alone_is_maybe_and_never_a_cause(tmp_path: pathlib.Path) -> None:
    alerts = [alert("BlackboxProbeFailed", target="https://shop.example.com")]
    found = answered(tmp_path, pod("web", memory_killed=True), alerts=alerts)
    [said] = evidence(found, EvidenceKind.ALERT)
    assert said.startswith("maybe, at the same time only: alert BlackboxProbeFailed")
    assert len(found.causes) == 1
    later = [alert("BlackboxProbeFailed", "2026-01-01T05:00:00Z", target="https://shop.example.com")]
    found = answered(tmp_path, pod("web", memory_killed=True), alerts=later)
    assert evidence(found, EvidenceKind.ALERT) == []
    assert [one.confidence for one in found.unexplained] == [Confidence.TEXT]


@pytest.mark.parametrize(
    "change",
    [
        {"status": {"state": "suppressed"}},
        {"endsAt": "2020-01-01T00:00:00Z"},
        {"status": None, "state": "pending"},
        {"labels": {"alertname": "Watchdog", "pod": "web", "namespace": "shop"}},
        {"labels": {"alertname": "Down", "severity": "none", "pod": "web", "namespace": "shop"}},
        {"labels": {"pod": "web"}},
    ],
)
def test_what_is_silenced_over_pending_or_always_on_is_left_out(change: dict[str, Any], tmp_path: pathlib.Path) -> None:
    one = {**alert("Down", namespace="shop", pod="web"), **change}
    found = answered(tmp_path, pod("web", memory_killed=False), alerts=[one])
    assert (found.good, found.unexplained) == (1, ())


def test_a_series_that_jumps_about_what_is_bad_is_evidence(tmp_path: pathlib.Path) -> None:
    metric = {"__name__": "container_memory_working_set_bytes", "namespace": "shop", "pod": "web"}
    values = [100 << 20, 110 << 20, 120 << 20, 398 << 20, 399 << 20]
    found = answered(tmp_path, pod("web", memory_killed=True), range=ranged([float(one) for one in values], **metric))
    [said] = evidence(found, EvidenceKind.METRIC)
    assert said == 'container_memory_working_set_bytes{namespace="shop", pod="web"} 120Mi → 398Mi at 01:03:00'


@pytest.mark.parametrize("values", [[5.0, 5.0, 5.0, 5.0], [100.0, 103.0, 99.0, 101.0], [1.0], []])
def test_a_series_that_does_not_change_tells_nothing(values: list[float], tmp_path: pathlib.Path) -> None:
    metric = {"__name__": "up", "namespace": "shop", "pod": "web"}
    found = answered(tmp_path, pod("web", memory_killed=True), range=ranged(values, **metric))
    assert evidence(found, EvidenceKind.METRIC) == []


def test_a_counter_is_read_by_its_increases_and_of_others_the_time_is_maybe(tmp_path: pathlib.Path) -> None:
    metric = {"__name__": "http_requests_total", "code": "500", "job": "gateway"}
    counted = ranged([0.0, 1.0, 2.0, 90.0, 180.0], **metric)
    [said] = evidence(answered(tmp_path, pod("web", memory_killed=True), range=counted), EvidenceKind.METRIC)
    assert said.startswith('maybe, at the same time only: http_requests_total{job="gateway", code="500"} 1 → 88 a step')


def test_alerts_as_prometheus_prints_them_are_read_too(tmp_path: pathlib.Path) -> None:
    one = {"labels": {"alertname": "Down", "namespace": "shop", "pod": "web"}, "annotations": {}, "state": "firing"}
    answer = {"status": "success", "data": {"alerts": [{**one, "activeAt": "2026-01-01T01:01:00Z", "value": "1e+00"}]}}
    found = answered(tmp_path, pod("web", memory_killed=True), alerts=answer)
    assert evidence(found, EvidenceKind.ALERT) == ["alert Down"]
