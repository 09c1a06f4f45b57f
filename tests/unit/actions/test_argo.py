"""Built-in actions of Rollouts, Workflows and Applications."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.actions import builtin
from syncline.model.actions import ActionOperation, ActionStep
from tests.support.objects import application_object, obj
from tests.unit.actions.test_workloads import NOW, offers, patched

API = "argoproj.io/v1alpha1"
STEPS = [{"setWeight": 20}, {"pause": {}}, {"setWeight": 60}]


BLUE_GREEN: dict[str, Any] = {"strategy": {"blueGreen": {}}}
LAST: dict[str, Any] = {"currentStepIndex": len(STEPS)}


def rollout(spec: dict[str, Any] | None = None, **status: Any) -> Object:
    wanted = {"strategy": {"canary": {"steps": STEPS}}, **(spec or {})}
    made = obj("Rollout", "web", api=API, spec=wanted, status=status)
    return {**made, "metadata": {**made["metadata"], "generation": 1}}


UPDATING: dict[str, Any] = {"currentPodHash": "b", "stableRS": "a"}


@pytest.mark.parametrize(
    ("value", "usable"),
    [
        (rollout(), {"restart"}),
        (rollout(currentPodHash="a", stableRS="a", currentStepIndex=3), {"restart"}),
        (rollout(**UPDATING, currentStepIndex=0), {"abort", "pause", "promote-full", "restart", "skip-current-step"}),
        (rollout(**UPDATING, abort=True), {"promote-full", "restart", "retry"}),
        (
            rollout(**UPDATING, pauseConditions=[{"reason": "CanaryPauseStep"}]),
            {"abort", "pause", "promote-full", "restart", "resume"},
        ),
        (rollout({"paused": True}), {"restart", "resume"}),
        (rollout({"paused": True}, **UPDATING), {"abort", "promote-full", "restart", "resume"}),
        (rollout(BLUE_GREEN, **UPDATING), {"abort", "pause", "restart"}),
        (rollout(BLUE_GREEN, **UPDATING, observedGeneration="1"), {"abort", "pause", "promote-full", "restart"}),
        (rollout(BLUE_GREEN, **UPDATING, observedGeneration="7"), {"abort", "pause", "restart"}),
    ],
)
def test_a_rollout_can_use_what_its_progress_allows(value: Object, usable: set[str]) -> None:
    found = offers(value)
    assert set(found) == {"abort", "pause", "promote-full", "restart", "resume", "retry", "skip-current-step"}
    assert {name for name, can in found.items() if can} == usable


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("restart", rollout(), rollout({"restartAt": NOW})),
        ("pause", rollout(), rollout({"paused": True})),
        ("abort", rollout(phase="Progressing"), rollout(phase="Progressing", abort=True)),
        ("promote-full", rollout(observedGeneration="1"), rollout(observedGeneration="1", promoteFull=True)),
        ("promote-full", rollout(observedGeneration="5f9c", abort=True), rollout(observedGeneration="5f9c", **LAST)),
        ("resume", rollout({"paused": True}, pauseConditions=[{}]), rollout({"paused": False})),
        ("resume", rollout(pauseConditions=[{}]), rollout()),
        (
            "retry",
            rollout(abort=True, canary={"weights": 1, "currentStepAnalysisRunStatus": {"status": "Failed"}}),
            rollout(canary={"weights": 1}),
        ),
        (
            "retry",
            rollout(abort=True, blueGreen={"prePromotionAnalysisRunStatus": {}, "postPromotionAnalysisRunStatus": {}}),
            rollout(blueGreen={}),
        ),
        ("skip-current-step", rollout(currentStepIndex=1, pauseConditions=[{}]), rollout(currentStepIndex=2)),
        ("skip-current-step", rollout(currentStepIndex=3), rollout(currentStepIndex=3)),
    ],
)
def test_a_rollout_is_steered_by_its_spec_and_status(name: str, before: Object, after: Object) -> None:
    assert patched(name, before) == after


def test_an_analysis_run_can_be_ended_until_it_has_ended() -> None:
    running = obj("AnalysisRun", "a", api=API, spec={}, status={"phase": "Running"})
    assert offers(running) == {"terminate": True}
    assert patched("terminate", running) == {**running, "spec": {"terminate": True}}
    for phase in ("Successful", "Failed", "Error", "Inconclusive"):
        assert offers({**running, "status": {"phase": phase}}) == {"terminate": False}
    assert offers({**running, "spec": {"terminate": True}}) == {"terminate": False}


def owner(kind: str) -> dict[str, str]:
    return {"apiVersion": API, "kind": kind, "name": "nightly", "uid": "u1"}


def test_create_workflow_from_a_schedule_takes_its_metadata_and_spec() -> None:
    about = {"labels": {"team": "data"}, "annotations": {"a": "b"}, "finalizers": ["x/y"]}
    value = obj(
        "CronWorkflow",
        "nightly",
        api=API,
        labels={"workflows.argoproj.io/controller-instanceid": "i1"},
        spec={"workflowMetadata": about, "workflowSpec": {"entrypoint": "main"}},
    )
    value["metadata"]["uid"] = "u1"
    made = {
        "apiVersion": API,
        "kind": "Workflow",
        "metadata": {
            "name": "nightly-202603010830",
            "namespace": "shop",
            "labels": {
                "team": "data",
                "workflows.argoproj.io/cron-workflow": "nightly",
                "workflows.argoproj.io/controller-instanceid": "i1",
            },
            "annotations": {"a": "b", "workflows.argoproj.io/scheduled-time": NOW},
            "finalizers": ["x/y"],
            "ownerReferences": [owner("CronWorkflow")],
        },
        "spec": {"entrypoint": "main"},
    }
    assert builtin.run("create-workflow", value, now=NOW) == (ActionStep(ActionOperation.CREATE, made),)


def test_create_workflow_from_a_template_refers_to_it() -> None:
    value = obj("WorkflowTemplate", "nightly", api=API)
    value["metadata"]["uid"] = "u1"
    made = {
        "apiVersion": API,
        "kind": "Workflow",
        "metadata": {
            "name": "nightly-202603010830",
            "namespace": "shop",
            "labels": {"workflows.argoproj.io/workflow-template": "nightly"},
            "ownerReferences": [owner("WorkflowTemplate")],
        },
        "spec": {"workflowTemplateRef": {"name": "nightly"}},
    }
    assert builtin.run("create-workflow", value, now=NOW) == (ActionStep(ActionOperation.CREATE, made),)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({}, {"automated": {"enabled": True}}),
        ({"automated": {}}, {"automated": {"enabled": False}}),
        ({"automated": {"prune": True}}, {"automated": {"prune": True, "enabled": False}}),
        ({"automated": {"enabled": True}}, {"automated": {"enabled": False}}),
        ({"automated": {"enabled": False}}, {"automated": {"enabled": True}}),
    ],
)
def test_toggle_auto_sync_turns_automation_off_and_on_and_keeps_its_other_settings(
    policy: dict[str, Any], expected: dict[str, Any]
) -> None:
    value = application_object("shop", syncPolicy=policy)
    assert patched("toggle-auto-sync", value)["spec"]["syncPolicy"] == expected


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ({}, "Enable Auto-Sync"),
        ({"automated": {}}, "Disable Auto-Sync"),
        ({"automated": {"enabled": False}}, "Enable Auto-Sync"),
    ],
)
def test_toggle_auto_sync_is_called_by_what_it_would_do(policy: dict[str, Any], says: str) -> None:
    (action,) = builtin.offered(application_object("shop", syncPolicy=policy))
    assert action.display_name == says


def test_a_pull_request_is_merged_by_its_state_while_it_is_open() -> None:
    value = obj("PullRequest", "p", api="promoter.argoproj.io/v1alpha1", spec={"state": "open"})
    merged = patched("merge", value)
    assert merged["spec"] == {"state": "merged"}
    assert (offers(value), offers(merged)) == ({"merge": True}, {"merge": False})
