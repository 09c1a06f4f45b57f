"""What `why` says: each cause found, in words, with its evidence; and nothing where there is nothing."""

import json
from typing import Any

import pytest

from syncline.core.decide import decide
from syncline.core.diagnose.explain import Explanation, explain
from syncline.core.policy import projects
from syncline.model.condition import ConditionType
from syncline.model.decision import Decision, DecisionKind, Step, StepKind, Wait
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.finding import EvidenceKind, Finding, Severity
from syncline.model.project import AppProject, ProjectSpec
from syncline.model.reason import Reason
from syncline.model.snapshot import Trouble
from tests.support.objects import (
    SHA,
    application_object,
    as_applied,
    assessed,
    config_map,
    deployment,
    desired,
    edited,
    key,
    obj,
    placed,
    tracked,
    typed_application,
)

SINCE = "2026-03-01T08:00:00Z"


def why(app: dict[str, Any] | None = None, **rest: Any) -> Explanation:
    assessment = assessed(app, **rest)
    return explain(assessment, decide(assessment, ()))


def only(explanation: Explanation) -> Finding:
    assert len(explanation.findings) == 1, explanation.findings
    return explanation.findings[0]


def live_config(**data: str) -> dict[str, Any]:
    live = as_applied(tracked(config_map(data=data or {"colour": "blue"})))
    return {**live, "metadata": {**live["metadata"], "uid": "1", "resourceVersion": "7"}}


def with_uid(value: dict[str, Any], uid: str, owner: str = "") -> dict[str, Any]:
    metadata = {**value["metadata"], "uid": uid, "resourceVersion": "1"}
    if owner:
        metadata["ownerReferences"] = [{"uid": owner, "kind": "x", "name": "x", "apiVersion": "v1"}]
    return {**value, "metadata": metadata}


def test_an_app_that_is_synced_and_healthy_has_nothing_to_explain() -> None:
    explanation = why(wanted=desired(config_map()), live=[live_config()])
    assert explanation.good
    assert explanation.findings == ()


def test_a_source_that_cannot_be_read_is_an_error_in_its_own_words() -> None:
    trouble = Trouble(Reason.SOURCE_FAILED, "Failed to load target state: repository not accessible")
    finding = only(why(troubles=(trouble,)))
    assert (finding.code, finding.severity, finding.message) == (
        "SRC-001",
        Severity.ERROR,
        "repository not accessible",
    )


@pytest.mark.parametrize(
    ("reason", "message", "code"),
    [
        (Reason.SOURCE_FAILED, "unable to resolve 'stage1' to a commit SHA (branches: main)", "APP-001"),
        (Reason.SOURCE_FAILED, "deploy: app path does not exist (nearest: apps/deploy)", "APP-003"),
        (Reason.SOURCE_FAILED, "open apps/values.yaml: no such file in the repository", "APP-003"),
        (Reason.SOURCE_FAILED, "helm template failed: nil pointer", "SRC-001"),
        (Reason.RENDER_BACKOFF, "helm gave no answer within 90 seconds (not tried again before 09:30)", "SRC-001"),
        (Reason.SPEC_INVALID, "Application referencing project x which does not exist", "APP-005"),
        (Reason.SPEC_INVALID, "spec.destination: write server or name, not both", "APP-101"),
        (Reason.CLUSTER_UNREACHABLE, "Failed to load live state: the cluster did not answer", "LIV-108"),
    ],
)
def test_what_could_not_be_read_has_the_code_of_its_closest_rule(reason: Reason, message: str, code: str) -> None:
    finding = only(why(troubles=(Trouble(reason, message),)))
    assert (finding.code, finding.message) == (code, message)


def test_what_a_project_denies_is_not_permitted() -> None:
    app = typed_application()
    project = AppProject(metadata=app.metadata, spec=ProjectSpec())
    denied = (*projects.source_denials(app, project), *projects.destination_denials(app, project))
    assert len(denied) == 2, "the repository and the destination"
    troubles = tuple(Trouble(Reason.SPEC_INVALID, str(one), ConditionType.INVALID_SPEC_ERROR) for one in denied)
    explanation = why(troubles=troubles)
    assert [finding.code for finding in explanation.findings] == ["APP-005", "APP-005"]


