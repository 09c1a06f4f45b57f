"""Pods: scheduling, pulling, configuring, crashing, stopping."""

import asyncio
from typing import Any

import pytest

from syncline.sandbox.cluster.settings import Container, Images, NodeSpec, SandboxSettings
from tests.unit.sandbox.driving import CONFIG_MAPS, PODS, Kube, config_map, play, pod_spec
from tests.unit.sandbox.test_custom_kinds import table

POD = f"{PODS}/one"


def pod(spec: Any) -> Any:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": spec}


def waiting(obj: Any) -> Any:
    return obj["status"]["containerStatuses"][0]["state"].get("waiting")


def running(obj: Any) -> bool:
    return bool(obj["status"].get("phase") == "Running")


def test_a_pod_runs_and_tells_how_it_got_there() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec()))
        done = await kube.until(POD, running)
        return done, await kube.events("Pod"), await table(kube, PODS)

    done, events, (_, rows) = play(story)
    assert {one["type"]: one["status"] for one in done["status"]["conditions"]} == {
        "PodReadyToStartContainers": "True",
        "Initialized": "True",
        "Ready": "True",
        "ContainersReady": "True",
        "PodScheduled": "True",
    }
    assert events == [
        ("Scheduled", "Successfully assigned default/one to sandbox-node"),
        ("Pulling", 'Pulling image "example/app:1"'),
        (
            "Pulled",
            'Successfully pulled image "example/app:1" in 400ms (400ms including waiting). Image size: 52428800 bytes.',
        ),
        ("Created", "Created container: app"),
        ("Started", "Started container app (simulated, it runs until it is stopped)"),
    ]
    assert rows[0][:4] == ["one", "1/1", "Running", "0"]


def test_an_image_that_is_not_there_backs_off() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec("example/app:none")))
        first = await kube.until(
            POD, lambda obj: bool(obj["status"].get("containerStatuses") and "message" in waiting(obj))
        )
        second = await kube.until(POD, lambda obj: waiting(obj)["reason"] == "ImagePullBackOff")
        return waiting(first), waiting(second), await kube.events("Pod"), (await table(kube, PODS))[1]

    first, second, events, rows = play(story, SandboxSettings(images=Images(unknown=("example/app:none",))))
    assert first["reason"] == "ErrImagePull"
    assert second["message"].startswith('Back-off pulling image "example/app:none"')
    reasons = [reason for reason, _ in events]
    assert reasons == ["Scheduled", "Pulling", "Failed", "Failed", "BackOff", "Failed"]
    assert ("Failed", "Error: ErrImagePull") in events
    assert ("Failed", "Error: ImagePullBackOff") in events
    assert rows[0][:3] == ["one", "0/1", "ImagePullBackOff"]


def test_a_pull_that_is_tried_again_shows_what_was_said_last_meanwhile() -> None:
    async def story(kube: Kube) -> set[str]:
        await kube.create(PODS, pod(pod_spec("example/app:none")))
        await kube.until(POD, lambda obj: bool(obj["status"].get("containerStatuses") and "message" in waiting(obj)))
        seen = set()
        for _ in range(400):
            await asyncio.sleep(0.1)
            seen.add(str(waiting(await kube.get(POD))["reason"]))
        pulls = [text for reason, text in await kube.events("Pod") if reason == "Pulling"]
        assert pulls, "it was tried again"
        return seen

    seen = play(story, SandboxSettings(images=Images(unknown=("example/app:none",))))
    assert seen == {"ErrImagePull", "ImagePullBackOff"}


