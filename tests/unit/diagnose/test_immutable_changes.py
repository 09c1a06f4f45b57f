"""Which way out of a refused change comes first: what runs is kept, and what does not is made again."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding
from tests.support.objects import deployment, obj
from tests.unit.diagnose.app_cases import live, refused

CHECKS = [check for check in registry.checks(App) if check.rule.code == "OWN-007"]


def told(value: Object, status: dict[str, Any], phase: str = "Failed", **spec: Any) -> Finding:
    """Return what is said of an object whose change was refused while the live one has this status."""
    there = live({**value, "spec": {**value["spec"], **spec}}, **status)
    app = refused("spec.selector: Invalid value: field is immutable", value, phase=phase, live=[there])
    (finding,) = engine.run(CHECKS, app)
    return finding


def claim() -> Object:
    return obj("PersistentVolumeClaim", "data", spec={"storageClassName": "standard"})


def job() -> Object:
    return obj("Job", "load", api="batch/v1", spec={"template": {"spec": {}}})


def ended(kind: str) -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": "True"}]}


IDLE: list[tuple[Object, dict[str, Any], dict[str, Any], str]] = [
    (claim(), {"phase": "Pending"}, {}, "it was never bound"),
    (job(), ended("Failed"), {}, "it has failed for good"),
    (deployment(), {"replicas": 1, "unavailableReplicas": 1}, {}, "none of its pods is ready"),
]
BUSY: list[tuple[Object, dict[str, Any], dict[str, Any], str]] = [
    (claim(), {"phase": "Bound"}, {}, "THE DATA"),
    (claim(), {"phase": "Pending"}, {"volumeName": "disk-1"}, "THE DATA"),
    (job(), {"active": 1}, {}, "its pods and their logs go"),
    (job(), ended("Complete"), {}, "its pods and their logs go"),
    (deployment(), {"replicas": 2, "readyReplicas": 1}, {}, "its pods stop"),
]


@pytest.mark.parametrize(("value", "status", "spec", "words"), IDLE)
def test_what_does_not_run_is_made_again(
    value: Object, status: dict[str, Any], spec: dict[str, Any], words: str
) -> None:
    found = told(value, status, **spec)
    assert found.fix is not None
    assert found.fix.command.startswith("kubectl delete")
    assert words in found.fix.text
    assert "keep what runs" not in [one.text for one in found.options]


@pytest.mark.parametrize(("value", "status", "spec", "words"), BUSY)
def test_what_runs_or_has_data_is_kept_first(
    value: Object, status: dict[str, Any], spec: dict[str, Any], words: str
) -> None:
    found = told(value, status, **spec)
    assert found.fix is not None
    assert found.fix.command == ""
    assert words in found.options[0].text


@pytest.mark.parametrize(("phase", "synced"), [("Failed", True), ("Running", False)])
def test_no_sync_is_asked_for_while_one_is_retried(phase: str, synced: bool) -> None:
    found = told(claim(), {"phase": "Pending"}, phase)
    assert found.fix is not None
    assert found.fix.command.endswith("&& syncline app sync shop") is synced
