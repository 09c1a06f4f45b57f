"""Where Syncline's plans differ from Argo CD's, and what both refuse."""

from typing import Any

import pytest

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.sync.plan import PlanContext, make_plan
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.operation import SyncOperation
from syncline.model.plan import Method, Phase, Plan, Task, TaskAction
from syncline.model.project import AppProject, parse
from syncline.model.reason import Reason
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import SyncOptions
from tests.support.objects import (
    by_key,
    compared,
    config_map,
    crd,
    deployment,
    hook,
    key,
    obj,
    prepared,
    tracked,
    typed_application,
    with_wave,
)

OURS, ARGOCD = Compat.SYNCLINE, Compat.ARGOCD
WIDGET = obj("Widget", "one", api="example.com/v1")
KNOWN: dict[GroupKind, tuple[str, ...]] = dict.fromkeys(
    {
        GroupKind("", "ConfigMap"),
        GroupKind("apps", "Deployment"),
        GroupKind("batch", "Job"),
        GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"),
    },
    (),
)


def planned(*wanted: Object, live: tuple[Object, ...] = (), compat: Compat = OURS, **rest: Any) -> Plan:
    ready = prepared(*wanted)
    extra = [item for item in live if names.TRACKING_ID in item["metadata"].get("annotations", {})]
    context = PlanContext(
        sync=rest.pop("sync", SyncOperation(prune=True)),
        destination_namespace="shop",
        revision="abcdef1234",
        compat=compat,
        **rest,
    )
    return make_plan(ready, compared(ready, *live, owned=extra), by_key(*live), context)


def only(plan: Plan, name: str) -> Task:
    (found,) = [task for task in plan.tasks if task.key.name == name]
    return found


def test_an_object_that_another_app_desires_changes_hands_and_is_not_pruned() -> None:
    gone, given = tracked(config_map("gone")), tracked(config_map("given"))
    elsewhere = frozenset({key("ConfigMap", "given")})
    ours = planned(live=(gone, given), desired_elsewhere=elsewhere)
    assert [(task.key.name, task.prune_allowed, task.reason) for task in ours.tasks] == [
        ("given", False, Reason.DESIRED_ELSEWHERE),
        ("gone", True, Reason.IN_ORDER),
    ]
    theirs = planned(live=(gone, given), desired_elsewhere=elsewhere, compat=ARGOCD)
    assert [(task.key.name, task.prune_allowed) for task in theirs.tasks] == [("given", True), ("gone", True)]


@pytest.mark.parametrize(
    ("compat", "reason"), [(OURS, Reason.PRUNE_NOT_REQUESTED), (ARGOCD, Reason.WAITING_FOR_CONFIRMATION)]
)
def test_argo_cd_asks_for_approval_before_it_looks_whether_pruning_was_asked_for(
    compat: Compat, reason: Reason
) -> None:
    extra = tracked(config_map("gone", annotations={names.SYNC_OPTIONS: "Prune=confirm"}))
    plan = planned(live=(extra,), sync=SyncOperation(), compat=compat)
    assert [(task.reason, task.prune_allowed) for task in plan.tasks] == [(reason, False)]


def test_with_argo_cd_cluster_scoped_objects_pull_the_destination_namespace_forward() -> None:
    wanted = (with_wave(obj("Namespace", "shop"), 3), with_wave(obj("ClusterRole", "reader"), -5))
    ours = [(task.key.name, task.wave) for task in planned(*wanted).tasks]
    theirs = [(task.key.name, task.wave) for task in planned(*wanted, compat=ARGOCD).tasks]
    assert ours == [("reader", -5), ("shop", 3)]
    assert theirs == [("shop", -5), ("reader", -5)]


def test_several_providers_of_one_tenant_come_before_it_namespaces_first() -> None:
    widget = with_wave(WIDGET, -1)
    plan = planned(with_wave(obj("Namespace", "shop"), 4), with_wave(crd(), 2), widget, config_map())
    assert [(task.key.name, task.wave) for task in plan.tasks] == [
        ("shop", -1),
        ("widgets.example.com", -1),
        ("one", -1),
        ("settings", 0),
    ]


def test_objects_of_a_custom_kind_need_the_crd_of_the_same_plan() -> None:
    plan = planned(crd(), WIDGET, config_map(), known_kinds=KNOWN)
    assert only(plan, "one").needs == (key("CustomResourceDefinition", "widgets.example.com",
                                          group="apiextensions.k8s.io"),)  # fmt: skip
    assert only(plan, "one").how.dry_run_skipped == "its CRD is part of this sync"
    assert only(plan, "settings").needs == ()
    assert only(planned(crd(), WIDGET, compat=ARGOCD), "one").needs == ()


def test_a_missing_kind_may_be_declared_fine_and_then_the_dry_run_says_so() -> None:
    plan = planned(WIDGET, known_kinds=KNOWN, app_options=SyncOptions.parse(("SkipDryRunOnMissingResource=true",)))
    assert (plan.problems, only(plan, "one").how.dry_run_skipped) == ((), "SkipDryRunOnMissingResource=true")


UNKNOWN = (
    "The Kubernetes API could not find example.com/Widget for requested resource shop/one."
    ' Make sure the "Widget" CRD is installed on the destination cluster.'
)


@pytest.mark.parametrize(("compat", "partial"), [(OURS, True), (ARGOCD, False)])
def test_an_unknown_kind_is_refused_alone_and_stops_everything_only_with_argo_cd(compat: Compat, partial: bool) -> None:
    plan = planned(WIDGET, config_map(), known_kinds=KNOWN, compat=compat)
    assert (plan.partial, plan.problems) == (partial, (UNKNOWN,))
    assert [(task.key.name, task.reason, task.refusal) for task in plan.tasks] == [
        ("settings", Reason.IN_ORDER, ""),
        ("one", Reason.KIND_UNKNOWN, UNKNOWN),
    ]