def test_an_object_without_any_namespace_names_its_file() -> None:
    app = application_object(destination={"server": "https://kubernetes.default.svc"})
    finding = only(why(app, wanted=desired(obj("ConfigMap", "settings", namespace=""))))
    assert (finding.code, "deploy/web.yaml:1" in finding.message) == ("APP-007", True)


def test_an_object_that_cannot_be_compared_is_named_and_is_not_taken_for_an_invalid_app() -> None:
    odd = config_map(labels=["not", "a", "mapping"])
    finding = only(why(wanted=desired(odd)))
    assert (finding.code, finding.message.startswith("deploy/web.yaml:1: metadata.labels")) == ("DIF-101", True)


def test_an_object_missing_from_the_cluster_names_its_file_and_line() -> None:
    finding = only(why(wanted=desired(config_map())))
    assert finding.code == "LIV-102"
    assert finding.message == "ConfigMap/settings is in Git (deploy/web.yaml:1) but not in the cluster"


def test_a_field_changed_by_hand_names_writer_values_and_line() -> None:
    wanted = config_map(data={"colour": "blue"})
    live = live_config()
    changed = edited(live, {**live, "data": {"colour": "red"}})
    placed_object = DesiredObject(wanted, placed({"data.colour": 7}))
    finding = only(why(wanted=desired(placed_object), live=[changed]))
    assert finding.message == "ConfigMap/settings: 1 field changed in the cluster by kubectl-edit"
    evidence = finding.evidence[0]
    assert evidence.text == "data.colour: Git blue, live red (changed live by kubectl-edit at 2026-03-01T09:00:00Z)"
    assert evidence.place == Place("deploy/web.yaml", 7)


def test_an_extra_object_is_said_and_why_it_stays() -> None:
    app = application_object(syncPolicy={"automated": {}})
    explanation = why(
        app, wanted=desired(config_map()), live=[live_config(), with_uid(tracked(config_map("old")), "2")]
    )
    codes = {finding.code for finding in explanation.findings}
    assert codes == {"LIV-103", "LIV-105"}


def pod(status: dict[str, Any], owner: str = "") -> dict[str, Any]:
    spec = {"containers": [{"name": "web", "image": "shop/web:nope"}]}
    return with_uid(obj("Pod", "web-1", spec=spec, status=status), "pod", owner)


def deployed(status: dict[str, Any]) -> Explanation:
    wanted = deployment(image="shop/web:nope")
    live = with_uid(as_applied(tracked(wanted)), "deployment")
    live["metadata"]["generation"] = 1
    live["status"] = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1}
    replica_set = with_uid(obj("ReplicaSet", "web-1", api="apps/v1"), "set", "deployment")
    place = placed({"spec.template.spec.containers[0].image": 19})
    return why(wanted=desired(DesiredObject(wanted, place)), live=[live, replica_set, pod(status, "set")])


def waiting(reason: str, message: str) -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": message}}
    return {"phase": "Pending", "containerStatuses": [{"name": "web", "state": state}]}


def test_an_image_that_cannot_be_pulled_is_traced_to_its_line_in_git() -> None:
    finding = only(deployed(waiting("ImagePullBackOff", "not found")))
    assert (finding.code, finding.subject) == ("WKL-002", "Deployment/web")
    assert (
        "image shop/web:nope of container web cannot be pulled: tag nope is not in docker.io/shop/web"
        in finding.message
    )
    assert finding.evidence[0].place == Place("deploy/web.yaml", 19)


def test_an_init_container_in_trouble_is_found_too() -> None:
    state = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}
    finding = only(deployed({"phase": "Pending", "initContainerStatuses": [{"name": "prepare", "state": state}]}))
    assert finding.code == "WKL-008"
    assert "container prepare does not run: CrashLoopBackOff" in finding.message


@pytest.mark.parametrize(
    ("state", "command"),
    [
        ({"state": {"waiting": {"reason": "CrashLoopBackOff"}}}, ""),
        (
            {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"exitCode": 1}}},
            " --previous",
        ),
        ({"state": {"terminated": {"exitCode": 3, "reason": "Error"}}}, "now"),
    ],
    ids=["never ran", "waits", "ended"],
)
def test_the_command_for_a_log_asks_for_the_container_that_printed_it(state: dict[str, Any], command: str) -> None:
    finding = only(deployed({"phase": "Pending", "containerStatuses": [{"name": "web", **state}]}))
    asked = [one.text for one in finding.evidence if one.kind is EvidenceKind.COMMAND]
    wanted = f"kubectl logs -n shop web-1 -c web{command.removeprefix('now')}"
    assert asked == ([wanted] if command else [])


