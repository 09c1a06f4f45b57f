"""Built-in actions of Numaflow and Numaplane."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from tests.support.objects import obj
from tests.unit.actions.test_workloads import offers, patched

FLOW, ROLLOUT = "numaflow.numaproj.io/v1alpha1", "numaplane.numaproj.io/v1alpha1"
ALLOWED = "numaflow.numaproj.io/allowed-resume-strategies"
RESUME = "numaflow.numaproj.io/resume-strategy"


def pipeline(phase: str = "", *, ways: str = "", owner: str = "", **labels: str) -> Object:
    spec: dict[str, Any] = {"lifecycle": {"desiredPhase": phase}} if phase else {}
    if ways:
        spec["metadata"] = {"annotations": {ALLOWED: ways}}
    made = obj("Pipeline", "flow", api=FLOW, spec=spec)
    made["metadata"]["labels"] = {
        f"numaplane.numaproj.io/{name.replace('_', '-')}": is_ for name, is_ in labels.items()
    }
    made["metadata"]["ownerReferences"] = [{"kind": owner}] if owner else []
    return made


@pytest.mark.parametrize(
    ("value", "usable"),
    [
        (pipeline(), {"pause"}),
        (pipeline("Running"), {"pause"}),
        (pipeline("Paused"), {"unpause-gradual"}),
        (pipeline("Paused", ways="slow"), {"unpause-gradual"}),
        (pipeline("Paused", ways="fast"), {"unpause-fast"}),
        (pipeline("Paused", ways="slow, fast"), {"unpause-fast", "unpause-gradual"}),
        (pipeline(owner="Other"), {"pause"}),
        (pipeline(owner="PipelineRollout"), set()),
        (pipeline("Paused", owner="PipelineRollout"), set()),
        (pipeline(owner="PipelineRollout", upgrade_state="recyclable-expired"), {"delete", "pause"}),
        (pipeline(upgrade_state="recyclable"), {"delete", "pause"}),
        (pipeline(upgrade_state="in-progress"), {"force-promote", "pause"}),
        (pipeline(upgrade_state="trial"), {"force-promote", "pause"}),
        (pipeline(upgrade_state="trial", force_promote="true"), {"pause"}),
    ],
)
def test_a_pipeline_can_use_what_its_owner_and_its_upgrade_allow(value: Object, usable: set[str]) -> None:
    found = offers(value)
    assert set(found) == {"delete", "force-promote", "pause", "unpause-fast", "unpause-gradual"}
    assert {name for name, can in found.items() if can} == usable


def test_a_pipeline_goes_on_by_its_wanted_phase_and_an_annotation_says_how() -> None:
    running = {"lifecycle": {"desiredPhase": "Running"}}
    assert patched("pause", pipeline())["spec"] == {"lifecycle": {"desiredPhase": "Paused"}}
    for name, how in (("unpause-fast", "fast"), ("unpause-gradual", "slow")):
        after = patched(name, pipeline("Paused"))
        assert (after["spec"], after["metadata"]["annotations"]) == (running, {RESUME: how})


def test_a_pipeline_is_promoted_and_given_up_by_labels_and_annotations() -> None:
    assert patched("force-promote", pipeline())["metadata"]["labels"] == {"numaplane.numaproj.io/force-promote": "true"}
    given_up = patched("delete", pipeline())["metadata"]["annotations"]
    assert given_up == {"numaplane.numaproj.io/marked-for-deletion": "true"}


def test_a_mono_vertex_that_goes_on_gradually_forgets_its_replicas() -> None:
    paused = obj("MonoVertex", "flow", api=FLOW, spec={"replicas": 3, "lifecycle": {"desiredPhase": "Paused"}})
    assert patched("unpause-fast", paused)["spec"] == {"replicas": 3, "lifecycle": {"desiredPhase": "Running"}}
    assert patched("unpause-gradual", paused)["spec"] == {"lifecycle": {"desiredPhase": "Running"}}


def test_a_buffer_service_is_promoted_while_it_is_being_upgraded() -> None:
    value = obj("InterStepBufferService", "isb", api=FLOW)
    value["metadata"]["labels"] = {"numaplane.numaproj.io/upgrade-state": "trial"}
    assert offers(value) == {"force-promote": True}
    assert offers(patched("force-promote", value)) == {"force-promote": False}


@pytest.mark.parametrize(("kind", "inner"), [("MonoVertexRollout", "monoVertex"), ("PipelineRollout", "pipeline")])
def test_a_rollout_keeps_the_way_of_going_on_in_its_strategy(kind: str, inner: str) -> None:
    def value(phase: str) -> Object:
        return obj(kind, "flow", api=ROLLOUT, spec={inner: {"spec": {"lifecycle": {"desiredPhase": phase}}}})

    assert patched("pause", value("Running")) == value("Paused")
    for name, fast in (("unpause-fast", True), ("unpause-gradual", False)):
        after = patched(name, value("Paused"))
        assert after["spec"].pop("strategy") == {"pauseResume": {"fastResume": fast}}
        assert after == value("Running")
