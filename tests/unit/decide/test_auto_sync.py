"""Whether an app syncs by itself, and every reason why not."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object, key_of
from syncline.core.autosync import self_heal_pause
from syncline.core.decide import decide
from syncline.model import names
from syncline.model.decision import Decision, DecisionKind
from syncline.model.health import Health, HealthCode
from syncline.model.operation import (
    Backoff,
    Operation,
    OperationInitiator,
    OperationPhase,
    OperationState,
    RetryStrategy,
    SyncOperation,
    SyncOperationResource,
)
from syncline.model.reason import Reason
from syncline.model.settings.resources import ResourceOverride
from syncline.model.settings.settings import Compat, Settings
from syncline.model.snapshot import ScriptedHealth, Trouble
from tests.support.objects import (
    NOW,
    SHA,
    application_object,
    as_applied,
    assessed,
    config_map,
    desired,
    prepared,
    snapshot,
    tracked,
)

REST, START = DecisionKind.REST, DecisionKind.START
SOURCE = {"repoURL": "https://git.example.com/shop.git", "path": "deploy"}
OLD = "b" * 40
START_TIME = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def applied(value: Object) -> Object:
    return as_applied(prepared(value).objects[0].obj)


def policy(automated: dict[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
    return {"syncPolicy": {**({"automated": automated} if automated is not None else {}), **rest}}


def last(phase: str = "Succeeded", revision: str = SHA, *, sync: dict[str, Any] | None = None, **rest: Any) -> Object:
    result = {"revision": revision, "source": SOURCE}
    return {
        "operation": {"sync": sync or {}},
        "phase": phase,
        "startedAt": "2026-03-01T08:00:00Z",
        "finishedAt": "2026-03-01T08:00:00Z",
        "message": "it said",
        "syncResult": result,
        **rest,
    }


def decided(
    spec: dict[str, Any],
    *,
    wanted: tuple[Object, ...] = (config_map(data={"a": "2"}),),
    live: tuple[Object, ...] = (applied(config_map(data={"a": "1"})),),
    state: Object | None = None,
    **rest: Any,
) -> Decision:
    status: dict[str, Any] = {"status": {"operationState": state}} if state else {}
    app = application_object(**spec, **status)
    return decide(assessed(app, wanted=desired(*wanted), live=live, **rest), ())


AUTO, EXTRA = policy({}), tracked(config_map("extra"))
FORBIDDING: Object = {
    "metadata": {"name": "default"},
    "spec": {
        "destinations": [{"server": "*", "namespace": "*"}],
        "sourceRepos": ["*"],
        "namespaceResourceBlacklist": [{"group": "", "kind": "ConfigMap"}],
    },
}


@pytest.mark.parametrize("compat", list(Compat))
def test_objects_that_the_project_forbids_are_tried_and_refused_rather_than_passed_over(compat: Compat) -> None:
    found = decided(AUTO, live=(), project=FORBIDDING, settings=Settings(compat=compat))
    assert (found.kind, found.reason) == (START, Reason.NEW_REVISION)


@pytest.mark.parametrize(
    ("found", "kind", "reason"),
    [
        (decided(policy()), REST, Reason.NOT_AUTOMATED),
        (decided(policy({"enabled": False})), REST, Reason.NOT_AUTOMATED),
        (decided(policy({"enabled": True})), START, Reason.NEW_REVISION),
        (decided(AUTO), START, Reason.NEW_REVISION),
        (decided(AUTO, live=(applied(config_map(data={"a": "2"})),)), REST, Reason.ALREADY_SYNCED),
        (decided(AUTO, wanted=(), live=(EXTRA,)), REST, Reason.ONLY_PRUNING_NEEDED),
        (decided(AUTO, wanted=(config_map(),), live=(EXTRA, applied(config_map()))), REST, Reason.ONLY_PRUNING_NEEDED),
        (decided(policy({"prune": True}), wanted=(), live=(EXTRA,)), REST, Reason.WOULD_WIPE_OUT),
        (decided(policy({"prune": True, "allowEmpty": True}), wanted=(), live=(EXTRA,)), START, Reason.NEW_REVISION),
        (decided(policy({"prune": True}), wanted=(config_map(),), live=(EXTRA,)), START, Reason.NEW_REVISION),
        (decided(AUTO, state=last()), REST, Reason.ALREADY_ATTEMPTED),
        (decided(AUTO, state=last(revision=OLD)), START, Reason.NEW_REVISION),
        (decided(AUTO, state=last("Failed", revision=OLD)), START, Reason.NEW_REVISION),
        (decided(AUTO, state=last("Failed")), REST, Reason.FAILED_BEFORE),
        (decided(AUTO, state=last("Error")), REST, Reason.FAILED_BEFORE),
        (decided(AUTO, state=last("Error", syncResult=None)), REST, Reason.FAILED_BEFORE),
        (decided(policy({"selfHeal": True}), state=last("Failed")), REST, Reason.FAILED_BEFORE),
        (decided(policy({"selfHeal": True}), state=last()), START, Reason.SELF_HEAL),
        (
            decided(AUTO, state=last(syncResult={"revision": SHA, "source": {**SOURCE, "path": "other"}})),
            START,
            Reason.NEW_REVISION,
        ),
        (
            decided({**AUTO, "metadata": {"annotations": {names.SKIP_RECONCILE: "true"}}}),
            REST,
            Reason.PAUSED,
        ),
        (decided({**AUTO, "metadata": {"deletionTimestamp": NOW}}), REST, Reason.DELETING),
        (decided({**AUTO, "operation": {"sync": {}}}), START, Reason.REQUESTED),
        (decided(AUTO, troubles=(Trouble(Reason.SOURCE_FAILED, "no branch"),)), REST, Reason.SOURCE_FAILED),
    ],
)
def test_an_app_syncs_by_itself_unless_there_is_a_reason_not_to(
    found: Decision, kind: DecisionKind, reason: Reason
) -> None:
    assert (found.kind, found.reason) == (kind, reason)


def test_one_object_that_cannot_be_compared_does_not_stop_the_others_but_alone_it_does() -> None:
    wrong = config_map("wrong") | {"dta": {}}
    live = (applied(config_map()), config_map("wrong"))
    assert decided(AUTO, wanted=(wrong, config_map(data={"a": "2"})), live=live).kind is START
    alone = decided(AUTO, wanted=(wrong,), live=(config_map("wrong"),))
    assert (alone.kind, alone.reason) == (REST, Reason.CANNOT_COMPARE)
    assert "field not declared in schema" in alone.detail


def test_an_object_without_a_namespace_does_not_stop_the_others_but_with_argo_cd_it_does() -> None:
    spec = {**AUTO, "destination": {"server": names.IN_CLUSTER_SERVER}}
    lost, placed = config_map(namespace=""), config_map("b", namespace="x")
    assert decided(spec, wanted=(lost, placed), live=()).kind is START
    theirs = decided(spec, wanted=(lost, placed), live=(), settings=Settings(compat=Compat.ARGOCD))
    alone = decided(spec, wanted=(lost,), live=())
    assert (theirs.kind, theirs.reason) == (REST, Reason.SPEC_INVALID)
    assert (alone.kind, alone.reason) == (REST, Reason.CANNOT_COMPARE)
    for found in (theirs, alone):
        assert found.detail.startswith("Namespace for settings /v1, Kind=ConfigMap is missing.")


def test_a_kind_that_cannot_be_read_does_not_stop_the_others_but_nothing_is_pruned() -> None:
    hidden = config_map("hidden")
    found = decided(AUTO, wanted=(hidden, config_map(data={"a": "2"})), unread=(key_of(hidden),))
    assert found.kind is START
    theirs = decided(
        AUTO,
        wanted=(hidden, config_map(data={"a": "2"})),
        unread=(key_of(hidden),),
        settings=Settings(compat=Compat.ARGOCD),
    )
    assert (theirs.kind, theirs.reason) == (REST, Reason.SPEC_INVALID)


@pytest.mark.parametrize(("compat", "kind"), [(Compat.SYNCLINE, START), (Compat.ARGOCD, REST)])
def test_a_health_check_that_fails_does_not_keep_its_app_from_syncing_but_with_argo_cd_it_does(
    compat: Compat, kind: DecisionKind
) -> None:
    settings = Settings(compat=compat, overrides=(ResourceOverride(pattern="ConfigMap", health_lua="boom("),))
    live = applied(config_map())
    live["metadata"] |= {"uid": "u1", "resourceVersion": "7"}
    said = ScriptedHealth(key_of(live), "u1/7", Health(HealthCode.UNKNOWN, "unexpected symbol", "ScriptFailed"))
    changed = config_map(data={"a": "2"})
    assert decided(AUTO, wanted=(changed,), live=(live,), settings=settings, scripted=(said,)).kind is kind


def test_a_failed_revision_says_so() -> None:
    assert decided(AUTO, state=last("Failed")).detail == f"Failed last sync attempt to [{SHA}]: it said"


def test_an_automatic_sync_takes_revision_options_and_prune_from_the_app_and_retries_five_times() -> None:
    found = decided(policy({"prune": True}, syncOptions=["PruneLast=true"]))
    assert found.operation == Operation(
        sync=SyncOperation(revision=SHA, prune=True, sync_options=("PruneLast=true",)),
        initiated_by=OperationInitiator(automated=True),
        retry=RetryStrategy(limit=5),
    )


def test_an_automatic_sync_retries_as_the_app_says() -> None:
    found = decided(policy({}, retry={"limit": 2, "backoff": {"duration": "1s"}}))
    assert found.operation is not None
    assert found.operation.retry == RetryStrategy(limit=2, backoff=Backoff(duration="1s"))


@pytest.mark.parametrize(
    ("requested", "spec", "limit"),
    [
        ({"sync": {}}, policy(), None),
        ({"sync": {}}, policy(retry={"limit": 2}), 2),
        ({"sync": {}, "retry": {"limit": 7}}, policy(retry={"limit": 2}), 7),
    ],
)
def test_a_requested_sync_retries_as_asked_else_as_the_app_says_else_not(
    requested: Object, spec: dict[str, Any], limit: int | None
) -> None:
    found = decided({**spec, "operation": requested}).operation
    assert found is not None
    assert (found.retry.limit if found.retry else None) == limit


@pytest.mark.parametrize(("prune", "healed"), [(False, ["settings"]), (True, ["extra", "settings"])])
def test_self_heal_is_a_partial_sync_of_what_is_out_of_sync(prune: bool, healed: list[str]) -> None:
    live = (EXTRA, applied(config_map(data={"a": "1"})), applied(config_map("same")))
    wanted = (config_map(data={"a": "2"}), config_map("same"))
    found = decided(policy({"selfHeal": True, "prune": prune}), wanted=wanted, live=live, state=last())
    assert found.operation is not None
    assert found.operation.sync is not None
    assert found.operation.sync.resources == tuple(
        SyncOperationResource(kind="ConfigMap", name=name, namespace="shop") for name in healed
    )
    assert found.operation.sync.auto_heal_attempts_count == 1


def at(seconds: float) -> str:
    return times.format_time(START_TIME + timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(0, 0), (1, 2), (2, 6), (3, 18), (4, 54), (5, 162), (6, 300), (7, 300), (100_000, 300)],
)
def test_self_heal_waits_0_2_6_18_54_162_then_300_seconds_after_the_last_operation(attempts: int, seconds: int) -> None:
    state = OperationState(Operation(), OperationPhase.SUCCEEDED, at(-9), finished_at=at(0))
    assert self_heal_pause(snapshot(as_of=at(0)), state, attempts) == seconds
    assert self_heal_pause(snapshot(as_of=at(seconds)), state, attempts) == 0


def test_while_self_heal_waits_the_app_rests_and_wakes_in_time() -> None:
    state = last(sync={"autoHealAttemptsCount": 2})
    found = decided(policy({"selfHeal": True}), state=state, as_of="2026-03-01T08:00:01Z")
    assert (found.kind, found.reason, found.look_again.seconds) == (REST, Reason.SELF_HEAL_BACKOFF, 5.0)
    found = decided(policy({"selfHeal": True}), state=state, as_of="2026-03-01T08:00:06Z")
    assert (found.kind, found.reason) == (START, Reason.SELF_HEAL)
    assert found.operation is not None
    assert found.operation.sync is not None
    assert found.operation.sync.auto_heal_attempts_count == 3


def test_another_operation_resets_the_pauses_of_self_heal() -> None:
    found = decided(policy({"selfHeal": True}), state=last(sync={"revision": SHA}), as_of="2026-03-01T08:00:00Z")
    assert (found.kind, found.reason) == (START, Reason.SELF_HEAL)
