"""Workloads that do not get there, in virtual time: stuck revisions, deadlines, back-off, refused pods, policies."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import Container, Images, SandboxSettings
from tests.unit.sandbox.driving import DEPLOYMENTS, PODS, STRATEGIC, Kube, play, pod_spec, workload

STATEFUL_SETS = "/apis/apps/v1/namespaces/default/statefulsets"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs"


async def set_image(kube: Kube, path: str, image: str) -> None:
    spec = {"template": {"spec": {"containers": [{"name": "app", "image": image}]}}}
    await kube.call("PATCH", path, {"spec": spec}, content_type=STRATEGIC)


def condition(obj: Any, kind: str) -> tuple[str, str, str]:
    found = next(one for one in obj["status"]["conditions"] if one["type"] == kind)
    return found["status"], found["reason"], found["message"]


def test_a_stateful_set_never_replaces_a_broken_pod_by_itself() -> None:
    async def story(kube: Kube) -> Any:
        path = f"{STATEFUL_SETS}/vault"
        await kube.create(STATEFUL_SETS, workload("StatefulSet", "vault", image="example/vault:broken"))
        await kube.clock.sleep(5)
        await set_image(kube, path, "example/vault:fixed")
        await kube.clock.sleep(600)
        stuck = await kube.get(path)
        image = (await kube.get(f"{PODS}/vault-0"))["spec"]["containers"][0]["image"]
        await kube.delete(f"{PODS}/vault-0")
        healed = await kube.until(path, lambda obj: obj["status"].get("readyReplicas") == 1)
        return stuck["status"], image, healed["status"]

    stuck, image, healed = play(story, SandboxSettings(images=Images(unknown=("*:broken",))))
    assert image == "example/vault:broken"
    assert stuck["currentRevision"] != stuck["updateRevision"]
    assert (stuck.get("readyReplicas", 0), stuck.get("updatedReplicas", 0)) == (0, 0)
    assert healed["currentRevision"] == healed["updateRevision"] == stuck["updateRevision"]


def test_a_stateful_set_with_on_delete_waits_for_somebody_to_delete_its_pods() -> None:
    async def story(kube: Kube) -> Any:
        path = f"{STATEFUL_SETS}/db"
        await kube.create(STATEFUL_SETS, workload("StatefulSet", "db", updateStrategy={"type": "OnDelete"}))
        await kube.until(path, lambda obj: obj["status"].get("readyReplicas") == 1)
        await set_image(kube, path, "example/app:2")
        await kube.clock.sleep(60)
        before = (await kube.get(f"{PODS}/db-0"))["spec"]["containers"][0]["image"]
        status = (await kube.get(path))["status"]
        await kube.delete(f"{PODS}/db-0")
        await kube.until(path, lambda obj: obj["status"].get("updatedReplicas") == 1)
        return before, status["currentRevision"] != status["updateRevision"]

    assert play(story) == ("example/app:1", True)


def test_a_rollout_that_stands_still_exceeds_its_deadline() -> None:
    async def story(kube: Kube) -> Any:
        body = workload("Deployment", "web", image="example/app:none", progressDeadlineSeconds=60)
        await kube.create(DEPLOYMENTS, body)
        await kube.clock.sleep(50)
        early = await kube.get(f"{DEPLOYMENTS}/web")
        await kube.clock.sleep(20)
        sets = await kube.names("/apis/apps/v1/namespaces/default/replicasets")
        return condition(early, "Progressing")[0], condition(await kube.get(f"{DEPLOYMENTS}/web"), "Progressing"), sets

    early, late, (name,) = play(story, SandboxSettings(images=Images(unknown=("*:none",))))
    assert early == "True"
    assert late == ("False", "ProgressDeadlineExceeded", f'ReplicaSet "{name}" has timed out progressing.')


def test_a_missing_service_account_keeps_all_pods_away_until_it_comes() -> None:
    async def story(kube: Kube) -> Any:
        body = workload("Deployment", "web")
        body["spec"]["template"]["spec"]["serviceAccountName"] = "builder"
        await kube.create(DEPLOYMENTS, body)
        await kube.clock.sleep(10)
        events = await kube.events("ReplicaSet")
        failure = condition(await kube.get(f"{DEPLOYMENTS}/web"), "ReplicaFailure")
        await kube.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "builder"}})
        await kube.until(f"{DEPLOYMENTS}/web", lambda obj: obj["status"].get("readyReplicas") == 1)
        return events, failure

    events, failure = play(story)
    problem = 'error looking up service account default/builder: serviceaccount "builder" not found'
    assert events[0][0] == "FailedCreate"
    assert events[0][1].startswith("Error creating: pods ")
    assert events[0][1].endswith(f"is forbidden: {problem}")
    assert failure[:2] == ("True", "FailedCreate")
    assert failure[2].endswith(problem)


def job(**spec: Any) -> Any:
    template = {"spec": pod_spec("example/task:1", restartPolicy="Never")}
    return {"metadata": {"name": "task"}, "spec": {"template": template, **spec}}


FAILING = SandboxSettings(containers=(Container(image="*", exit_code=42, run_seconds=1),))


@pytest.mark.parametrize(
    ("spec", "seconds", "reason", "message"),
    [
        (
            {"backoffLimit": 2},
            100,
            "BackoffLimitExceeded",
            "Job has reached the specified backoff limit",
        ),
        (
            {"activeDeadlineSeconds": 20},
            30,
            "DeadlineExceeded",
            "Job was active longer than specified deadline",
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [41, 42]}}]
                }
            },
            10,
            "PodFailurePolicy",
            "Container app for pod default/{pod} failed with exit code 42 matching FailJob rule at index 0",
        ),
    ],
)
def test_a_job_that_fails_says_why(spec: Any, seconds: float, reason: str, message: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(JOBS, job(**spec))
        await kube.clock.sleep(2)
        first = (await kube.names(PODS))[0]
        await kube.clock.sleep(seconds)
        return first, condition(await kube.get(f"{JOBS}/task"), "Failed"), (await kube.events("Job"))[-1]

    first, failed, event = play(story, FAILING)
    told = message.format(pod=first)
    assert failed == ("True", reason, told)
    assert event == (reason, told)


def test_ignored_failures_do_not_use_up_the_back_off_limit() -> None:
    async def story(kube: Kube) -> Any:
        rules = [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]
        await kube.create(JOBS, job(backoffLimit=0, podFailurePolicy={"rules": rules}))
        await kube.clock.sleep(30)
        status = (await kube.get(f"{JOBS}/task"))["status"]
        return status.get("failed"), status.get("conditions"), len(await kube.names(PODS)) > 1

    assert play(story, FAILING) == (None, None, True)


def test_a_finished_job_goes_when_its_time_is_over() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(JOBS, job(ttlSecondsAfterFinished=30))
        await kube.until(f"{JOBS}/task", lambda obj: obj["status"].get("succeeded") == 1)
        await kube.clock.sleep(20)
        before = await kube.names(JOBS)
        await kube.clock.sleep(15)
        return before, await kube.names(JOBS)

    assert play(story) == (["task"], [])


def test_an_indexed_job_numbers_its_pods() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(JOBS, job(completions=3, parallelism=2, completionMode="Indexed"))
        done = await kube.until(f"{JOBS}/task", lambda obj: obj["status"].get("succeeded") == 3)
        pods = (await kube.get(PODS))["items"]
        mark = "batch.kubernetes.io/job-completion-index"
        return done["status"].get("completedIndexes"), sorted(one["metadata"]["annotations"][mark] for one in pods)

    assert play(story)[1] == ["0", "1", "2"]


def test_a_suspended_job_says_so_and_starts_when_resumed() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(JOBS, job(suspend=True))
        await kube.clock.sleep(5)
        before = condition(await kube.get(f"{JOBS}/task"), "Suspended"), await kube.names(PODS)
        await kube.merge(f"{JOBS}/task", {"spec": {"suspend": False}})
        done = await kube.until(f"{JOBS}/task", lambda obj: obj["status"].get("succeeded") == 1)
        return before, condition(done, "Suspended"), [reason for reason, _ in await kube.events("Job")]

    before, after, reasons = play(story)
    assert before == (("True", "JobSuspended", "Job suspended"), [])
    assert after == ("False", "JobResumed", "Job resumed")
    assert reasons[0] == "Suspended"
    assert "Resumed" in reasons


def test_a_cron_job_does_not_overlap_itself_when_forbidden() -> None:
    async def story(kube: Kube) -> Any:
        template = {"spec": {"template": {"spec": pod_spec("example/slow:1", restartPolicy="Never")}}}
        spec = {"schedule": "* * * * *", "concurrencyPolicy": "Forbid", "jobTemplate": template}
        await kube.create(CRON_JOBS, {"metadata": {"name": "tick"}, "spec": spec})
        await kube.clock.sleep(170)
        return len(await kube.names(JOBS)), [reason for reason, _ in await kube.events("CronJob")]

    slow = Container(image="example/slow:*", exit_code=0, run_seconds=600)
    jobs, reasons = play(story, SandboxSettings(containers=(slow,)))
    assert jobs == 1
    assert reasons == ["SuccessfulCreate", "JobAlreadyActive"]
