"""What follows from a change on the clusters: each consequence with a case, and one that only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.model.finding import Finding, Severity
from syncline.model.preview import Effect, EffectKind
from tests.support.previews import app, objects, only, previewed, told

CLAIM = (
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, "
    "spec: {resources: {requests: {storage: 20Gi}}}}"
)
KEPT = CLAIM.replace("{name: data}", "{name: data, annotations: {argocd.argoproj.io/sync-options: Prune=false}}")
CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Boat, plural: boats}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
BOAT = "{apiVersion: example.com/v1, kind: Boat, metadata: {name: one}}"
CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {x: '1'}}"


def workload(image: str = "a:1", label: str = "web", kind: str = "Deployment", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": label}},
                "spec": {"containers": [{"name": "web", "image": image}]},
            },
            **spec,
        },
    }


def service(label: str = "web") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": label}, "ports": [{"port": 80}]},
    }


def after(before: list[dict[str, Any]], later: list[dict[str, Any]], **more: Any) -> Any:
    return previewed([app("a", before, **more)], [app("a", later, **more)])


def test_pods_restart_when_their_template_changes_and_are_counted() -> None:
    one = only(after([workload("a:1")], [workload("a:2")]), EffectKind.RESTART)
    assert (one.pods, one.short) == (3, "web (3 pods)")


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(workload(replicas=5), id="more of them"),
        pytest.param(workload(revisionHistoryLimit=2), id="beside the template"),
    ],
)
def test_pods_do_not_restart_for_anything_else(later: dict[str, Any]) -> None:
    assert not after([workload()], [later]).of(EffectKind.RESTART)


def test_no_pod_restarts_where_none_runs() -> None:
    found = after([workload("a:1", replicas=0)], [workload("a:2", replicas=0)])
    assert not found.of(EffectKind.RESTART)


def test_pods_that_an_autoscaler_counts_are_told_as_a_range() -> None:
    scaler = objects(
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: "
        "{scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 2, maxReplicas: 9}}"
    )
    found = after([workload("a:1"), *scaler], [workload("a:2"), *scaler])
    assert only(found, EffectKind.RESTART).short == "web (2 to 9 pods)"


def test_a_statefulset_that_waits_for_deletion_restarts_nothing() -> None:
    more: dict[str, Any] = {"kind": "StatefulSet", "updateStrategy": {"type": "OnDelete"}, "serviceName": "web"}
    found = after([workload("a:1", **more)], [workload("a:2", **more)])
    assert not found.of(EffectKind.RESTART)
    assert "until they are deleted" in only(found, EffectKind.NOTE).text


def test_an_immutable_field_is_a_recreation_and_not_a_restart() -> None:
    changed = workload(label="other", selector={"matchLabels": {"app": "other"}})
    found = after([workload()], [changed])
    assert only(found, EffectKind.DANGER).short == "recreate Deployment/web (selector is immutable)"
    assert "every sync fails until it is deleted" in only(found, EffectKind.DANGER).text
    assert not found.of(EffectKind.RESTART)


@pytest.mark.parametrize(("policy", "dangers"), [("BeforeHookCreation", 0), ("HookSucceeded", 1)])
def test_a_hook_that_is_deleted_before_it_runs_again_is_not_refused(policy: str, dangers: int) -> None:
    def job(image: str) -> list[dict[str, Any]]:
        return objects(f"""
apiVersion: batch/v1
kind: Job
metadata:
  name: first
  annotations: {{argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: {policy}}}
spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: "{image}"}}]}}}}}}
""")

    found = after(job("a:1"), job("a:2"))
    assert len(found.of(EffectKind.DANGER)) == dangers
    assert len(found.of(EffectKind.HOOKS)) == 1


def test_an_object_that_says_force_is_recreated_without_failing() -> None:
    changed = workload(label="other", selector={"matchLabels": {"app": "other"}})
    changed["metadata"]["annotations"] = {"argocd.argoproj.io/sync-options": "Force=true,Replace=true"}
    assert only(after([workload()], [changed]), EffectKind.DANGER).text.startswith("Recreates Deployment/web")


def test_a_claim_that_leaves_git_is_pruned_with_its_size() -> None:
    assert only(after(objects(CLAIM), []), EffectKind.DANGER).short == "prune PVC/data (20Gi)"


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        pytest.param(KEPT, {}, "it says Prune=false", id="it says so"),
        pytest.param(CLAIM, {"syncPolicy": {}}, "the app does not prune automatically", id="the app does not prune"),
        pytest.param(
            CLAIM, {"syncPolicy": {"automated": {}}}, "the app does not prune automatically", id="syncs without pruning"
        ),
    ],
)
def test_a_claim_that_stays_on_the_cluster_is_a_note(text: str, more: dict[str, Any], why: str) -> None:
    found = after(objects(text), [], **more)
    assert not found.of(EffectKind.DANGER)
    assert only(found, EffectKind.NOTE).text.endswith(why)


def test_a_claim_that_another_app_delivers_too_stays() -> None:
    other = app("b", objects(CLAIM))
    found = previewed([app("a", objects(CLAIM)), other], [app("a", []), other])
    assert not found.of(EffectKind.DANGER)
    assert "argocd/b delivers it too" in only(found, EffectKind.NOTE).text


def test_a_claim_that_goes_to_another_app_is_handed_over() -> None:
    found = previewed([app("a", objects(CLAIM)), app("b", [])], [app("a", []), app("b", objects(CLAIM))])
    one = only(found, EffectKind.DANGER)
    assert one.short == "hand 1 object over from argocd/a to argocd/b"
    assert [change.name for change in found.apps if change.objects] == ["argocd/b"]


def test_a_definition_takes_the_objects_of_its_kind_along() -> None:
    boats = app("b", objects(BOAT))
    found = previewed([app("a", objects(CRD)), boats], [app("a", []), boats])
    one = only(found, EffectKind.DANGER)
    assert one.short == "prune CRD Boat and 1 Boat"
    assert "1 of them from Git in argocd/b" in one.text


def test_an_app_with_a_finalizer_takes_its_objects_along_and_one_without_does_not() -> None:
    keeping: dict[str, Any] = {"metadata": {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}}
    found = previewed([app("a", objects(CLAIM), **keeping)], [])
    assert [one.short for one in found.of(EffectKind.DANGER)] == [
        "delete app a with its 1 object",
        "delete PVC/data (20Gi)",
    ]
    left = previewed([app("a", objects(CLAIM))], [])
    assert not left.of(EffectKind.DANGER)
    assert "managed by no app" in only(left, EffectKind.NOTE).text


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([workload(label="web"), service("other")], id="another selector"),
        pytest.param([workload(replicas=0), service()], id="nothing runs"),
        pytest.param([service()], id="nothing is there"),
    ],
)
def test_a_service_that_loses_its_pods_is_told(later: list[dict[str, Any]]) -> None:
    assert only(after([workload(), service()], later), EffectKind.ENDPOINTS).short == "Service/web loses its pods"


@pytest.mark.parametrize(
    ("before", "later"),
    [
        pytest.param([workload(), service("nobody")], [workload("a:2"), service("nobody")], id="it never had any"),
        pytest.param([workload(), service()], [workload("a:2"), service()], id="it keeps them"),
        pytest.param([workload(), service()], [workload()], id="it goes as well"),
    ],
)
def test_a_service_that_keeps_what_it_has_is_not_told(
    before: list[dict[str, Any]], later: list[dict[str, Any]]
) -> None:
    assert not after(before, later).of(EffectKind.ENDPOINTS)


def test_hooks_of_an_app_with_something_to_sync_run_in_their_order() -> None:
    hook = objects(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync}}, "
        "spec: {template: {spec: {restartPolicy: Never, containers: []}}}}"
    )
    later = objects(CONFIG.replace("{name: c}", "{name: c, annotations: {argocd.argoproj.io/sync-wave: '2'}}"))
    found = after([workload("a:1"), *hook], [workload("a:2"), *hook, *later])
    assert told(found, EffectKind.HOOKS) == ["Job/migrate runs as PreSync"]
    (line,) = found.timelines
    assert [(step.phase, step.wave, step.objects) for step in line.steps] == [
        ("PreSync", 0, ("Job/migrate",)),
        ("Sync", 0, ("Deployment/web",)),
        ("Sync", 2, ("ConfigMap/c",)),
    ]
    assert not after([workload(), *hook], [workload(), *hook]).effects


def test_variables_that_pods_started_with_stay_until_they_restart() -> None:
    reader = workload()
    box = reader["spec"]["template"]["spec"]["containers"][0]
    box["envFrom"] = [{"configMapRef": {"name": "c"}}]
    changed = objects(CONFIG.replace("'1'", "'2'"))
    note = only(after([reader, *objects(CONFIG)], [reader, *changed]), EffectKind.NOTE)
    assert note.text == "ConfigMap/c changes, but the pods of Deployment/web keep the variables they started with"
    # A workload that does not read it says nothing.
    assert not after([workload(), *objects(CONFIG)], [workload(), *changed]).of(EffectKind.NOTE)


@pytest.mark.parametrize(
    ("window", "held"),
    [
        ({"kind": "deny", "schedule": "0 8 * * *", "duration": "4h", "applications": ["*"]}, True),
        ({"kind": "deny", "schedule": "0 20 * * *", "duration": "4h", "applications": ["*"]}, False),
        ({"kind": "deny", "schedule": "0 8 * * *", "duration": "4h", "applications": ["b"]}, False),
    ],
)
def test_a_window_that_is_closed_at_the_time_holds_the_change(window: dict[str, Any], *, held: bool) -> None:
    project = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "default"},
        "spec": {"syncWindows": [window]},
    }
    found = previewed([app("a", [workload("a:1")])], [app("a", [workload("a:2")])], projects=[project])
    shown = [one.short for one in found.of(EffectKind.WINDOW)]
    assert shown == (["default held until 2026-03-02T12:00:00Z"] if held else [])


def finding(code: str, message: str = "m") -> Finding:
    return Finding(code=code, name="n", severity=Severity.ERROR, subject="argocd/a", message=message)


def test_only_findings_that_are_not_on_the_base_are_new_whatever_their_line() -> None:
    before = [finding("SRC-001", "see a.yaml:3"), finding("SRC-002")]
    later = [finding("SRC-001", "see a.yaml:9"), finding("APP-005", "not permitted")]
    found = previewed([app("a", [])], [app("a", [workload()])], found=(before, later))
    assert [one.code for one in found.new] == ["APP-005"]
    assert [one.code for one in found.fixed] == ["SRC-002"]
    assert [one.code for one in found.kept] == ["SRC-001"]
    assert only(found, EffectKind.DENIED).text == "not permitted"


def test_what_happens_in_several_apps_in_the_same_words_is_told_once() -> None:
    before = [app(name, [workload("a:1")]) for name in "ab"]
    found = previewed(before, [app(name, [workload("a:2")]) for name in "ab"])
    one: Effect = only(found, EffectKind.RESTART)
    assert (one.apps, one.pods) == (("argocd/a", "argocd/b"), 6)


@pytest.mark.parametrize(("before", "later", "stops"), [(3, 0, True), (1, 0, True), (3, 1, False), (0, 0, False)])
def test_a_workload_that_asks_for_no_pods_any_more_is_a_danger(before: int, later: int, *, stops: bool) -> None:
    found = after([workload(replicas=before)], [workload(replicas=later, image="a:2")])
    assert [one.short for one in found.of(EffectKind.DANGER)] == (
        [f"stop Deployment/web (replicas {before} → 0)"] if stops else []
    )


BALANCED = {**service(), "spec": {**service()["spec"], "type": "LoadBalancer"}}


def test_a_service_that_gives_up_its_load_balancer_is_a_danger() -> None:
    assert only(after([BALANCED], [service()]), EffectKind.DANGER).short == "Service/web gives up its load balancer"
    gone = only(after([BALANCED, *objects(CONFIG)], objects(CONFIG)), EffectKind.DANGER)
    assert gone.short == "prune Service/web with its load balancer"
    labelled = {**BALANCED, "metadata": {"name": "web", "labels": {"a": "b"}}}
    assert told(after([BALANCED], [labelled]), EffectKind.DANGER) == []
    assert told(after([service()], [BALANCED]), EffectKind.DANGER) == []


V2 = CRD.replace("name: v1, served", "name: v2, served")
BOTH = CRD.replace("versions: [", "versions: [{name: v2, served: true, storage: false, schema: {}}, ")
UNSERVED = V2.replace("versions: [", "versions: [{name: v1, served: false, storage: false, schema: {}}, ")


def test_a_definition_that_drops_the_version_in_which_objects_are_stored_is_a_danger() -> None:
    found = only(after(objects(CRD), objects(V2)), EffectKind.DANGER)
    assert found.short == "drop stored version v1 of CustomResourceDefinition/boats.example.com"
    assert "keep it with served: false until then" in found.text
    assert told(after(objects(CRD), objects(BOTH)), EffectKind.DANGER) == []
    assert told(after(objects(CRD), objects(UNSERVED)), EffectKind.DANGER) == []


def test_a_version_that_objects_in_git_are_of_has_to_be_served() -> None:
    found = only(after([*objects(CRD), *objects(BOAT)], [*objects(UNSERVED), *objects(BOAT)]), EffectKind.DANGER)
    assert found.text.endswith("1 object in Git is of it")


def test_a_definition_that_is_recreated_takes_its_objects_along() -> None:
    found = only(after(objects(CRD), objects(CRD.replace("Namespaced", "Cluster"))), EffectKind.DANGER)
    assert found.text.endswith("then every object of its kind is deleted with it")
