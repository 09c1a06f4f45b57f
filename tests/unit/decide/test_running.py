"""What happens to an operation that is under way, and to an app that is being deleted."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.decide import decide, operation_id, plan_of, step_of
from syncline.model import application, names
from syncline.model.condition import ConditionType
from syncline.model.decision import Decision, DecisionKind, StepKind
from syncline.model.operation import OperationPhase, OperationState
from syncline.model.plan import Phase
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from syncline.model.settings.settings import Compat, Settings
from syncline.model.snapshot import Trouble
from tests.support.objects import (
    SHA,
    application_object,
    as_applied,
    assessed,
    config_map,
    deployment,
    desired,
    hook,
    key,
    prepared,
    tracked,
    with_wave,
)

SOURCE = {"repoURL": "https://git.example.com/shop.git", "path": "deploy"}
STARTED = "2026-03-01T08:00:00Z"
NEWER = "c" * 40
PROCEED, REST, TEAR_DOWN = DecisionKind.PROCEED, DecisionKind.REST, DecisionKind.TEAR_DOWN
WEB = key("Deployment", "web", group="apps")
WANTED = (deployment(), with_wave(config_map("next"), 1))


def running(operation: Object | None = None, **rest: Any) -> Object:
    return {
        "operation": {"sync": {}, "initiatedBy": {"automated": True}, **(operation or {})},
        "phase": "Running",
        "startedAt": STARTED,
        "message": "waiting for the first step",
        "syncResult": {"revision": SHA, "source": SOURCE},
        **rest,
    }


def decided(
    state: Object,
    *results: TaskResult,
    wanted: tuple[Object, ...] = WANTED,
    live: tuple[Object, ...] = (),
    spec: dict[str, Any] | None = None,
    **rest: Any,
) -> Decision:
    app = application_object(**(spec or {}), status={"operationState": state})
    return decide(assessed(app, wanted=desired(*wanted), live=live, **rest), results)


SYNCED = TaskResult(key=WEB, version="v1", phase=Phase.SYNC, code=ResultCode.SYNCED)


def starting(value: Object) -> Object:
    """Return the object as applied, not ready yet."""
    live = as_applied(prepared(value).objects[0].obj)
    return live | {"status": deployment(ready=0)["status"]}


WAITING: dict[str, Any] = {"live": (starting(deployment()),)}


def test_a_running_operation_takes_its_next_step() -> None:
    found = decided(running())
    assert (found.kind, found.reason) == (PROCEED, Reason.OPERATION_RUNNING)
    assert found.step is not None
    assert [task.key for task in found.step.apply] == [WEB]


def test_a_waiting_automated_operation_is_superseded_by_a_newer_revision() -> None:
    found = decided(running(), SYNCED, **WAITING, newest_revisions=(NEWER,)).step
    assert found is not None
    assert (found.kind, found.phase, found.reason) == (StepKind.FINISH, OperationPhase.FAILED, Reason.NEW_REVISION)
    assert found.message.startswith(f"superseded by {NEWER}: waiting for healthy state of apps/Deployment/web")


@pytest.mark.parametrize(
    ("state", "rest"),
    [
        (running(), {"newest_revisions": (SHA,)}),
        (running(), {"newest_revisions": ()}),
        (running({"initiatedBy": {"username": "me"}}), {"newest_revisions": (NEWER,)}),
        (running(), {"newest_revisions": (NEWER,), "settings": Settings(compat=Compat.ARGOCD)}),
    ],
    ids=["nothing newer", "unknown", "asked for by somebody", "as Argo CD"],
)
def test_other_operations_go_on_waiting(state: Object, rest: dict[str, Any]) -> None:
    found = decided(state, SYNCED, **WAITING, **rest).step
    assert found is not None
    assert (found.kind, found.reason) == (StepKind.WAIT, Reason.WAITING_FOR_HEALTH)


def test_an_operation_with_something_to_do_is_not_superseded() -> None:
    found = decided(running(), newest_revisions=(NEWER,)).step
    assert found is not None
    assert found.kind is StepKind.ACT


def test_a_running_hook_is_never_cut_short() -> None:
    check = tracked(hook("check", "Sync"))
    result = TaskResult(
        key=key("Job", "check", group="batch"), version="v1", phase=Phase.SYNC, code=ResultCode.SYNCED, hook_type="Sync"
    )
    found = decided(
        running(), SYNCED, result, wanted=(*WANTED, hook("check", "Sync")), live=(starting(deployment()), check),
        newest_revisions=(NEWER,),
    ).step  # fmt: skip
    assert found is not None
    assert (found.kind, found.reason) == (StepKind.WAIT, Reason.WAITING_FOR_HOOK)


RETRYING = {"finishedAt": STARTED, "retryCount": 1, "message": "it failed"}


def test_a_failed_attempt_is_repeated_after_its_pause() -> None:
    state = running({"retry": {"limit": 5}}, **RETRYING)
    found = decided(state, as_of="2026-03-01T08:00:04Z")
    assert found.step is not None
    assert (found.step.kind, found.step.reason, found.look_again.seconds) == (
        StepKind.WAIT,
        Reason.WAITING_FOR_RETRY,
        6.0,
    )
    found = decided(state, as_of="2026-03-01T08:00:10Z")
    assert found.step is not None
    assert (found.step.kind, [task.key for task in found.step.apply]) == (StepKind.ACT, [WEB])


def test_a_failed_attempt_that_waits_is_superseded_by_a_newer_revision() -> None:
    state = running({"retry": {"limit": 5}}, **RETRYING)
    found = decided(state, as_of="2026-03-01T08:00:04Z", newest_revisions=(NEWER,)).step
    assert found is not None
    assert (found.kind, found.message) == (StepKind.FINISH, f"superseded by {NEWER}: it failed")


def test_an_operation_pauses_while_the_cluster_is_away() -> None:
    found = decided(running(), troubles=(Trouble(Reason.CLUSTER_UNREACHABLE, "no answer"),)).step
    assert found is not None
    assert (found.kind, found.reason, found.message) == (StepKind.WAIT, Reason.CLUSTER_UNREACHABLE, "no answer")


def test_an_operation_ends_as_error_with_every_error_named() -> None:
    troubles = (
        Trouble(Reason.SPEC_INVALID, "no project", ConditionType.INVALID_SPEC_ERROR),
        Trouble(Reason.SOURCE_FAILED, "no branch"),
    )
    found = decided(running(), troubles=troubles).step
    assert found is not None
    assert (found.kind, found.phase) == (StepKind.FINISH, OperationPhase.ERROR)
    assert found.message == "InvalidSpecError: no project; ComparisonError: no branch"


@pytest.mark.parametrize("option", [(), ("FailOnSharedResource=true",)])
def test_a_shared_object_fails_the_operation_only_where_that_is_asked_for(option: tuple[str, ...]) -> None:
    shared = tracked(config_map("next"), "other")
    found = decided(running({"sync": {"syncOptions": list(option)}}), live=(shared,)).step
    assert found is not None
    assert (found.phase is OperationPhase.FAILED) is bool(option)
    if option:
        assert found.message == "Shared resource found: ConfigMap/next is part of applications argocd/shop and other"


def test_a_terminating_operation_ends_even_when_nothing_can_be_compared() -> None:
    found = decided(running(phase="Terminating"), troubles=(Trouble(Reason.SOURCE_FAILED, "no branch"),)).step
    assert found is not None
    assert (found.kind, found.phase, found.message) == (StepKind.FINISH, OperationPhase.FAILED, "Operation terminated")


def test_a_dry_run_asks_the_server_about_every_object_and_as_argo_cd_ends_well_without_asking() -> None:
    found = decided(running({"sync": {"dryRun": True}})).step
    assert found is not None
    assert (found.kind, found.trial, [task.key.name for task in found.apply]) == (StepKind.ACT, True, ["web", "next"])
    found = decided(running({"sync": {"dryRun": True}}), settings=Settings(compat=Compat.ARGOCD)).step
    assert found is not None
    assert (found.kind, found.phase, found.apply) == (StepKind.FINISH, OperationPhase.SUCCEEDED, ())
    assert {item.key.name for item in found.settled} == {"web", "next"}


def test_what_an_operation_has_begun_stays_in_its_plan() -> None:
    """With ApplyOutOfSyncOnly the first wave is Synced as soon as it is applied, but still has to become healthy."""
    row = {"group": "apps", "version": "v1", "kind": "Deployment", "namespace": "shop", "name": "web",
           "status": "Synced", "syncPhase": "Sync", "hookPhase": "Running"}  # fmt: skip
    state = running(
        {"sync": {"syncOptions": ["ApplyOutOfSyncOnly=true"]}},
        syncResult={"revision": SHA, "source": SOURCE, "resources": [row]},
    )
    found = decided(state, SYNCED, **WAITING).step
    assert found is not None
    assert (found.kind, [wait.key for wait in found.waits]) == (StepKind.WAIT, [WEB])


def state_of(value: Object) -> OperationState:
    found = application.parse(application_object(status={"operationState": value})).status.operation_state
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("approved", "waits"),
    [
        (None, True),
        ("nonsense", True),
        ("2026-03-01T07:59:59Z", True),
        (STARTED, False),
        ("2026-03-01T09:00:00Z", False),
    ],
)
def test_an_approval_counts_from_the_start_of_the_operation_on(approved: str | None, waits: bool) -> None:
    extra = tracked(config_map("extra", annotations={names.SYNC_OPTIONS: "Prune=confirm"}))
    annotations = {names.DELETION_APPROVED: approved} if approved else {}
    app = application_object(metadata={"annotations": annotations})
    found = assessed(app, wanted=desired(), live=(extra,))
    plan = plan_of(found, state_of(running({"sync": {"prune": True}})))
    assert [task.reason is Reason.WAITING_FOR_CONFIRMATION for task in plan.tasks] == [waits]


def test_the_options_of_a_request_replace_those_of_the_app() -> None:
    app = application_object(syncPolicy={"syncOptions": ["CreateNamespace=true"]})
    found = assessed(app, wanted=desired(config_map()), live=())
    own = plan_of(found, state_of(running()))
    assert [task.key.kind for task in own.tasks] == ["Namespace", "ConfigMap"]
    given = plan_of(found, state_of(running({"sync": {"syncOptions": ["PruneLast=true"]}})))
    assert [task.key.kind for task in given.tasks] == ["ConfigMap"]


@pytest.mark.parametrize(("finished", "kept"), [(None, ["settings"]), ("2026-03-01T08:05:00Z", [])])
def test_what_an_attempt_has_applied_stays_in_its_plan_and_a_retry_plans_anew(
    finished: str | None, kept: list[str]
) -> None:
    row = {"group": "", "version": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "settings"}
    state = running({"sync": {"syncOptions": ["ApplyOutOfSyncOnly=true"]}}, finishedAt=finished)
    state["syncResult"] |= {"resources": [row]}
    live = as_applied(prepared(config_map()).objects[0].obj)
    found = assessed(application_object(), wanted=desired(config_map()), live=(live,))
    assert [task.key.name for task in plan_of(found, state_of(state)).tasks] == kept


def test_the_operation_id_is_what_was_written_down_else_the_start() -> None:
    assert operation_id(state_of(running({"info": [{"name": names.OPERATION_ID_INFO, "value": "x1"}]}))) == "x1"
    assert operation_id(state_of(running())) == "1772352000"
    assert step_of(assessed(wanted=desired()), state_of(running()), ()).kind is StepKind.FINISH


DELETING = {"deletionTimestamp": STARTED}
HELD = {**DELETING, "finalizers": [names.RESOURCES_FINALIZER]}


def removed(metadata: dict[str, Any], *live: Object, spec: dict[str, Any] | None = None, **rest: Any) -> Decision:
    return decide(assessed(application_object(metadata=metadata, **(spec or {})), live=live, **rest), ())


@pytest.mark.parametrize("suffix", ["", "/background", "/foreground"])
def test_a_deleted_app_with_the_resources_finalizer_is_taken_down(suffix: str) -> None:
    metadata = {**DELETING, "finalizers": [names.RESOURCES_FINALIZER + suffix]}
    found = removed(metadata, tracked(config_map()))
    assert (found.kind, found.reason) == (TEAR_DOWN, Reason.DELETING)
    assert found.step is not None
    assert [task.key.name for task in found.step.prune] == ["settings"]


def test_a_deleted_app_without_the_finalizer_leaves_its_objects() -> None:
    found = removed(DELETING, tracked(config_map()))
    assert (found.kind, found.reason) == (REST, Reason.DELETING)


def test_nothing_is_taken_down_while_the_cluster_is_away_or_not_everything_can_be_read() -> None:
    away = removed(HELD, troubles=(Trouble(Reason.CLUSTER_UNREACHABLE, "no answer"),))
    assert (away.kind, away.reason) == (REST, Reason.CLUSTER_UNREACHABLE)
    partly = removed(HELD, tracked(config_map()), complete=False, incomplete_groups=("metrics.k8s.io",))
    assert (partly.kind, partly.reason) == (REST, Reason.PRUNE_UNSAFE)
    assert partly.detail == "nothing is deleted while these cannot be read: metrics.k8s.io"


def test_objects_of_other_apps_and_children_are_not_taken_down() -> None:
    child = tracked(config_map("child", ownerReferences=[{"uid": "u"}]))
    found = removed(HELD, tracked(config_map(), "other"), child, config_map("free"))
    assert found.step is not None
    assert found.step.kind is StepKind.FINISH


@pytest.mark.parametrize(("approved", "kind"), [("2026-03-01T07:00:00Z", StepKind.WAIT), (STARTED, StepKind.ACT)])
def test_delete_confirm_waits_for_an_approval_since_the_deletion(approved: str, kind: StepKind) -> None:
    metadata = {**HELD, "annotations": {names.DELETION_APPROVED: approved}}
    found = removed(metadata, tracked(config_map()), spec={"syncPolicy": {"syncOptions": ["Delete=confirm"]}})
    assert found.step is not None
    assert found.step.kind is kind
