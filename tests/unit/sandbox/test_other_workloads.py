"""StatefulSets, DaemonSets, Jobs, Services and volumes."""

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import Container, NodeSpec, SandboxSettings
from tests.unit.sandbox.driving import PODS, STRATEGIC, Kube, play, pod_spec, workload
from tests.unit.sandbox.test_custom_kinds import table

STATEFUL_SETS = "/apis/apps/v1/namespaces/default/statefulsets"
DAEMON_SETS = "/apis/apps/v1/namespaces/default/daemonsets"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
SERVICES = "/api/v1/namespaces/default/services"
CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
TWO_NODES = SandboxSettings(nodes=(NodeSpec(name="a"), NodeSpec(name="b")))


def job(image: str = "example/task:1", **spec: Any) -> Any:
    template = {"spec": pod_spec(image, restartPolicy="Never")}
    return {"metadata": {"name": "task"}, "spec": {"template": template, **spec}}


def claim(**spec: Any) -> Any:
    storage = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": "data"}, "spec": {**storage, **spec}}


def test_a_stateful_set_starts_its_pods_in_order_with_their_claims() -> None:
    async def story(kube: Kube) -> Any:
        body = workload("StatefulSet", "db", replicas=3, serviceName="db")
        body["spec"]["volumeClaimTemplates"] = [claim()]
        body["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        await kube.create(STATEFUL_SETS, body)
        unready_before_next = True
        for _ in range(60):
            pods = (await kube.get(PODS))["items"]
            started = [pod["metadata"]["name"] for pod in pods]
            unready_before_next = unready_before_next and started == [f"db-{n}" for n in range(len(started))]
            await kube.clock.sleep(0.1)
        done = await kube.get(f"{STATEFUL_SETS}/db")
        return unready_before_next, done["status"], await kube.names(CLAIMS), (await table(kube, CLAIMS))[1]

    in_order, status, claims, rows = play(story)
    assert in_order
    assert (status["readyReplicas"], status["currentRevision"]) == (3, status["updateRevision"])
    assert claims == ["data-db-0", "data-db-1", "data-db-2"]
    assert {row[1] for row in rows} == {"Bound"}


def test_a_stateful_set_rolls_from_the_last_pod_and_stops_at_its_partition() -> None:
    async def story(kube: Kube) -> Any:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
        await kube.create(STATEFUL_SETS, workload("StatefulSet", "db", replicas=3, updateStrategy=strategy))
        await kube.until(f"{STATEFUL_SETS}/db", lambda obj: obj["status"].get("readyReplicas") == 3)
        spec = {"template": {"spec": {"containers": [{"name": "app", "image": "example/app:2"}]}}}
        await kube.call("PATCH", f"{STATEFUL_SETS}/db", {"spec": spec}, content_type=STRATEGIC)
        await kube.clock.sleep(20)
        return [pod["spec"]["containers"][0]["image"] for pod in (await kube.get(PODS))["items"]]

    assert play(story) == ["example/app:1", "example/app:2", "example/app:2"]


def test_a_daemon_set_has_one_pod_per_node_and_follows_new_nodes() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DAEMON_SETS, workload("DaemonSet", "agent"))
        await kube.until(f"{DAEMON_SETS}/agent", lambda obj: obj["status"].get("numberReady") == 2)
        await kube.create("/api/v1/nodes", {"metadata": {"name": "c"}})
        status = {"status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}}
        await kube.merge("/api/v1/nodes/c/status", status)
        done = await kube.until(f"{DAEMON_SETS}/agent", lambda obj: obj["status"].get("numberReady") == 3)
        pods = (await kube.get(PODS))["items"]
        return done["status"]["desiredNumberScheduled"], sorted(pod["spec"]["nodeName"] for pod in pods)

    assert play(story, TWO_NODES) == (3, ["a", "b", "c"])


def test_a_daemon_set_runs_on_cordoned_nodes_too() -> None:
    async def story(kube: Kube) -> Any:
        await kube.merge("/api/v1/nodes/b", {"spec": {"unschedulable": True}})
        await kube.create(DAEMON_SETS, workload("DaemonSet", "agent"))
        await kube.until(f"{DAEMON_SETS}/agent", lambda obj: obj["status"].get("numberReady") == 2)
        return sorted(pod["spec"]["nodeName"] for pod in (await kube.get(PODS))["items"])

    assert play(story, TWO_NODES) == ["a", "b"]


def test_a_taint_keeps_new_daemon_pods_away_and_leaves_those_that_run() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DAEMON_SETS, workload("DaemonSet", "agent"))
        await kube.until(f"{DAEMON_SETS}/agent", lambda obj: obj["status"].get("numberReady") == 2)
        found = []
        for effect in ("NoSchedule", "NoExecute"):
            taints = [{"key": "a", "value": "b", "effect": effect}]
            await kube.merge("/api/v1/nodes/b", {"spec": {"taints": taints}})
            await kube.clock.sleep(40)
            status = (await kube.get(f"{DAEMON_SETS}/agent"))["status"]
            found.append((status["desiredNumberScheduled"], status["numberMisscheduled"], status["numberReady"]))
        return found

    assert play(story, TWO_NODES) == [(1, 1, 2), (1, 0, 1)]