def test_a_pod_no_node_takes_is_said_with_the_schedulers_words() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes fit"}
    finding = only(deployed({"phase": "Pending", "conditions": [condition]}))
    assert (finding.code, "0/3 nodes fit" in finding.message) == ("WKL-001", True)


def test_a_container_that_is_just_being_created_is_no_cause_and_the_object_speaks_for_itself() -> None:
    finding = only(deployed(waiting("ContainerCreating", "")))
    assert (finding.code, finding.severity) == ("LIV-106", Severity.INFO)
    assert finding.message.startswith("Deployment/web is Progressing: Waiting for rollout to finish: 0 of 1")


def test_a_failed_sync_names_every_object_with_the_servers_words() -> None:
    result = {
        "revision": SHA,
        "resources": [
            {
                "group": "",
                "version": "v1",
                "kind": "ConfigMap",
                "namespace": "shop",
                "name": "settings",
                "status": "SyncFailed",
                "message": "admission webhook says no",
                "hookPhase": "Failed",
                "syncPhase": "Sync",
            }
        ],
    }
    state = {
        "operation": {"sync": {}},
        "phase": "Failed",
        "startedAt": "2026-03-01T08:00:00Z",
        "finishedAt": "2026-03-01T08:01:00Z",
        "message": "failed",
        "syncResult": result,
    }
    explanation = why(
        application_object(status={"operationState": state}), wanted=desired(config_map()), live=[live_config()]
    )
    finding = explanation.findings[0]
    assert finding.code == "LIV-109"
    assert finding.message == "ConfigMap/settings could not be synced: admission webhook says no"
    assert finding.since == "2026-03-01T08:01:00Z"


@pytest.mark.parametrize("ready", ["False", "True"])
def test_what_was_applied_and_is_degraded_was_not_refused(ready: str) -> None:
    said = "could not get secret data from provider"
    secret = obj("ExternalSecret", "login", api="external-secrets.io/v1", spec={"target": {"name": "login"}})
    conditions = [{"type": "Ready", "status": ready, "reason": "SecretSyncedError", "message": said}]
    live = {**with_uid(as_applied(tracked(secret)), "1"), "status": {"conditions": conditions}}
    row = {"group": "external-secrets.io", "version": "v1", "kind": "ExternalSecret", "namespace": "shop"}
    row |= {"name": "login", "status": "Synced", "message": said, "hookPhase": "Failed", "syncPhase": "Sync"}
    state = {
        "operation": {"sync": {}},
        "phase": "Failed",
        "startedAt": "2026-03-01T08:00:00Z",
        "finishedAt": "2026-03-01T08:01:00Z",
        "message": "one or more synchronization tasks completed unsuccessfully",
        "syncResult": {"revision": SHA, "resources": [row]},
    }
    explanation = why(application_object(status={"operationState": state}), wanted=desired(secret), live=[live])
    [failed] = [one for one in explanation.findings if one.code == "LIV-109"]
    assert "could not be synced" not in failed.message
    assert failed.effect_of == ("ExternalSecret/login" if ready == "False" else "")
    if ready == "True":
        assert failed.fix is not None
        assert failed.fix.command == "syncline app sync shop"


def test_causes_come_before_effects_and_errors_before_remarks() -> None:
    paused = {"annotations": {"argocd.argoproj.io/skip-reconcile": "true"}}
    state = {
        "operation": {"sync": {}},
        "phase": "Error",
        "startedAt": "2026-03-01T08:00:00Z",
        "finishedAt": "2026-03-01T08:01:00Z",
        "message": "the webhook says no",
        "syncResult": {"revision": SHA},
    }
    explanation = why(
        application_object(metadata=paused, status={"operationState": state}), wanted=desired(config_map())
    )
    assert [finding.severity for finding in explanation.findings] == [Severity.ERROR, Severity.INFO, Severity.WARNING]
    assert [bool(finding.effect_of) for finding in explanation.findings] == [False, False, True]


def test_an_ignore_rule_that_does_nothing_is_a_remark_and_nothing_bad() -> None:
    rule = {"group": "", "kind": "Secret", "jsonPointers": ["/data"]}
    app = application_object(ignoreDifferences=[rule])
    explanation = why(app, wanted=desired(config_map()), live=[live_config()])
    finding = only(explanation)
    assert (finding.code, finding.severity) == ("DIF-005", Severity.INFO)
    assert explanation.good


