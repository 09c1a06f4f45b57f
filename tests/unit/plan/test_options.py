"""What a sync covers and what its options change."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.sync.plan import PlanContext, make_plan, namespace_object
from syncline.core.sync.selection import covers
from syncline.model import names
from syncline.model.comparison import Verdict
from syncline.model.operation import (
    ManagedNamespaceMetadata,
    SyncOperation,
    SyncOperationResource,
    SyncStrategy,
    SyncStrategyApply,
    SyncStrategyHook,
)
from syncline.model.plan import Phase, Plan, TaskAction
from syncline.model.reason import Reason
from syncline.model.sync_options import SyncOptions
from tests.support.objects import (
    as_applied,
    by_key,
    compared,
    config_map,
    crd,
    hook,
    key,
    obj,
    prepared,
)

KEY = key("Deployment", "web", group="apps")


def resource(group: str = "apps", kind: str = "Deployment", name: str = "web", **rest: Any) -> SyncOperationResource:
    return SyncOperationResource(group=group, kind=kind, name=name, **rest)


@pytest.mark.parametrize(
    ("resources", "covered"),
    [
        ((), True),
        ((resource(),), True),
        ((resource(namespace="shop"),), True),
        ((resource(namespace="other"),), False),
        ((resource(name="other"),), False),
        ((resource(group=""),), False),
        ((resource(kind="StatefulSet"),), False),
        ((resource(name="other"), resource()), True),
        ((resource(group="*", kind="*", name="*"),), True),
        ((resource(exclude=True),), False),
        ((resource(name="other", exclude=True),), True),
        ((resource(), resource(exclude=True)), False),
        ((resource(name="one"), resource(name="other", exclude=True)), False),
        ((resource(name="*"), resource(name="other", exclude=True)), True),
    ],
)
def test_a_partial_sync_covers_what_is_included_unless_it_is_excluded(
    resources: tuple[SyncOperationResource, ...], covered: bool
) -> None:
    assert covers(SyncOperation(resources=resources))(KEY) is covered


def planned(*wanted: Object, live: tuple[Object, ...] = (), sync: SyncOperation | None = None, **rest: Any) -> Plan:
    ready = prepared(*wanted)
    comparison = compared(ready, *live, owned=[item for item in live if item["kind"] == "ConfigMap"])
    context = PlanContext(sync=sync or SyncOperation(), destination_namespace="shop", **rest)
    return make_plan(ready, comparison, by_key(*live), context)


def test_an_object_of_which_the_cluster_does_not_tell_holds_up_later_waves() -> None:
    ready = prepared(config_map("quiet"))
    comparison = compared(ready)
    rows = tuple(msgspec.structs.replace(row, verdict=Verdict.UNKNOWN) for row in comparison.rows)
    unanswered = msgspec.structs.replace(comparison, rows=rows)
    (task,) = make_plan(ready, unanswered, {}, PlanContext(sync=SyncOperation(), destination_namespace="shop")).tasks
    assert (task.doubtful, task.reason) == (False, Reason.UNCOMPARABLE)


def names_of(plan: Plan) -> list[str]:
    return [task.key.name for task in plan.tasks]


@pytest.mark.parametrize(
    ("sync", "runs"),
    [
        (SyncOperation(), True),
        (SyncOperation(sync_strategy=SyncStrategy(hook=SyncStrategyHook())), True),
        (SyncOperation(sync_strategy=SyncStrategy(apply=SyncStrategyApply())), False),
        (SyncOperation(resources=(resource("", "ConfigMap", "settings"),)), False),
    ],
)
def test_hooks_run_unless_the_sync_is_partial_or_only_applies(sync: SyncOperation, runs: bool) -> None:
    assert ("migrate" in names_of(planned(config_map(), hook(), sync=sync))) is runs


def applied(value: Object) -> Object:
    return as_applied(prepared(value).objects[0].obj)


def test_apply_out_of_sync_only_leaves_out_what_is_synced_but_runs_hooks() -> None:
    live = (applied(config_map("same")), applied(config_map("other", {"a": "1"})))
    wanted = (config_map("same"), config_map("other", {"a": "2"}), config_map("new"), hook())
    only = SyncOptions.parse(("ApplyOutOfSyncOnly=true",))
    assert names_of(planned(*wanted, live=live, app_options=only)) == ["migrate", "new", "other"]
    assert names_of(planned(*wanted, live=live)) == ["migrate", "new", "other", "same"]


def test_apply_out_of_sync_only_keeps_what_this_operation_has_begun() -> None:
    plan = planned(
        config_map("same"),
        live=(applied(config_map("same")),),
        app_options=SyncOptions.parse(("ApplyOutOfSyncOnly=true",)),
        begun=frozenset({key("ConfigMap", "same")}),
    )
    assert names_of(plan) == ["same"]


def gone(options: str = "") -> Object:
    return config_map("gone", annotations={names.SYNC_OPTIONS: options} if options else {})


@pytest.mark.parametrize(
    ("prune", "live", "app_options", "approved", "expected"),
    [
        (True, gone(), (), False, (True, Reason.IN_ORDER)),
        (False, gone(), (), False, (False, Reason.PRUNE_NOT_REQUESTED)),
        (True, gone("Prune=false"), (), False, (False, Reason.PRUNE_FORBIDDEN)),
        (True, gone(), ("Prune=false",), False, (False, Reason.PRUNE_FORBIDDEN)),
        (True, gone("Prune=true"), ("Prune=false",), False, (True, Reason.IN_ORDER)),
        (True, gone("Prune=confirm"), (), False, (True, Reason.WAITING_FOR_CONFIRMATION)),
        (True, gone("Prune=confirm"), (), True, (True, Reason.IN_ORDER)),
        (True, gone(), ("Prune=confirm",), False, (True, Reason.WAITING_FOR_CONFIRMATION)),
        (True, gone("Prune=false"), ("Prune=confirm",), False, (False, Reason.PRUNE_FORBIDDEN)),
        (False, gone("Prune=confirm"), (), True, (False, Reason.PRUNE_NOT_REQUESTED)),
        (True, gone("prune=false"), (), False, (True, Reason.IN_ORDER)),
        (True, gone("Validate=false, Prune=false"), (), False, (False, Reason.PRUNE_FORBIDDEN)),
    ],
)
def test_an_extra_object_is_pruned_when_asked_for_not_forbidden_and_approved(
    prune: bool, live: Object, app_options: tuple[str, ...], approved: bool, expected: tuple[bool, Reason]
) -> None:
    said = SyncOptions.parse(app_options)
    plan = planned(live=(live,), sync=SyncOperation(prune=prune), app_options=said, approved=approved)
    assert [(task.action, task.prune_allowed, task.reason) for task in plan.tasks] == [(TaskAction.PRUNE, *expected)]


CREATE = SyncOptions.parse(("CreateNamespace=true",))
SHOP = obj("Namespace", "shop")
LABELLED = ManagedNamespaceMetadata(labels={"team": "a"})


@pytest.mark.parametrize(
    ("wanted", "live", "rest", "created"),
    [
        ((), (), {"app_options": CREATE}, True),
        ((), (), {}, False),
        ((), (SHOP,), {"app_options": CREATE}, False),
        ((SHOP,), (), {"app_options": CREATE}, False),
        ((), (SHOP,), {"app_options": CREATE, "namespace_metadata": LABELLED}, True),
        ((), (obj("Namespace", "shop", labels={"team": "a", "x": "y"}),),
         {"app_options": CREATE, "namespace_metadata": LABELLED}, False),
        ((), (SHOP,), {"app_options": CREATE, "begun": frozenset({key("Namespace", "shop")})}, True),
    ],
)  # fmt: skip
def test_create_namespace_makes_a_missing_destination_before_everything_else(
    wanted: tuple[Object, ...], live: tuple[Object, ...], rest: dict[str, Any], created: bool
) -> None:
    plan = planned(config_map(), *wanted, live=live, **rest)
    made = [task for task in plan.tasks if task.key.kind == "Namespace" and task.phase is Phase.PRE_SYNC]
    assert bool(made) is created


def test_the_created_namespace_has_the_managed_metadata_and_is_not_tracked() -> None:
    managed = ManagedNamespaceMetadata(labels={"team": "a"}, annotations={"note": "b"})
    assert namespace_object("shop", managed) == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "shop", "labels": {"team": "a"}, "annotations": {"note": "b"}},
    }
    assert namespace_object("shop") == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def test_the_created_namespace_comes_before_hooks_of_lower_waves() -> None:
    plan = planned(hook(wave=-5), app_options=CREATE)
    assert [(task.key.name, task.phase, task.wave) for task in plan.tasks] == [
        ("shop", Phase.PRE_SYNC, -5),
        ("migrate", Phase.PRE_SYNC, -5),
    ]


WIDGET = obj("Widget", "one", api="example.com/v1")
KNOWN = {GroupKind("", "ConfigMap"): ("v1",), GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"): ("v1",)}


@pytest.mark.parametrize(
    ("wanted", "rest", "invalid"),
    [
        ((WIDGET,), {}, True),
        ((WIDGET, crd()), {}, False),
        ((WIDGET,), {"app_options": SyncOptions.parse(("SkipDryRunOnMissingResource=true",))}, False),
        ((obj("Widget", "one", api="example.com/v1",
              annotations={names.SYNC_OPTIONS: "SkipDryRunOnMissingResource=true"}),), {}, False),
        ((config_map(),), {}, False),
    ],
)  # fmt: skip
def test_a_kind_that_neither_cluster_nor_render_knows_makes_the_sync_invalid(
    wanted: tuple[Object, ...], rest: dict[str, Any], invalid: bool
) -> None:
    problems = planned(*wanted, known_kinds=KNOWN, **rest).problems
    assert problems == (
        (
            (
                "The Kubernetes API could not find example.com/Widget for requested resource shop/one."
                ' Make sure the "Widget" CRD is installed on the destination cluster.'
            ),
        )
        if invalid
        else ()
    )