@pytest.mark.parametrize(
    ("path", "kind", "limit", "numbers"),
    [
        (STATEFUL_SETS, "StatefulSet", 10, [2, 3]),
        (DAEMON_SETS, "DaemonSet", 10, [2, 3]),
        (DAEMON_SETS, "DaemonSet", 0, [3]),
    ],
)
def test_going_back_to_an_older_template_makes_its_revision_the_newest(
    path: str, kind: str, limit: int, numbers: list[int]
) -> None:
    async def story(kube: Kube) -> Any:
        body = workload(kind, "kept")
        body["spec"]["revisionHistoryLimit"] = limit
        await kube.create(path, body)
        for image in ("example/app:1", "example/app:2", "example/app:1"):
            spec = {"spec": {"template": {"spec": pod_spec(image)}}}
            await kube.merge(f"{path}/kept", spec)
            await kube.clock.sleep(60)
        kept = (await kube.get("/apis/apps/v1/namespaces/default/controllerrevisions"))["items"]
        return sorted((one["revision"], one["data"]["spec"]["template"]["$patch"]) for one in kept)

    assert play(story) == [(number, "replace") for number in numbers]


def test_a_job_completes() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(JOBS, job(completions=2))
        done = await kube.until(f"{JOBS}/task", lambda obj: "completionTime" in obj["status"])
        return done["status"], [reason for reason, _ in await kube.events("Job")], (await table(kube, JOBS))[1]

    status, reasons, rows = play(story)
    assert status["succeeded"] == 2
    assert [one["type"] for one in status["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    assert reasons == ["SuccessfulCreate", "SuccessfulCreate", "Completed"]
    assert rows[0][:3] == ["task", "Complete", "2/2"]


@pytest.mark.parametrize(
    ("spec", "settings", "reason", "message"),
    [
        (
            {"backoffLimit": 1},
            SandboxSettings(containers=(Container(image="example/task:*", exit_code=1),)),
            "BackoffLimitExceeded",
            "Job has reached the specified backoff limit",
        ),
        (
            {"activeDeadlineSeconds": 5},
            SandboxSettings(containers=(Container(image="example/task:*", exit_code=0, run_seconds=60),)),
            "DeadlineExceeded",
            "Job was active longer than specified deadline",
        ),
    ],
)
def test_a_job_fails(spec: Any, settings: SandboxSettings, reason: str, message: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(JOBS, job(**spec))
        await kube.clock.sleep(60)
        return (await kube.get(f"{JOBS}/task"))["status"]["conditions"], (await table(kube, JOBS))[1]

    (target, failed), rows = play(story, settings)
    assert rows[0][:3] == ["task", "Failed", "0/1"]
    assert (target["type"], failed["type"]) == ("FailureTarget", "Failed")
    assert (failed["reason"], failed["message"]) == (reason, message)


def test_restarts_of_init_containers_are_counted_while_they_are_at_work() -> None:
    async def story(kube: Kube) -> Any:
        first = [{"name": "first", "image": "example/task:1"}]
        await kube.create(PODS, {"metadata": {"name": "stuck"}, "spec": pod_spec(initContainers=first)})
        await kube.clock.sleep(20)
        found = (await kube.get(f"{PODS}/stuck"))["status"]["initContainerStatuses"][0]["restartCount"]
        return found, (await table(kube, PODS))[1][0]

    settings = SandboxSettings(containers=(Container(image="example/task:*", exit_code=1),))
    count, row = play(story, settings)
    assert row[:3] == ["stuck", "0/1", "Init:CrashLoopBackOff"]
    assert count > 0
    assert row[3].startswith(f"{count} (")


def test_a_finished_job_with_a_time_to_live_goes_with_its_pods() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(JOBS, job(ttlSecondsAfterFinished=10))
        await kube.clock.sleep(5)
        early = await kube.names(JOBS)
        await kube.clock.sleep(15)
        return early, await kube.names(JOBS), await kube.names(PODS)

    assert play(story) == (["task"], [], [])


def test_a_service_lists_its_ready_pods() -> None:
    async def story(kube: Kube) -> Any:
        body = {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
        created = await kube.create(SERVICES, body)
        await kube.create("/apis/apps/v1/namespaces/default/deployments", workload(replicas=2))
        await kube.clock.sleep(5)
        (found,) = (await kube.get(SLICES))["items"]
        pods = (await kube.get(PODS))["items"]
        return created, found, sorted(pod["status"]["podIP"] for pod in pods)

    created, found, addresses = play(story)
    assert created["spec"]["clusterIP"].startswith("10.96.")
    assert sorted(one["addresses"][0] for one in found["endpoints"]) == addresses
    assert all(one["conditions"]["ready"] for one in found["endpoints"])
    assert found["metadata"]["labels"]["kubernetes.io/service-name"] == "web"


def test_a_port_by_a_name_that_no_pod_has_leads_nowhere() -> None:
    async def story(kube: Kube) -> Any:
        ports = [{"name": "a", "port": 80, "targetPort": 8080}, {"name": "b", "port": 90, "targetPort": "htpp"}]
        await kube.create(SERVICES, {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": ports}})
        await kube.create("/apis/apps/v1/namespaces/default/deployments", workload(replicas=1))
        await kube.clock.sleep(5)
        (found,) = (await kube.get(SLICES))["items"]
        return found

    # EndpointSlices of a real cluster leave out a port that is not found in the pods.
    assert [(one["name"], one["port"]) for one in play(story)["ports"]] == [("a", 8080)]


def test_a_load_balancer_gets_an_address() -> None:
    async def story(kube: Kube) -> Any:
        body = {"metadata": {"name": "lb"}, "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}}
        await kube.create(SERVICES, body)
        await kube.clock.sleep(1)
        return await kube.get(f"{SERVICES}/lb")

    service = play(story)
    assert service["status"]["loadBalancer"]["ingress"][0]["ip"].startswith("203.0.")
    assert service["spec"]["ports"][0]["nodePort"] >= 30000


def test_a_claim_waits_for_its_first_consumer() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CLAIMS, claim())
        await kube.clock.sleep(5)
        early = await kube.get(f"{CLAIMS}/data")
        told = await kube.events("PersistentVolumeClaim")
        volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
        await kube.create(PODS, {"metadata": {"name": "user"}, "spec": pod_spec(volumes=[volume])})
        await kube.until(f"{CLAIMS}/data", lambda obj: obj["status"]["phase"] == "Bound")
        await kube.delete(f"{CLAIMS}/data")
        await kube.clock.sleep(5)
        held = await kube.names(CLAIMS)
        await kube.delete(f"{PODS}/user")
        await kube.clock.sleep(5)
        return (
            early["status"]["phase"],
            told,
            held,
            await kube.names(CLAIMS),
            await kube.names("/api/v1/persistentvolumes"),
        )

    phase, told, held, left, volumes = play(story)
    assert phase == "Pending"
    assert told == [("WaitForFirstConsumer", "waiting for first consumer to be created before binding")]
    assert (held, left, volumes) == (["data"], [], [])


def test_a_claim_of_an_unknown_class_says_so() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CLAIMS, claim(storageClassName="fast"))
        await kube.clock.sleep(1)
        return await kube.events("PersistentVolumeClaim")

    assert play(story) == [("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found')]
