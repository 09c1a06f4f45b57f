"""Deployments: rollouts, limits, revisions, deadlines, in a real cluster's words."""

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import Container, Images, SandboxSettings
from tests.unit.sandbox.driving import DEPLOYMENTS, PODS, REPLICA_SETS, STRATEGIC, Kube, play, workload

WEB = f"{DEPLOYMENTS}/web"


def conditions(obj: Any) -> dict[str, tuple[str, str, str]]:
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in obj["status"]["conditions"]}


def complete(replicas: int) -> Any:
    def holds(obj: Any) -> bool:
        status = obj["status"]
        numbers = [status.get(key, 0) for key in ("replicas", "updatedReplicas", "availableReplicas")]
        return numbers == [replicas] * 3 and status.get("observedGeneration") == obj["metadata"]["generation"]

    return holds


async def set_image(kube: Kube, image: str) -> None:
    spec = {"template": {"spec": {"containers": [{"name": "app", "image": image}]}}}
    await kube.call("PATCH", WEB, {"spec": spec}, content_type=STRATEGIC)


@pytest.mark.parametrize("seed", range(5))
def test_a_deployment_becomes_available(seed: int) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=3))
        done = await kube.until(WEB, complete(3))
        return done, (await kube.get(REPLICA_SETS))["items"], await kube.events("Deployment")

    done, sets, events = play(story, seed=seed)
    (replica_set,) = sets
    name = replica_set["metadata"]["name"]
    ending = name.removeprefix("web-")
    assert replica_set["metadata"]["labels"] == {"app": "web", "pod-template-hash": ending}
    assert replica_set["spec"]["selector"] == {"matchLabels": {"app": "web", "pod-template-hash": ending}}
    assert done["metadata"]["annotations"] == {"deployment.kubernetes.io/revision": "1"}
    assert {key: value for key, value in done["status"].items() if key != "conditions"} == {
        "observedGeneration": 1,
        "replicas": 3,
        "updatedReplicas": 3,
        "readyReplicas": 3,
        "availableReplicas": 3,
        "terminatingReplicas": 0,
    }
    assert conditions(done) == {
        "Available": ("True", "MinimumReplicasAvailable", "Deployment has minimum availability."),
        "Progressing": ("True", "NewReplicaSetAvailable", f'ReplicaSet "{name}" has successfully progressed.'),
    }
    assert events == [("ScalingReplicaSet", f"Scaled up replica set {name} from 0 to 3")]


@pytest.mark.parametrize(
    ("surge", "unavailable", "most", "least"),
    [(1, 0, 5, 4), (0, 1, 4, 3), ("50%", "25%", 6, 3), (0, "1%", 4, 3)],
)
def test_a_rollout_stays_within_surge_and_unavailability(surge: Any, unavailable: Any, most: int, least: int) -> None:
    async def story(kube: Kube) -> Any:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
        await kube.create(DEPLOYMENTS, workload(replicas=4, strategy=strategy))
        await kube.until(WEB, complete(4))
        await set_image(kube, "example/app:2")
        seen = []
        for _ in range(200):
            pods = [pod for pod in (await kube.get(PODS))["items"] if "deletionTimestamp" not in pod["metadata"]]
            ready = sum(any(one["type"] == "Ready" and one["status"] == "True" for one in conds(pod)) for pod in pods)
            seen.append((len(pods), ready))
            await kube.clock.sleep(0.05)
        await kube.until(WEB, complete(4))
        images = {pod["spec"]["containers"][0]["image"] for pod in (await kube.get(PODS))["items"]}
        return max(count for count, _ in seen), min(ready for _, ready in seen), images

    def conds(pod: Any) -> Any:
        return pod["status"].get("conditions", [])

    highest, lowest, images = play(story)
    assert highest <= most
    assert lowest >= least
    assert images == {"example/app:2"}


def test_recreate_stops_everything_before_it_starts_anew() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=2, strategy={"type": "Recreate"}))
        await kube.until(WEB, complete(2))
        await set_image(kube, "example/app:2")
        together = False
        for _ in range(100):
            images = {pod["spec"]["containers"][0]["image"] for pod in (await kube.get(PODS))["items"]}
            together = together or len(images) > 1
            await kube.clock.sleep(0.05)
        await kube.until(WEB, complete(2))
        return together

    assert play(story) is False