@pytest.mark.parametrize(
    ("container", "problem"),
    [
        ({"envFrom": [{"configMapRef": {"name": "late"}}]}, 'configmap "late" not found'),
        (
            {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "late", "key": "a"}}}]},
            'configmap "late" not found',
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "half", "key": "a"}}}]},
            "couldn't find key a in ConfigMap default/half",
        ),
        ({"envFrom": [{"secretRef": {"name": "late"}}]}, 'secret "late" not found'),
    ],
)
def test_missing_configuration_is_told_and_heals(container: Any, problem: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CONFIG_MAPS, config_map("half", data={"b": "1"}))
        await kube.create(PODS, pod(pod_spec(container=container)))
        await kube.clock.sleep(5)
        stuck = waiting(await kube.get(POD))
        events = await kube.events("Pod")
        await kube.create(CONFIG_MAPS, config_map("late", data={"a": "1"}))
        await kube.merge(f"{CONFIG_MAPS}/half", {"data": {"a": "1"}})
        await kube.create("/api/v1/namespaces/default/secrets", {"metadata": {"name": "late"}})
        await kube.until(POD, running)
        return stuck, events

    stuck, events = play(story)
    assert stuck == {"reason": "CreateContainerConfigError", "message": problem}
    assert ("Failed", f"Error: {problem}") in events


def test_a_missing_volume_source_keeps_a_pod_creating() -> None:
    async def story(kube: Kube) -> Any:
        volume = {"name": "conf", "configMap": {"name": "late"}}
        await kube.create(PODS, pod(pod_spec(volumes=[volume])))
        await kube.clock.sleep(5)
        stuck = waiting(await kube.get(POD))
        events = await kube.events("Pod")
        await kube.create(CONFIG_MAPS, config_map("late"))
        await kube.until(POD, running)
        return stuck, events[-1]

    stuck, event = play(story)
    assert stuck == {"reason": "ContainerCreating"}
    assert event == ("FailedMount", 'MountVolume.SetUp failed for volume "conf" : configmap "late" not found')


def test_a_crash_loop_waits_longer_each_time() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec("example/crash:1")))
        await kube.clock.sleep(60)
        return await kube.get(POD), (await table(kube, PODS))[1]

    crash = Container(image="example/crash:*", exit_code=3, run_seconds=1)
    obj, rows = play(story, SandboxSettings(containers=(crash,)))
    status = obj["status"]["containerStatuses"][0]
    # Starts near 1 s, again at once, then after pauses of 10, 20 and 40 s: three restarts within a minute.
    assert status["restartCount"] == 3
    assert status["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert status["state"]["waiting"]["message"].startswith(
        "back-off 40s restarting failed container=app pod=one_default("
    )
    assert status["lastState"]["terminated"]["exitCode"] == 3
    assert rows[0][2] == "CrashLoopBackOff"


@pytest.mark.parametrize(("code", "phase", "text"), [(0, "Succeeded", "Completed"), (2, "Failed", "Error")])
def test_a_pod_that_never_restarts_ends(code: int, phase: str, text: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec("example/task:1", restartPolicy="Never")))
        await kube.clock.sleep(10)
        return (await kube.get(POD))["status"]["phase"], (await table(kube, PODS))[1]

    task = Container(image="example/task:*", exit_code=code, run_seconds=1)
    ended, rows = play(story, SandboxSettings(containers=(task,)))
    assert ended == phase
    assert rows[0][1:3] == ["0/1", text]


def test_init_containers_run_first_and_in_order() -> None:
    async def story(kube: Kube) -> Any:
        spec = pod_spec(initContainers=[{"name": name, "image": "example/init:1"} for name in ("a", "b")])
        await kube.create(PODS, pod(spec))
        seen: list[str] = []
        for _ in range(60):
            text = (await table(kube, PODS))[1][0][2]
            if not seen or seen[-1] != text:
                seen.append(text)
            await kube.clock.sleep(0.05)
        return seen

    seen = play(story)
    assert [text for text in seen if text.startswith("Init:")] == ["Init:0/2", "Init:1/2"]
    assert seen[-1] == "Running"


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"nodeSelector": {"disk": "ssd"}}, "1 node(s) didn't match Pod's node affinity/selector"),
        ({"container": {"resources": {"requests": {"cpu": "64"}}}}, "1 Insufficient cpu"),
        ({"container": {"resources": {"requests": {"memory": "1Ti"}}}}, "1 Insufficient memory"),
    ],
)
def test_a_pod_that_fits_nowhere_says_why(spec: Any, reason: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec(**spec)))
        await kube.clock.sleep(5)
        obj = await kube.get(POD)
        return obj["status"], await kube.events("Pod")

    status, events = play(story)
    message = (
        f"0/1 nodes are available: {reason}. "
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )
    assert status["phase"] == "Pending"
    assert (status["conditions"][0]["reason"], status["conditions"][0]["message"]) == ("Unschedulable", message)
    assert events == [("FailedScheduling", message)]


