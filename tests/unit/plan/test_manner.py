"""How an object is applied: which method, forced, validated, migrated, with which deletion of children."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.sync.manner import manner_of
from syncline.model import names
from syncline.model.operation import SyncOperation, SyncStrategy, SyncStrategyApply, SyncStrategyHook
from syncline.model.plan import ApplyMethod, Method
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import SyncOptions
from tests.support.objects import config_map, crd, obj

SERVER, CLIENT, REPLACE, CREATE = Method.SERVER_SIDE, Method.CLIENT_SIDE, Method.REPLACE, Method.CREATE
OURS, ARGOCD = Compat.SYNCLINE, Compat.ARGOCD


def marked(options: str) -> Object:
    return config_map(annotations={names.SYNC_OPTIONS: options})


PLAIN = config_map()
APPLIED = config_map(annotations={names.LAST_APPLIED: "{}"})


def manner(
    desired: Object = PLAIN,
    live: Object | None = PLAIN,
    *options: str,
    sync: SyncOperation | None = None,
    compat: Compat = OURS,
) -> ApplyMethod:
    return manner_of(desired, live, SyncOptions.parse(options), sync or SyncOperation(), compat)


@pytest.mark.parametrize(
    ("desired", "live", "options", "ours", "argocd"),
    [
        (PLAIN, None, (), SERVER, CLIENT),
        (PLAIN, PLAIN, (), SERVER, CLIENT),
        (PLAIN, APPLIED, (), CLIENT, CLIENT),
        (PLAIN, APPLIED, ("ServerSideApply=true",), SERVER, SERVER),
        (marked("ServerSideApply=true"), APPLIED, (), SERVER, SERVER),
        (PLAIN, PLAIN, ("ServerSideApply=false",), CLIENT, CLIENT),
        (marked("ServerSideApply=false"), PLAIN, ("ServerSideApply=true",), CLIENT, CLIENT),
        (marked("ServerSideApply=true"), PLAIN, ("ServerSideApply=false",), SERVER, SERVER),
        (PLAIN, PLAIN, ("serversideapply=true",), SERVER, CLIENT),
        (marked("Replace=true"), PLAIN, (), REPLACE, REPLACE),
        (PLAIN, marked("Replace=true"), (), REPLACE, REPLACE),
        (PLAIN, PLAIN, ("Replace=true",), REPLACE, REPLACE),
        (PLAIN, None, ("Replace=true",), CREATE, CREATE),
        (marked("Replace=true"), PLAIN, ("ServerSideApply=true",), REPLACE, REPLACE),
    ],
)
def test_replace_beats_server_side_apply_and_an_object_keeps_the_way_it_was_applied_until_somebody_opts_in(
    desired: Object, live: Object | None, options: tuple[str, ...], ours: Method, argocd: Method
) -> None:
    assert manner(desired, live, *options).method is ours
    assert manner(desired, live, *options, compat=ARGOCD).method is argocd


@pytest.mark.parametrize(
    ("desired", "live", "sync", "forced"),
    [
        (PLAIN, PLAIN, SyncOperation(), False),
        (marked("Force=true"), PLAIN, SyncOperation(), True),
        (PLAIN, marked("Force=true"), SyncOperation(), True),
        (PLAIN, PLAIN, SyncOperation(sync_strategy=SyncStrategy(apply=SyncStrategyApply(force=True))), True),
        (PLAIN, PLAIN, SyncOperation(sync_strategy=SyncStrategy(hook=SyncStrategyHook(force=True))), True),
        (PLAIN, PLAIN, SyncOperation(sync_strategy=SyncStrategy(hook=SyncStrategyHook())), False),
    ],
)
def test_force_is_asked_for_by_the_object_or_by_the_operation(
    desired: Object, live: Object, sync: SyncOperation, forced: bool
) -> None:
    assert manner(desired, live, sync=sync).force is forced


def test_force_is_no_option_of_the_app() -> None:
    assert manner(PLAIN, PLAIN, "Force=true").force is False


@pytest.mark.parametrize("value", [crd(), obj("Namespace", "shop"), obj("PersistentVolumeClaim", "data")])
def test_force_deletes_what_holds_others_only_as_with_argo_cd(value: Object) -> None:
    value = {**value, "metadata": {**value["metadata"], "annotations": {names.SYNC_OPTIONS: "Force=true"}}}
    assert manner(value, value).force is False
    assert manner(value, value, compat=ARGOCD).force is True


@pytest.mark.parametrize(
    ("desired", "options", "expected"),
    [
        (PLAIN, ("Validate=false",), {"validate": False, "method": Method.CLIENT_SIDE}),
        (marked("Validate=false"), (), {"validate": False, "method": Method.CLIENT_SIDE}),
        (PLAIN, ("ClientSideApplyMigration=false",), {"migrate": False}),
        (marked("ClientSideApplyMigration=false"), (), {}),
        (PLAIN, ("RespectIgnoreDifferences=true",), {"keep_ignored": True}),
        (marked("RespectIgnoreDifferences=true"), (), {}),
    ],
)
def test_other_options_count_where_argo_cd_reads_them(
    desired: Object, options: tuple[str, ...], expected: dict[str, Any]
) -> None:
    assert manner(desired, PLAIN, *options) == ApplyMethod(**expected)


@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ((), "Foreground"),
        (("PrunePropagationPolicy=foreground",), "Foreground"),
        (("PrunePropagationPolicy=background",), "Background"),
        (("PrunePropagationPolicy=orphan",), "Orphan"),
        (("PrunePropagationPolicy=Orphan",), "Foreground"),
    ],
)
def test_children_of_deleted_objects_go_in_the_foreground_unless_the_app_says_otherwise(
    options: tuple[str, ...], policy: str
) -> None:
    assert SyncOptions.parse(options).propagation == policy