def test_going_back_to_an_older_template_reuses_its_set() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=1))
        await kube.until(WEB, complete(1))
        await set_image(kube, "example/app:2")
        await kube.until(WEB, complete(1))
        await set_image(kube, "example/app:1")
        done = await kube.until(WEB, complete(1))
        return done["metadata"]["annotations"], (await kube.get(REPLICA_SETS))["items"]

    annotations, sets = play(story)
    assert annotations == {"deployment.kubernetes.io/revision": "3"}
    revisions = {
        one["spec"]["template"]["spec"]["containers"][0]["image"]: (
            one["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
            one["spec"]["replicas"],
        )
        for one in sets
    }
    assert revisions == {"example/app:1": ("3", 1), "example/app:2": ("2", 0)}


def test_old_sets_beyond_the_history_limit_go() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=1, revisionHistoryLimit=1))
        for number in (2, 3, 4):
            await kube.until(WEB, complete(1))
            await set_image(kube, f"example/app:{number}")
        await kube.until(WEB, complete(1))
        await kube.clock.sleep(5)
        return len(await kube.names(REPLICA_SETS))

    assert play(story) == 2


def test_a_rollout_that_gets_nowhere_exceeds_its_deadline() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=2, image="example/app:missing", progressDeadlineSeconds=30))
        await kube.clock.sleep(20)
        early = await kube.get(WEB)
        await kube.clock.sleep(20)
        late = await kube.get(WEB)
        return early, late

    early, late = play(story, SandboxSettings(images=Images(unknown=("*:missing",))))
    assert conditions(early)["Progressing"][:2] == ("True", "ReplicaSetUpdated")
    assert conditions(early)["Available"] == (
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
    )
    status, reason, message = conditions(late)["Progressing"]
    assert (status, reason) == ("False", "ProgressDeadlineExceeded")
    assert message.startswith('ReplicaSet "web-')
    assert message.endswith('" has timed out progressing.')


def test_a_bad_image_leaves_the_old_pods_serving() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=4))
        await kube.until(WEB, complete(4))
        await set_image(kube, "example/app:missing")
        await kube.clock.sleep(60)
        return await kube.get(WEB)

    status = play(story, SandboxSettings(images=Images(unknown=("*:missing",))))["status"]
    assert (status["availableReplicas"], status["updatedReplicas"]) == (3, 2)


def test_min_ready_seconds_delay_availability() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=1, minReadySeconds=20))
        await kube.clock.sleep(10)
        early = (await kube.get(WEB))["status"]
        await kube.clock.sleep(15)
        return early, (await kube.get(WEB))["status"]

    early, late = play(story)
    assert (early["readyReplicas"], early.get("availableReplicas", 0)) == (1, 0)
    assert late["availableReplicas"] == 1


def test_a_paused_deployment_scales_but_does_not_roll() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=1))
        await kube.until(WEB, complete(1))
        await kube.merge(WEB, {"spec": {"paused": True, "replicas": 2}})
        await set_image(kube, "example/app:2")
        await kube.clock.sleep(5)
        paused = await kube.get(WEB)
        images = sorted(pod["spec"]["containers"][0]["image"] for pod in (await kube.get(PODS))["items"])
        await kube.merge(WEB, {"spec": {"paused": False}})
        await kube.until(WEB, complete(2))
        return paused, images

    paused, images = play(story)
    assert conditions(paused)["Progressing"] == ("Unknown", "DeploymentPaused", "Deployment is paused")
    assert images == ["example/app:1", "example/app:1"]


def test_a_deleted_pod_is_replaced() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=1))
        await kube.until(WEB, complete(1))
        (first,) = await kube.names(PODS)
        await kube.delete(f"{PODS}/{first}")
        await kube.clock.sleep(5)
        (second,) = await kube.names(PODS)
        return first, second

    first, second = play(story)
    assert first != second


def test_nothing_happens_while_nothing_changes() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=2))
        await kube.until(WEB, complete(2))
        await kube.clock.sleep(5)
        before = kube.sandbox.backend.store.version
        # Less than an hour: then the Events of the rollout expire.
        await kube.clock.sleep(3500)
        return kube.sandbox.backend.store.version - before

    assert play(story) == 0


def test_the_same_seed_gives_the_same_cluster() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=3))
        await kube.until(WEB, complete(3))
        return (await kube.get(PODS))["items"]

    assert play(story, seed=3) == play(story, seed=3)


def test_crashing_containers_never_become_available() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=1, image="example/crash:1"))
        await kube.clock.sleep(45)
        return await kube.get(WEB)

    crash = Container(image="example/crash:*", exit_code=1, run_seconds=0.1, never_ready=True)
    assert play(story, SandboxSettings(containers=(crash,)))["status"]["unavailableReplicas"] == 1
