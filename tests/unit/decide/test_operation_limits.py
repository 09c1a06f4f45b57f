"""What ends or holds up an operation as a whole: timeouts, windows, errors of single objects, Argo CD's trial run."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.decide import decide
from syncline.model import names
from syncline.model.decision import Decision, StepKind
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from syncline.model.settings.resources import ResourceOverride
from syncline.model.settings.settings import Compat, Settings
from syncline.model.snapshot import ScriptedHealth
from tests.support.objects import (
    SHA,
    application_object,
    as_applied,
    assessed,
    config_map,
    deployment,
    desired,
    key,
    obj,
    prepared,
    with_wave,
)

STARTED = "2026-03-01T08:00:00Z"
ARGOCD = Settings(compat=Compat.ARGOCD)
WEB = key("Deployment", "web", group="apps")
SYNCED = TaskResult(key=WEB, version="v1", phase=Phase.SYNC, code=ResultCode.SYNCED)


def running(**rest: Any) -> Object:
    return {
        "operation": {"sync": {}, "initiatedBy": {"automated": True}},
        "phase": "Running",
        "startedAt": STARTED,
        "message": "at work",
        "syncResult": {"revision": SHA, "source": {"repoURL": "https://git.example.com/shop.git", "path": "deploy"}},
        **rest,
    }


def decided(
    *results: TaskResult, wanted: tuple[Object, ...] = (config_map(),), state: Object | None = None, **rest: Any
) -> Decision:
    app = application_object(**rest.pop("spec", {}), status={"operationState": state or running()})
    return decide(assessed(app, wanted=desired(*wanted), **rest), results)


def starting() -> Object:
    live = as_applied(prepared(deployment()).objects[0].obj)
    return live | {"status": deployment(ready=0)["status"]}


WAITING: dict[str, Any] = {"wanted": (deployment(), with_wave(config_map("next"), 1)), "live": (starting(),)}


@pytest.mark.parametrize(
    ("timeout", "as_of", "kind", "wake"),
    [
        (0.0, "2026-03-01T20:00:00Z", StepKind.WAIT, None),
        (60.0, "2026-03-01T08:00:50Z", StepKind.WAIT, 10.0),
        (60.0, "2026-03-01T08:01:00Z", StepKind.FINISH, None),
    ],
)
def test_the_sync_timeout_ends_an_operation_and_is_looked_at_in_time(
    timeout: float, as_of: str, kind: StepKind, wake: float | None
) -> None:
    found = decided(SYNCED, **WAITING, settings=Settings(sync_timeout=timeout), as_of=as_of)
    assert found.step is not None
    assert (found.step.kind, found.look_again.seconds) == (kind, wake)


@pytest.mark.parametrize(
    ("compat", "message"),
    [
        (Compat.SYNCLINE, "Operation terminated: it took longer than the sync timeout of 60 s (at work)"),
        (Compat.ARGOCD, "Operation terminated"),
    ],
)
def test_an_operation_that_timed_out_is_failed_and_says_so(compat: Compat, message: str) -> None:
    found = decided(
        SYNCED, **WAITING, settings=Settings(sync_timeout=60.0, compat=compat), as_of="2026-03-01T08:02:00Z"
    )
    assert found.step is not None
    assert (found.step.phase, found.step.reason, found.step.message) == (
        OperationPhase.FAILED,
        Reason.TIMED_OUT,
        message,
    )


def test_a_wait_is_looked_at_again_when_its_label_falls_due() -> None:
    found = decided(SYNCED, **WAITING, as_of="2026-03-01T08:04:00Z")
    assert found.look_again.seconds == 60.0


LOST: dict[str, Any] = {
    "wanted": (config_map("lost", namespace=""), config_map("kept")),
    "spec": {"destination": {"server": names.IN_CLUSTER_SERVER}},
}


def test_an_error_about_one_object_lets_the_others_be_synced() -> None:
    found = decided(**LOST).step
    assert found is not None
    assert (found.kind, [task.key.name for task in found.apply]) == (StepKind.ACT, ["kept"])
    kept = TaskResult(key=key("ConfigMap", "kept"), version="v1", phase=Phase.SYNC, code=ResultCode.SYNCED)
    ended = decided(kept, **LOST, live=(as_applied(config_map("kept")),)).step
    assert ended is not None
    assert (ended.kind, ended.phase) == (StepKind.FINISH, OperationPhase.FAILED)
    assert "Namespace for lost /v1, Kind=ConfigMap is missing." in ended.message


def test_with_argo_cd_an_error_about_one_object_ends_the_operation() -> None:
    found = decided(**LOST, settings=ARGOCD).step
    assert found is not None
    assert (found.kind, found.phase) == (StepKind.FINISH, OperationPhase.ERROR)
    assert found.message.startswith("InvalidSpecError: Namespace for lost")


MISSPELT = deployment() | {"spec": {**deployment()["spec"], "replica": 3}}
NAMELESS = obj("ConfigMap", "") | {"metadata": {"generateName": "made-", "namespace": "shop"}}


def test_with_argo_cd_a_trial_run_of_all_objects_comes_first_and_one_failure_stops_everything() -> None:
    found = decided(wanted=(config_map(), with_wave(NAMELESS, 5)), settings=ARGOCD).step
    assert found is not None
    assert (found.kind, found.phase, found.message) == (
        StepKind.FINISH,
        OperationPhase.FAILED,
        "one or more objects failed to apply (dry run)",
    )
    assert [(item.key.name, item.code) for item in found.settled] == [("made-0", ResultCode.SYNC_FAILED)]
    assert "generateName" in found.settled[0].message


def test_the_trial_run_leaves_fields_to_the_server() -> None:
    """Argo CD asks kubectl for strict validation, and kubectl leaves it to the server, which a trial does not reach."""
    found = decided(wanted=(MISSPELT,), settings=ARGOCD).step
    assert found is not None
    assert found.kind is StepKind.ACT


def test_there_is_no_trial_run_otherwise() -> None:
    ours = decided(wanted=(config_map(), with_wave(NAMELESS, 5))).step
    assert ours is not None
    assert [task.key.name for task in ours.apply] == ["settings"]


CHILD = with_wave(obj("Application", "child", api=names.API_VERSION, namespace="argocd"), 0)
CHILD_SYNCED = TaskResult(
    key=key("Application", "child", group=names.GROUP, namespace="argocd"),
    version="v1alpha1",
    phase=Phase.SYNC,
    code=ResultCode.SYNCED,
)


@pytest.mark.parametrize(("settings", "kind"), [(Settings(), StepKind.WAIT), (ARGOCD, StepKind.ACT)])
def test_a_wave_of_child_apps_is_waited_for_but_not_with_argo_cd(settings: Settings, kind: StepKind) -> None:
    wanted = (CHILD, with_wave(config_map("next"), 1))
    live = as_applied(prepared(CHILD).objects[0].obj) | {"status": {"health": {"status": "Progressing"}}}
    found = decided(CHILD_SYNCED, wanted=wanted, live=(live,), settings=settings).step
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize(
    ("status", "kind"), [(HealthCode.PROGRESSING, StepKind.WAIT), (HealthCode.HEALTHY, StepKind.ACT)]
)
def test_with_argo_cd_a_wave_of_child_apps_is_waited_for_where_a_script_gives_them_health(
    status: HealthCode, kind: StepKind
) -> None:
    settings = Settings(
        compat=Compat.ARGOCD, overrides=(ResourceOverride(pattern="argoproj.io/Application", health_lua="return obj"),)
    )
    live = as_applied(prepared(CHILD).objects[0].obj)
    live["metadata"] |= {"uid": "u1", "resourceVersion": "7"}
    said = ScriptedHealth(CHILD_SYNCED.key, "u1/7", Health(status))
    wanted = (CHILD, with_wave(config_map("next"), 1))
    found = decided(CHILD_SYNCED, wanted=wanted, live=(live,), settings=settings, scripted=(said,)).step
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize(
    ("suffix", "policy"), [("", "Foreground"), ("/foreground", "Foreground"), ("/background", "Background")]
)
def test_the_resources_finalizer_says_how_children_go(suffix: str, policy: str) -> None:
    metadata = {"deletionTimestamp": STARTED, "finalizers": [names.RESOURCES_FINALIZER + suffix]}
    live = as_applied(prepared(config_map()).objects[0].obj)
    found = decide(assessed(application_object(metadata=metadata), live=(live,)), ()).step
    assert found is not None
    assert [task.propagation for task in found.prune] == [policy]
