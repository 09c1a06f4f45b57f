"""Incidents with one thing changed: what was learned from each is said where it is so, and not beside it."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from syncline import wiring
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.core.diagnose.graph.workloads import images, log_lines
from syncline.core.diagnose.graph.workloads.images import Why
from syncline.core.diagnose.graph.workloads.log_lines import About
from syncline.model.diagnosis import Diagnosis
from tests.support.incidents import FOLDER

Change = Callable[[dict[str, Any]], None]


def changed(incident: str, kind: str, name: str, change: Change) -> Diagnosis:
    """Return the answer to an incident in which one object is another."""
    snapshot = wiring.read_from(FOLDER / incident).snapshot
    [cluster] = snapshot.clusters
    objects = msgspec.json.decode(msgspec.json.encode(cluster.objects))
    [obj] = [one for one in objects if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    change(obj)
    whole = msgspec.structs.replace(cluster, objects=tuple(objects))
    return diagnose(msgspec.structs.replace(snapshot, clusters=(whole,)))


def told(found: Diagnosis) -> str:
    return "\n".join(f"{one.thing}: {one.finding.message}" for one in found.causes)


def test_a_class_that_exists_is_not_called_missing() -> None:
    def change(obj: dict[str, Any]) -> None:
        obj["metadata"]["name"] = "nginx"

    assert "does not exist" not in told(changed("challenge-of-other-class", "IngressClass", "public", change))


def test_a_label_that_pods_get_while_they_run_is_not_a_mistake() -> None:
    def change(obj: dict[str, Any]) -> None:
        obj["spec"]["selector"] = {"app": "nginx-ingress", "role": "leader"}

    assert changed("service-selects-nothing", "Service", "nginx-ingress-controller", change).causes == ()


def test_a_taint_of_a_person_stays_a_matter_of_tolerations() -> None:
    def change(obj: dict[str, Any]) -> None:
        obj["spec"]["taints"] = [{"key": "team", "value": "a", "effect": "NoSchedule"}]
        for one in obj["status"]["conditions"]:
            if one["type"] == "DiskPressure":
                one["status"] = "False"

    assert "nodes team=a:NoSchedule" in told(changed("disk-pressure", "Node", "nodex", change))


def test_a_port_that_nobody_who_was_read_has_is_named_without_a_holder() -> None:
    def change(obj: dict[str, Any]) -> None:
        obj["spec"]["containers"][0]["ports"] = [{"containerPort": 9101, "hostPort": 9101}]

    shown = told(changed("host-port-taken", "Pod", "gg-prometheus-node-exporter-n8b6w", change))
    assert "port 9100" in shown
    assert "gg-prometheus" not in shown
    whole = told(diagnose(wiring.read_from(FOLDER / "host-port-taken").snapshot))
    assert "which DaemonSet/gg-prometheus-node-exporter has" in whole


def test_a_volume_that_says_no_place_leaves_the_scheduler_its_words() -> None:
    found = changed(
        "volume-in-other-zone", "PersistentVolume", "pvc-746adf38", lambda obj: obj["spec"].pop("nodeAffinity")
    )
    assert "volume node affinity conflict" in told(found)
    assert "us-east-2a" not in told(found)


def test_a_probe_that_runs_a_command_is_not_said_to_ask_over_http() -> None:
    assert (
        "GET /" not in told(diagnose(wiring.read_from(FOLDER / "liveness-probe-old-port").snapshot)).split("fails")[0]
    )


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("E0302 09:54:39 problem running manager: timed out waiting for cache", None),
        ('main.go:190] "problem" err="timed out waiting for the cache"', None),
        ("09:54:39 cannot reach db:5432: connection refused", "db"),
        ("09:54:39 dial tcp 10.0.0.7:5432: i/o timeout", "10.0.0.7"),
    ],
)
def test_the_time_of_a_line_is_not_a_host(line: str, host: str | None) -> None:
    found = log_lines.telling([line])
    assert (found.host if found is not None and found.about is About.UNREACHABLE else None) == host


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            "request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)",
            Why.UNREACHABLE,
        ),
        ("manifest unknown: manifest unknown", Why.ABSENT),
        ("pull access denied, repository does not exist or may require authorization", Why.DENIED),
    ],
)
def test_a_registry_that_is_away_is_told_from_one_that_says_no(message: str, why: Why) -> None:
    assert images.why(message) is why