OLD = (
    'The Kubernetes API could not find version "v9" of example.com/Widget for requested resource shop/one.'
    ' Version "v2" and "v1" of example.com/Widget is installed on the destination cluster.'
)


@pytest.mark.parametrize("compat", [OURS, ARGOCD])
@pytest.mark.parametrize(("version", "refused"), [("v1", ""), ("v2", ""), ("v9", OLD)])
def test_a_version_that_nobody_serves_is_refused(version: str, refused: str, compat: Compat) -> None:
    served = KNOWN | {GroupKind("example.com", "Widget"): ("v2", "v1")}
    plan = planned(obj("Widget", "one", api=f"example.com/{version}"), known_kinds=served, compat=compat)
    assert [task.refusal for task in plan.tasks] == [refused]
    assert plan.problems == ((refused,) if refused else ())


def project(**spec: Any) -> AppProject:
    return parse(
        {"metadata": {"name": "default"}, "spec": {"destinations": [{"server": "*", "namespace": "*"}], **spec}}
    )


def test_what_the_project_forbids_is_refused_and_not_pruned() -> None:
    forbidding = project(namespaceResourceBlacklist=[{"group": "", "kind": "ConfigMap"}])
    plan = planned(
        config_map(), deployment(), live=(tracked(config_map("gone")),), project=forbidding,
        destination=Destination(server="https://kubernetes.default.svc", namespace="shop"),
    )  # fmt: skip
    assert [(task.key.name, task.reason) for task in plan.tasks] == [
        ("settings", Reason.NOT_PERMITTED),
        ("web", Reason.IN_ORDER),
    ]
    assert only(plan, "settings").refusal in plan.problems


@pytest.mark.parametrize(
    ("options", "method", "reason"),
    [("", Method.SERVER_SIDE, Reason.NAME_MISSING), ("Replace=true", Method.CREATE, Reason.IN_ORDER)],
)
def test_an_object_with_a_generated_name_is_created_with_replace_and_refused_without(
    options: str, method: Method, reason: Reason
) -> None:
    nameless = obj("ConfigMap", "", generateName="run-", annotations={names.SYNC_OPTIONS: options})
    (task,) = planned(nameless).tasks
    assert (task.action, task.how.method, task.reason) == (TaskAction.APPLY, method, reason)


def test_an_object_that_cannot_be_compared_is_tried_but_in_doubt() -> None:
    wrong = config_map("wrong") | {"dta": {}}
    plan = planned(wrong, config_map(), live=(config_map("wrong"),))
    assert [(task.key.name, task.doubtful, task.reason) for task in plan.tasks] == [
        ("settings", False, Reason.IN_ORDER),
        ("wrong", True, Reason.UNCOMPARABLE),
    ]


def test_an_object_without_a_namespace_is_named_among_the_problems_and_the_others_are_planned() -> None:
    app = typed_application(destination={"server": names.IN_CLUSTER_SERVER})
    ready = prepared(config_map("lost", namespace=""), config_map("kept"), app=app)
    plan = make_plan(ready, compared(ready), {}, PlanContext(sync=SyncOperation()))
    assert [task.key.name for task in plan.tasks] == ["kept"]
    assert [problem.split(" is missing.")[0] for problem in plan.problems] == ["Namespace for lost /v1, Kind=ConfigMap"]


def test_in_execution_prunes_come_first_in_each_wave() -> None:
    plan = planned(config_map("a"), deployment("b"), live=(tracked(config_map("z")),))
    assert [task.key.name for task in plan.tasks] == ["a", "z", "b"]
    assert [task.key.name for task in plan.in_execution] == ["z", "a", "b"]


def child(name: str, wave: int) -> Object:
    return with_wave(obj("Application", name, api=names.API_VERSION, namespace="argocd"), wave)


def test_waves_of_a_platform_from_minus_one_to_five_are_kept_in_order() -> None:
    """As in a Kubeflow platform: projects, common services with CRDs, profiles, pipelines, web apps, extras."""
    waves = {"projects": -1, "common": 0, "profiles": 1, "pipelines": 2, "serving": 3, "web-apps": 4, "extras": 5}
    plan = planned(*(child(name, wave) for name, wave in reversed(waves.items())))
    assert [(task.key.name, task.wave) for task in plan.tasks] == list(waves.items())


def test_apps_of_one_wave_come_together_and_hooks_around_them() -> None:
    """As in a homelab: networking and secrets, then storage; a check before and one after."""
    wanted = (child("longhorn", 1), child("cilium", 0), child("external-secrets", 0))
    plan = planned(*wanted, hook("check", "PreSync,PostSync"))
    assert [(task.phase, task.wave, task.key.name) for task in plan.tasks] == [
        (Phase.PRE_SYNC, 0, "check"),
        (Phase.SYNC, 0, "cilium"),
        (Phase.SYNC, 0, "external-secrets"),
        (Phase.SYNC, 1, "longhorn"),
        (Phase.POST_SYNC, 0, "check"),
    ]


def test_propagation_and_manner_are_those_of_app_and_object() -> None:
    options = SyncOptions.parse(("PrunePropagationPolicy=background", "Validate=false", "ServerSideApply=false"))
    plan = planned(config_map("kept"), hook(), live=(tracked(config_map("gone")),), app_options=options)
    assert {task.propagation for task in plan.tasks} == {"Background"}
    assert only(plan, "kept").how.method is Method.CLIENT_SIDE
    assert only(plan, "migrate").how.validate is False
