"""Which objects are hooks, when they run, when they go, how they are named and stamped."""

import pytest

from syncline.apimachinery.keys import key_of
from syncline.core.compare import tracking
from syncline.core.sync import hooks
from syncline.model import names
from syncline.model.plan import HookDeletePolicy, Phase
from syncline.model.settings.settings import Settings
from tests.support.objects import config_map, hook, prepared

HOOK, HELM = names.HOOK, names.HELM_HOOK
BEFORE, SUCCEEDED, FAILED = HookDeletePolicy.BEFORE_CREATION, HookDeletePolicy.SUCCEEDED, HookDeletePolicy.FAILED


@pytest.mark.parametrize(
    ("annotations", "types"),
    [
        ({}, None),
        ({HOOK: "PreSync"}, ("PreSync",)),
        ({HOOK: "PreSync, PostSync"}, ("PreSync", "PostSync")),
        ({HOOK: "PreSync,PreSync"}, ("PreSync",)),
        ({HOOK: "Skip"}, None),
        ({HOOK: "Skip,PreSync"}, ("PreSync",)),
        ({HOOK: "presync"}, ()),
        ({HOOK: "PreSync", HELM: "post-install"}, ("PreSync",)),
        ({HOOK: "misspelt", HELM: "post-install"}, ("PostSync",)),
        ({HELM: "pre-install"}, ("PreSync",)),
        ({HELM: "pre-upgrade"}, ("PreSync",)),
        ({HELM: "pre-install,pre-upgrade"}, ("PreSync",)),
        ({HELM: "post-install,post-upgrade"}, ("PostSync",)),
        ({HELM: "pre-delete"}, ("PreDelete",)),
        ({HELM: "post-delete"}, ("PostDelete",)),
        ({HELM: "crd-install"}, None),
        ({HELM: "test"}, ()),
        ({HELM: "pre-rollback"}, ()),
        ({HOOK: ""}, ()),
        ({HOOK: "", HELM: "pre-install"}, ("PreSync",)),
        ({HOOK: "Skip,misspelt"}, None),
        ({HOOK: "PreSync", HELM: "post-delete"}, ("PreSync", "PostDelete")),
        ({HOOK: "PostDelete", HELM: "pre-delete,pre-install"}, ("PostDelete", "PreDelete")),
    ],
)
def test_argo_annotations_win_over_helm_ones_and_unknown_words_make_a_hook_that_never_runs(
    annotations: dict[str, str], types: tuple[str, ...] | None
) -> None:
    assert hooks.hook_types(config_map(annotations=annotations)) == types


@pytest.mark.parametrize(("word", "skipped"), [("Skip", True), ("Skip,PreSync", False), ("PreSync", False)])
def test_only_skip_alone_means_desired_but_never_applied(word: str, skipped: bool) -> None:
    assert hooks.is_skipped(config_map(annotations={HOOK: word})) is skipped


def test_delete_hooks_have_no_phase_in_a_sync() -> None:
    assert hooks.sync_phases(("PreSync", "PreDelete", "SyncFail", "PostDelete")) == (Phase.PRE_SYNC, Phase.SYNC_FAIL)


@pytest.mark.parametrize(
    ("annotations", "policies"),
    [
        ({}, (BEFORE,)),
        ({names.HOOK_DELETE_POLICY: "HookSucceeded"}, (SUCCEEDED,)),
        ({names.HOOK_DELETE_POLICY: "HookSucceeded, HookFailed"}, (SUCCEEDED, FAILED)),
        ({names.HOOK_DELETE_POLICY: "hook-succeeded"}, (BEFORE,)),
        ({names.HELM_HOOK_DELETE_POLICY: "hook-succeeded"}, (SUCCEEDED,)),
        ({names.HELM_HOOK_DELETE_POLICY: "before-hook-creation,hook-failed"}, (BEFORE, FAILED)),
        (
            {names.HOOK_DELETE_POLICY: "HookFailed", names.HELM_HOOK_DELETE_POLICY: "hook-succeeded"},
            (FAILED, SUCCEEDED),
        ),
    ],
)
def test_delete_policies_of_both_kinds_add_up_and_the_default_is_before_creation(
    annotations: dict[str, str], policies: tuple[HookDeletePolicy, ...]
) -> None:
    assert hooks.delete_policies(config_map(annotations=annotations)) == policies


def test_a_generated_name_is_prefix_revision_phase_and_start_in_lower_case() -> None:
    assert hooks.generated_name("Migrate-", "ABCDEF1234567890", Phase.PRE_SYNC, 1772353800) == (
        "migrate-abcdef1-presync-1772353800"
    )


def test_a_hook_object_is_named_stamped_and_held_by_a_finalizer() -> None:
    made = hooks.stamped(hook("", generateName="migrate-"), "migrate-1", hooks.for_phase("op.0", Phase.PRE_SYNC))
    assert made["metadata"]["name"] == "migrate-1"
    assert "generateName" not in made["metadata"]
    assert made["metadata"]["finalizers"] == [names.HOOK_FINALIZER]
    assert hooks.stamp_of(made) == "op.0.PreSync"


def test_a_hook_object_keeps_finalizers_of_its_own() -> None:
    made = hooks.stamped(hook(finalizers=["example.com/keep", names.HOOK_FINALIZER]), "migrate", "op.0.PreSync")
    assert made["metadata"]["finalizers"] == ["example.com/keep", names.HOOK_FINALIZER]


def test_a_hook_with_a_generated_name_belongs_to_its_app() -> None:
    (item,) = prepared(hook("", generateName="migrate-")).hooks
    made = hooks.stamped(item.obj, "migrate-1", "op.0.PreSync")
    assert key_of(made).name == "migrate-1"
    assert tracking.owner_of(made, Settings()) == "shop"


def test_the_stamp_tells_attempts_and_phases_apart() -> None:
    stamps = {hooks.for_phase(hooks.stamp("op", attempt), phase) for attempt in (0, 1) for phase in Phase}
    assert len(stamps) == 8