def accepted(expires: str) -> Explanation:
    entry = [
        {"kind": "ConfigMap", "jsonPointers": ["/data/colour"], "reason": "the operator sets it", "expires": expires}
    ]
    app = application_object(metadata={"annotations": {"syncline.io/accepted-drift": json.dumps(entry)}})
    return why(app, wanted=desired(config_map()), live=[live_config(colour="red")])


def test_drift_that_was_accepted_is_a_remark_with_its_reason() -> None:
    explanation = accepted("2099-01-01")
    finding = only(explanation)
    assert (finding.code, finding.severity) == ("LIV-107", Severity.INFO)
    assert finding.evidence[0].text == "data.colour: the operator sets it until 2099-01-01"
    assert explanation.good


def test_drift_counts_again_when_its_acceptance_has_ended() -> None:
    explanation = accepted("2001-01-01")
    assert [(one.code, one.severity) for one in explanation.findings] == [
        ("LIV-104", Severity.WARNING),
        ("LIV-107", Severity.WARNING),
    ]
    assert not explanation.good


def test_a_revision_that_failed_is_told_apart_from_other_reasons_not_to_sync() -> None:
    assessment = assessed(wanted=desired(config_map()), live=[live_config()])
    decisions = [Decision(kind=DecisionKind.REST, reason=reason) for reason in (Reason.FAILED_BEFORE, Reason.PAUSED)]
    found = [only(explain(assessment, decision)) for decision in decisions]
    assert [(one.code, one.severity) for one in found] == [("LIV-005", Severity.WARNING), ("LIV-105", Severity.INFO)]


def test_a_wait_without_progress_is_a_warning_and_any_other_a_remark() -> None:
    waits = tuple(
        Wait(
            key=key("Deployment", name, group="apps"),
            reason=Reason.WAITING_FOR_HEALTH,
            since=SINCE,
            stuck=name == "web",
        )
        for name in ("web", "api")
    )
    step = Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_HEALTH, waits=waits)
    decision = Decision(kind=DecisionKind.PROCEED, reason=Reason.OPERATION_RUNNING, step=step)
    explanation = explain(assessed(wanted=desired(config_map()), live=[live_config()]), decision)
    assert [(one.code, one.subject, one.since) for one in explanation.findings] == [
        ("LIV-003", "Deployment/web", SINCE),
        ("LIV-110", "Deployment/api", ""),
    ]


@pytest.mark.parametrize(
    ("message", "command"),
    [
        (
            "deploy: app path does not exist (nearest existing path: apps/deploy)",
            "syncline app set shop --path apps/deploy",
        ),
        ("other: app path does not exist (nearest existing path: apps/other)", ""),
        (
            "unable to resolve 'mian' to a commit SHA (branches of x: main; did you mean main?)",
            "syncline app set shop --revision main",
        ),
        ("unable to resolve 'mian' to a commit SHA (branches of x: next)", ""),
    ],
    ids=["path", "path of something else", "branch", "nothing near"],
)
def test_a_wrong_path_or_branch_is_corrected_by_a_command_where_the_right_one_is_near(
    message: str, command: str
) -> None:
    source = {"repoURL": "https://git.example/repo.git", "path": "deploy", "targetRevision": "mian"}
    finding = only(why(application_object(source=source), troubles=(Trouble(Reason.SOURCE_FAILED, message),)))
    assert finding.fix is not None
    assert finding.fix.command == command


@pytest.mark.parametrize(
    ("destination", "permitted"),
    [
        ({"server": "https://kubernetes.default.svc", "namespace": "shop"}, "https://kubernetes.default.svc,shop"),
        ({"name": "in-cluster", "namespace": "shop"}, "'*,shop'"),
    ],
)
def test_a_project_that_does_not_exist_is_created_with_what_the_app_needs(
    destination: dict[str, str], permitted: str
) -> None:
    source = {"repoURL": "https://me:planted@git.example/repo.git", "path": "deploy"}
    app = application_object(source=source, destination=destination)
    said = "Application referencing project nosuch which does not exist"
    finding = only(why(app, troubles=(Trouble(Reason.SPEC_INVALID, said),)))
    assert finding.fix is not None
    assert f"(syncline proj create nosuch -s https://git.example/repo.git -d {permitted})" in finding.fix.text
