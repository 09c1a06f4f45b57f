"""Hooks that run before and after an app's objects go."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.controller.deliver.outcome import Outcome
from syncline.controller.deliver.record import build_patch
from syncline.core.decide import decide
from syncline.core.sync import deletion_hooks
from syncline.model import names
from syncline.model.decision import Decision, DecisionKind, Step, StepKind
from syncline.model.reason import Reason
from syncline.model.snapshot import Trouble
from tests.support.objects import application_object, assessed, by_key, config_map, desired, hook, prepared, tracked

PRE, POST, ALL = names.PRE_DELETE_FINALIZER, names.POST_DELETE_FINALIZER, names.RESOURCES_FINALIZER
CLEAN = f"{PRE}/cleanup"
BEFORE = hook("before", "PreDelete")


def move(
    *wanted: Object, live: tuple[Object, ...] = (), kind: str = "PreDelete", present: tuple[str, ...] = ()
) -> Step:
    ready = prepared(*wanted).hooks
    return deletion_hooks.next_move(
        kind, ready, by_key(*live), revision="abcdef1234", deleted_unix=100, present=present
    )


@pytest.mark.parametrize(
    ("present", "wanted", "expected"),
    [
        ((), (), ()),
        ((), (BEFORE,), (PRE, CLEAN)),
        ((ALL,), (BEFORE, hook("after", "PostDelete")), (ALL, PRE, CLEAN, POST, f"{POST}/cleanup")),
        ((PRE, "example.com/keep"), (BEFORE,), (PRE, "example.com/keep", CLEAN)),
        ((PRE, f"{PRE}/cleanup", POST), (), ()),
        ((), (hook("sync", "PreSync"),), ()),
    ],
)
def test_finalizers_stand_for_the_hooks_of_deletion_that_are_rendered(
    present: tuple[str, ...], wanted: tuple[Object, ...], expected: tuple[str, ...]
) -> None:
    assert deletion_hooks.finalizers(present, prepared(*wanted).hooks) == expected


def test_missing_hooks_are_created_and_only_those_of_the_stage() -> None:
    found = move(BEFORE, hook("after", "PostDelete"), hook("sync", "PreSync"))
    assert (found.kind, [task.key.name for task in found.apply]) == (StepKind.ACT, ["before"])


def test_a_generated_name_tells_revision_stage_and_deletion() -> None:
    found = move(hook("", "PostDelete", generateName="clean-"), kind="PostDelete")
    assert [task.key.name for task in found.apply] == ["clean-abcdef1-postdelete-100"]


def test_a_running_hook_is_waited_for() -> None:
    found = move(BEFORE, live=(BEFORE,))
    assert (found.kind, found.reason, found.message) == (
        StepKind.WAIT,
        Reason.WAITING_FOR_HOOK,
        "waiting for completion of PreDelete hook Job/before",
    )


def test_a_failed_hook_is_deleted_and_run_again() -> None:
    found = move(BEFORE, live=(hook("before", "PreDelete", done=False),))
    assert (found.kind, [task.key.name for task in found.delete_hooks]) == (StepKind.ACT, ["before"])
    assert found.message == "PreDelete hook Job/before failed and is retried"


@pytest.mark.parametrize(
    ("policy", "deleted"), [("", []), ("HookFailed", []), ("HookSucceeded", ["before"]), ("BeforeHookCreation", [])]
)
def test_at_the_end_the_finalizer_goes_and_then_hooks_with_hook_succeeded(policy: str, deleted: list[str]) -> None:
    wanted = hook("before", "PreDelete", policy=policy)
    live = (hook("before", "PreDelete", policy=policy, done=True),)
    found = move(wanted, live=live, present=(PRE, CLEAN))
    assert (found.kind, found.releases, found.leaves, found.delete_hooks) == (StepKind.FINISH, PRE, CLEAN, ())
    for present in ((CLEAN,), (PRE,)):
        found = move(wanted, live=live, present=present)
        assert (found.kind, found.releases, found.leaves) == (StepKind.FINISH, PRE, "")
        assert [task.key.name for task in found.delete_hooks] == deleted


def test_a_hook_that_ran_is_not_run_again_though_its_object_is_gone() -> None:
    found = move(BEFORE, present=(CLEAN,))
    assert (found.kind, found.releases, found.apply, found.delete_hooks) == (StepKind.FINISH, PRE, (), ())


def test_a_hook_of_a_kind_without_health_is_done_when_it_is_there() -> None:
    wanted = config_map("note", annotations={names.HOOK: "PreDelete"})
    assert move(wanted, live=(wanted,)).kind is StepKind.FINISH


def removed(*finalizers: str, wanted: tuple[Object, ...] | None = (BEFORE,), **rest: Any) -> Decision:
    metadata = {"deletionTimestamp": "2026-03-01T08:00:00Z", "finalizers": list(finalizers)}
    found = desired(*wanted) if wanted is not None else None
    return decide(assessed(application_object(metadata=metadata), wanted=found, **rest), ())


@pytest.mark.parametrize(
    ("finalizers", "released"),
    [((PRE, ALL, POST), PRE), ((ALL, POST), ALL), ((f"{ALL}/background", POST), ALL), ((POST,), POST)],
)
def test_stages_follow_one_another_as_their_finalizers_go(finalizers: tuple[str, ...], released: str) -> None:
    found = removed(*finalizers, wanted=())
    assert found.kind is DecisionKind.TEAR_DOWN
    assert found.step is not None
    assert found.step.releases == released


def test_hooks_come_before_the_objects() -> None:
    found = removed(PRE, ALL, live=(tracked(config_map()),)).step
    assert found is not None
    assert ([task.key.name for task in found.apply], found.prune) == (["before"], ())


def test_hooks_that_cannot_be_rendered_hold_up_the_deletion() -> None:
    found = removed(PRE, wanted=None, troubles=(Trouble(Reason.SOURCE_FAILED, "no branch"),))
    assert (found.kind, found.reason) == (DecisionKind.REST, Reason.SOURCE_FAILED)
    assert found.detail == "the deletion hooks cannot be rendered: no branch"


def test_a_failed_hook_of_deletion_is_a_deletion_error() -> None:
    failed = hook("before", "PreDelete", done=False)
    metadata = {"deletionTimestamp": "2026-03-01T08:00:00Z", "finalizers": [PRE]}
    app = application_object(metadata=metadata)
    found = assessed(app, wanted=desired(BEFORE), live=(failed,))
    decision = decide(found, ())
    patch = build_patch(found, decision, Outcome(), "2026-03-01T09:00:00Z")
    assert patch is not None
    assert [(item["type"], item["message"]) for item in patch["status"]["conditions"]] == [
        ("DeletionError", "PreDelete hook Job/before failed and is retried")
    ]