def test_a_taint_needs_a_toleration() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec()))
        await kube.clock.sleep(2)
        events = await kube.events("Pod")
        tolerant = pod(pod_spec(tolerations=[{"key": "env", "operator": "Equal", "value": "dev"}]))
        tolerant["metadata"]["name"] = "two"
        await kube.create(PODS, tolerant)
        await kube.until(f"{PODS}/two", running)
        return events

    node = NodeSpec(taints=({"key": "env", "value": "dev", "effect": "NoSchedule"},))
    ((reason, message),) = play(story, SandboxSettings(nodes=(node,)))
    assert reason == "FailedScheduling"
    assert message.startswith("0/1 nodes are available: 1 node(s) had untolerated taint {env: dev}.")


def test_uncordoning_a_node_lets_waiting_pods_in() -> None:
    async def story(kube: Kube) -> Any:
        await kube.merge("/api/v1/nodes/sandbox-node", {"spec": {"unschedulable": True}})
        await kube.create(PODS, pod(pod_spec()))
        await kube.clock.sleep(60)
        stuck = (await kube.get(POD))["status"]["phase"]
        await kube.merge("/api/v1/nodes/sandbox-node", {"spec": {"unschedulable": False}})
        await kube.until(POD, running)
        return stuck

    assert play(story) == "Pending"


def test_a_deleted_pod_takes_a_moment_to_stop() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec()))
        await kube.until(POD, running)
        marked = await kube.delete(POD)
        text = (await table(kube, PODS))[1][0][2]
        await kube.clock.sleep(2)
        return marked["metadata"]["deletionGracePeriodSeconds"], text, await kube.names(PODS)

    assert play(story) == (30, "Terminating", [])


def test_lines_of_logs_carry_their_time_where_that_is_asked_for() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec("example/talk:1")))
        found = await kube.until(POD, running)
        plain, timed = await kube.get(f"{POD}/log"), await kube.get(f"{POD}/log", timestamps="true")
        started = found["status"]["containerStatuses"][0]["state"]["running"]["startedAt"]
        return plain, timed, started.removesuffix("Z")

    talk = Container(image="example/talk:*", lines=("hello", "world"))
    plain, timed, started = play(story, SandboxSettings(containers=(talk,)))
    assert plain == "hello\nworld\n"
    assert timed.splitlines() == [f"{started}.000000000Z {line}" for line in plain.splitlines()]


def test_logs_are_what_the_script_prints() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(pod_spec("example/talk:1")))
        await kube.until(POD, lambda obj: obj["spec"].get("nodeName"))
        early = await kube.refusal("GET", f"{POD}/log")
        await kube.until(POD, running)
        return early, await kube.get(f"{POD}/log"), await kube.get(f"{POD}/log", tailLines=1)

    talk = Container(image="example/talk:*", lines=("hello", "world"))
    early, all_lines, last = play(story, SandboxSettings(containers=(talk,)))
    assert early == (
        400,
        "BadRequest",
        'container "app" in pod "one" is waiting to start: ContainerCreating',
    )
    assert (all_lines, last) == ("hello\nworld\n", "world\n")


def test_a_service_account_must_exist() -> None:
    async def story(kube: Kube) -> Any:
        return await kube.refusal("POST", PODS, pod(pod_spec(serviceAccountName="nobody")))

    assert play(story) == (
        403,
        "Forbidden",
        'pods "one" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    )
