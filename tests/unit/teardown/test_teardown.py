"""Taking an app down: highest wave first, one wave at a time."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core.sync.teardown import teardown
from syncline.model import names
from syncline.model.decision import Step, StepKind
from syncline.model.operation import OperationPhase
from syncline.model.reason import Reason
from syncline.model.sync_options import SyncOptions
from tests.support.objects import NOW, by_key, config_map, crd, hook, key, obj, with_wave

MYSELF = key("Application", "shop", group=names.GROUP, namespace="argocd")


def step(*live: Object, **rest: Any) -> Step:
    return teardown(frozenset(map(key_of, live)), by_key(*live), MYSELF, **rest)


def doomed(found: Step) -> list[str]:
    return [task.key.name for task in found.prune]


def test_without_objects_it_is_done() -> None:
    found = step()
    assert (found.kind, found.reason, found.phase) == (StepKind.FINISH, Reason.ALL_DONE, OperationPhase.SUCCEEDED)


def test_the_highest_wave_goes_first_and_alone() -> None:
    live = [
        with_wave(config_map("a"), -1),
        config_map("b"),
        with_wave(config_map("c"), 3),
        with_wave(config_map("d"), 3),
    ]
    assert doomed(step(*live)) == ["c", "d"]
    assert doomed(step(*live[:2])) == ["b"]
    assert doomed(step(*live[:1])) == ["a"]


def test_a_lower_wave_waits_until_the_higher_one_is_gone() -> None:
    going = with_wave(config_map("c", finalizers=["example.com/hold"], deletionTimestamp=NOW), 3)
    found = step(config_map("a"), going)
    assert (found.kind, found.reason) == (StepKind.WAIT, Reason.WAITING_FOR_DELETION)
    assert found.message == "waiting for deletion of ConfigMap/c: held by example.com/hold"


@pytest.mark.parametrize(
    "kept",
    [
        crd(),
        config_map(annotations={names.HELM_RESOURCE_POLICY: "keep"}),
        config_map(annotations={names.SYNC_OPTIONS: "Delete=false"}),
        obj("Application", "shop", api=names.API_VERSION, namespace="argocd"),
    ],
    ids=["CRD", "helm keep", "Delete=false", "the app itself"],
)
def test_some_objects_are_left_behind(kept: Object) -> None:
    assert step(kept).kind is StepKind.FINISH


def test_an_app_can_keep_all_its_objects_and_an_object_can_insist_on_going() -> None:
    insists = config_map("b", annotations={names.SYNC_OPTIONS: "Delete=true"})
    assert doomed(step(config_map("a"), insists, app_options=SyncOptions.parse(("Delete=false",)))) == ["b"]


@pytest.mark.parametrize("approved", [False, True])
def test_objects_with_delete_confirm_wait_for_approval(approved: bool) -> None:
    found = step(config_map(annotations={names.SYNC_OPTIONS: "Delete=confirm"}), approved=approved)
    assert found.kind is (StepKind.ACT if approved else StepKind.WAIT)
    assert found.reason is (Reason.DELETING if approved else Reason.WAITING_FOR_CONFIRMATION)


def test_a_hook_object_held_by_our_finalizer_is_released_and_deleted() -> None:
    found = step(hook("old", finalizers=[names.HOOK_FINALIZER]))
    assert [task.key.name for task in found.release_hooks] == ["old"]
    assert doomed(found) == ["old"]
    going = hook("old", finalizers=[names.HOOK_FINALIZER], deletionTimestamp=NOW)
    assert [task.key.name for task in step(going).release_hooks] == ["old"]
    assert doomed(step(going)) == []


def test_an_object_that_is_gone_already_is_not_waited_for() -> None:
    assert teardown(frozenset({key("ConfigMap", "gone")}), {}, MYSELF).kind is StepKind.FINISH
