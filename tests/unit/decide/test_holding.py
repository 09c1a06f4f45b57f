"""What holds an app back whatever it wants: sync windows of its project, and the freeze."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.decide import decide
from syncline.core.diagnose.explain import explain
from syncline.model import names
from syncline.model.decision import Decision, DecisionKind, StepKind
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from syncline.model.settings.parts import Safety
from syncline.model.settings.settings import Settings
from tests.support.objects import SHA, application_object, assessed, config_map, desired, hook, key, tracked

SOURCE = {"repoURL": "https://git.example.com/shop.git", "path": "deploy"}
AUTOMATED: dict[str, Any] = {"syncPolicy": {"automated": {}}}
NOON, NIGHT, NEWER = "2026-03-01T12:00:00Z", "2026-03-01T22:30:00Z", "f" * 40
BY_HAND: dict[str, Any] = {"sync": {}, "initiatedBy": {"username": "ann"}}
BY_ITSELF: dict[str, Any] = {"sync": {}, "initiatedBy": {"automated": True}}
CLOSED = "the deny window '0 22 * * *' for 2h is open until 2026-03-02T00:00:00Z"
REST, START, PROCEED, TEAR_DOWN = DecisionKind.REST, DecisionKind.START, DecisionKind.PROCEED, DecisionKind.TEAR_DOWN


def project(**window: Any) -> Object:
    rule = {"kind": "deny", "schedule": "0 22 * * *", "duration": "2h", "applications": ["*"], **window}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": "argocd"},
        "spec": {"syncWindows": [rule], "destinations": [{"server": "*", "namespace": "*"}]},
    }


def running(operation: Object, started: str = "2026-03-01T22:10:00Z") -> Object:
    return {
        "operation": operation,
        "phase": "Running",
        "startedAt": started,
        "syncResult": {"revision": SHA, "source": SOURCE},
    }


def decided(*results: TaskResult, state: Object | None = None, spec: Object | None = None, **rest: Any) -> Decision:
    annotations = rest.pop("annotations", {})
    given = dict(spec or {}) | ({"status": {"operationState": state}} if state else {})
    app = application_object(**given)
    app["metadata"] |= {"annotations": annotations, **rest.pop("metadata", {})}
    wanted = rest.pop("wanted", (config_map(),))
    return decide(assessed(app, wanted=desired(*wanted), **rest), results)


@pytest.mark.parametrize(
    ("as_of", "window", "kind", "reason", "detail", "wake"),
    [
        (NOON, {}, START, Reason.NEW_REVISION, "", None),
        (NIGHT, {}, REST, Reason.SYNC_WINDOW, f"{CLOSED}; out of sync: ConfigMap/settings", 5400.0),
        (NIGHT, {"applications": ["other"]}, START, Reason.NEW_REVISION, "", None),
        (NIGHT, {"clusters": ["in-cluster"], "applications": []}, REST, Reason.SYNC_WINDOW,
         f"{CLOSED}; out of sync: ConfigMap/settings", 5400.0),
        (NIGHT, {"manualSync": True}, REST, Reason.SYNC_WINDOW, f"{CLOSED}; out of sync: ConfigMap/settings", 5400.0),
    ],
)  # fmt: skip
def test_an_app_that_would_sync_by_itself_rests_in_a_window_that_forbids_it_and_wakes_at_its_end(
    as_of: str, window: dict[str, Any], kind: DecisionKind, reason: Reason, detail: str, wake: float | None
) -> None:
    found = decided(spec=AUTOMATED, project=project(**window), as_of=as_of)
    assert (found.kind, found.reason, found.detail, found.look_again.seconds) == (kind, reason, detail, wake)


@pytest.mark.parametrize(
    ("operation", "window", "started", "goes_on"),
    [
        (BY_ITSELF, {}, "2026-03-01T21:50:00Z", False),
        (BY_HAND, {}, "2026-03-01T22:10:00Z", False),
        (BY_HAND, {"manualSync": True}, "2026-03-01T22:10:00Z", True),
        (BY_ITSELF, {"manualSync": True}, "2026-03-01T22:10:00Z", False),
        (BY_ITSELF, {"syncOverrun": True}, "2026-03-01T21:50:00Z", True),
        (BY_ITSELF, {"syncOverrun": True}, "2026-03-01T22:10:00Z", False),
    ],
)
def test_a_running_operation_waits_while_a_window_forbids_it(
    operation: Object, window: dict[str, Any], started: str, goes_on: bool
) -> None:
    found = decided(state=running(operation, started), project=project(**window), as_of=NIGHT)
    assert found.kind is PROCEED
    assert found.step is not None
    if goes_on:
        assert found.step.kind is StepKind.ACT
        return
    assert (found.step.kind, found.step.reason, found.step.message, found.look_again.seconds) == (
        StepKind.WAIT,
        Reason.SYNC_WINDOW,
        f"Sync operation blocked by sync window: {CLOSED}",
        5400.0,
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"spec": AUTOMATED}, "not syncing: held by window"),
        ({"state": running(BY_HAND)}, "the sync is held by window"),
        ({"state": running(BY_ITSELF)}, "the sync is held by window"),
    ],
)
def test_why_says_which_window_of_which_project_holds_an_app_and_when_it_opens(given: Object, words: str) -> None:
    spec = dict(given.get("spec") or {}) | ({"status": {"operationState": given["state"]}} if "state" in given else {})
    seen = assessed(application_object(**spec), wanted=desired(config_map()), project=project(), as_of=NIGHT)
    found = [finding.message for finding in explain(seen, decide(seen, ())).findings]
    assert f"{words} deny '0 22 * * *' for 2h of project default, opens 2026-03-02T00:00:00Z" in found


def test_a_requested_sync_starts_in_a_window_that_forbids_it_and_then_waits() -> None:
    assert decided(spec={"operation": BY_HAND}, project=project(), as_of=NIGHT).kind is START


def test_a_newer_commit_supersedes_an_operation_that_did_nothing_before_the_window_stopped_it() -> None:
    night: dict[str, Any] = {"project": project(), "as_of": NIGHT, "newest_revisions": (NEWER,)}
    found = decided(state=running(BY_ITSELF), **night).step
    assert found is not None
    assert (found.kind, found.phase, found.reason) == (StepKind.FINISH, OperationPhase.FAILED, Reason.NEW_REVISION)
    begun = TaskResult(key=key("ConfigMap", "settings"), version="v1", phase=Phase.SYNC, code=ResultCode.SYNCED)
    found = decided(begun, state=running(BY_ITSELF), **night).step
    assert found is not None
    assert found.kind is StepKind.WAIT


def test_terminating_is_possible_in_any_window() -> None:
    found = decided(state=running(BY_ITSELF) | {"phase": "Terminating"}, project=project(), as_of=NIGHT).step
    assert found is not None
    assert (found.kind, found.reason) == (StepKind.FINISH, Reason.TERMINATED)


FREEZES: list[dict[str, Any]] = [
    {"settings": Settings(safety=Safety(freeze="year end"))},
    {"annotations": {names.FREEZE: "year end"}},
]
WORDS = ["all writes are frozen: year end", "the writes of this app are frozen: year end"]
DELETED = {
    "metadata": {"deletionTimestamp": "2026-03-01T08:00:00Z", "finalizers": [names.RESOURCES_FINALIZER]},
    "live": (tracked(config_map()),),
}


@pytest.mark.parametrize(("freeze", "words"), list(zip(FREEZES, WORDS, strict=True)))
@pytest.mark.parametrize(
    ("thawed", "given"),
    [
        (START, {"spec": AUTOMATED}),
        (START, {"spec": {"operation": BY_HAND}}),
        (TEAR_DOWN, DELETED),
    ],
)
def test_while_writes_are_frozen_nothing_starts_and_nothing_is_deleted(
    freeze: dict[str, Any], words: str, thawed: DecisionKind, given: dict[str, Any]
) -> None:
    assert decided(**given).kind is thawed
    found = decided(**given, **freeze)
    assert (found.kind, found.reason, found.detail) == (REST, Reason.FROZEN, words)


@pytest.mark.parametrize(("freeze", "words"), list(zip(FREEZES, WORDS, strict=True)))
@pytest.mark.parametrize("phase", ["Running", "Terminating"])
def test_while_writes_are_frozen_a_running_operation_waits_and_says_why(
    freeze: dict[str, Any], words: str, phase: str
) -> None:
    state = running(BY_HAND) | {"phase": phase}
    live = tracked(hook())
    live["metadata"]["annotations"][names.OPERATION_STAMP] = "1772403000.0.PreSync"
    live["metadata"]["finalizers"] = [names.HOOK_FINALIZER]
    found = decided(state=state, wanted=(hook(),), live=(live,) if phase == "Terminating" else (), **freeze)
    assert (found.kind, found.reason) == (PROCEED, Reason.FROZEN)
    assert found.step is not None
    assert (found.step.kind, found.step.message, found.step.apply, found.step.delete_hooks) == (
        StepKind.WAIT,
        words,
        (),
        (),
    )


def test_the_freeze_changes_nothing_where_there_is_nothing_to_write() -> None:
    found = decided(**FREEZES[0])
    assert (found.kind, found.reason) == (REST, Reason.NOT_AUTOMATED)
    assert decided(spec=AUTOMATED, annotations={names.FREEZE: ""}).detail.endswith("frozen: no reason given")
