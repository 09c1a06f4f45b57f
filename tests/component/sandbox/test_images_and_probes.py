"""What keeps containers from running, in virtual time: images, pull secrets, memory, probes, starting at all."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from syncline.sandbox.cluster.outside import PrivateImages, Unreachable
from syncline.sandbox.cluster.settings import Container, Images, SandboxSettings
from tests.unit.sandbox.driving import PODS, Kube, play, pod_spec

SECRETS = "/api/v1/namespaces/default/secrets"
IMAGE = "ghcr.io/ameideio/transformation:dev"
RESOLVE = f'failed to pull and unpack image "{IMAGE}": failed to resolve reference "{IMAGE}": '
TOKEN = "https://ghcr.io/token?scope=repository%3Aameideio%2Ftransformation%3Apull&service=ghcr.io"
PRIVATE = PrivateImages(image="ghcr.io/ameideio/*", accepts=("bot:right",))


def pod(image: str = "example/app:1", **spec: Any) -> Any:
    return {"metadata": {"name": "one"}, "spec": pod_spec(image, **spec)}


def pull_secret(password: str, registry: str = "ghcr.io") -> Any:
    auth = base64.b64encode(f"bot:{password}".encode()).decode()
    content = json.dumps({"auths": {registry: {"auth": auth}}}).encode()
    data = {".dockerconfigjson": base64.b64encode(content).decode()}
    return {"metadata": {"name": "ghcr-pull-secret"}, "type": "kubernetes.io/dockerconfigjson", "data": data}


def first(obj: Any) -> Any:
    return obj["status"]["containerStatuses"][0]


@pytest.mark.parametrize(
    ("images", "secret", "named", "problem"),
    [
        pytest.param(
            Images(private=(PRIVATE,)),
            None,
            [],
            f"rpc error: code = Unknown desc = {RESOLVE}failed to authorize: failed to fetch anonymous token: "
            f"unexpected status from GET request to {TOKEN}: 401 Unauthorized",
            id="no secret",
        ),
        pytest.param(
            Images(private=(PRIVATE,)),
            pull_secret("wrong"),
            [{"name": "ghcr-pull-secret"}],
            f"rpc error: code = Unknown desc = {RESOLVE}failed to authorize: failed to fetch oauth token: "
            f"unexpected status from GET request to {TOKEN}: 403 Forbidden",
            id="wrong secret",
        ),
        pytest.param(
            Images(private=(PRIVATE,)),
            pull_secret("right", "quay.io"),
            [{"name": "ghcr-pull-secret"}],
            f"rpc error: code = Unknown desc = {RESOLVE}failed to authorize: failed to fetch anonymous token: "
            f"unexpected status from GET request to {TOKEN}: 401 Unauthorized",
            id="secret for another registry",
        ),
        pytest.param(
            Images(unknown=(IMAGE,)),
            None,
            [],
            f"rpc error: code = NotFound desc = {RESOLVE}{IMAGE}: not found",
            id="no such tag",
        ),
        pytest.param(
            Images(unreachable=(Unreachable(registry="ghcr.io"),)),
            None,
            [],
            f"rpc error: code = Unknown desc = {RESOLVE}failed to do request: "
            'Head "https://ghcr.io/v2/ameideio/transformation/manifests/dev": '
            "dial tcp: lookup ghcr.io on 10.96.0.10:53: no such host",
            id="registry away",
        ),
    ],
)
def test_an_image_that_cannot_be_pulled_says_why(images: Images, secret: Any, named: Any, problem: str) -> None:
    async def story(kube: Kube) -> Any:
        if secret is not None:
            await kube.create(SECRETS, secret)
        await kube.create(PODS, pod(IMAGE, imagePullSecrets=named))
        await kube.clock.sleep(1)
        early = first(await kube.get(f"{PODS}/one"))["state"]["waiting"]
        await kube.clock.sleep(4)
        return early, first(await kube.get(f"{PODS}/one"))["state"]["waiting"], await kube.events("Pod")

    early, late, events = play(story, SandboxSettings(images=images))
    assert early == {"reason": "ErrImagePull", "message": problem}
    assert late == {
        "reason": "ImagePullBackOff",
        "message": f'Back-off pulling image "{IMAGE}": ErrImagePull: {problem}',
    }
    assert ("Failed", f'Failed to pull image "{IMAGE}": {problem}') in events


def test_a_missing_pull_secret_is_named_and_pulling_goes_on_once_it_is_there() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(IMAGE, imagePullSecrets=[{"name": "ghcr-pull-secret"}]))
        await kube.clock.sleep(5)
        events = await kube.events("Pod")
        await kube.create(SECRETS, pull_secret("right"))
        await kube.until(f"{PODS}/one", lambda obj: obj["status"]["phase"] == "Running")
        return events

    events = play(story, SandboxSettings(images=Images(private=(PRIVATE,))))
    assert (
        "FailedToRetrieveImagePullSecret",
        "Unable to retrieve some image pull secrets (ghcr-pull-secret); attempting to pull the image may not succeed.",
    ) in events


def test_the_pull_secrets_of_a_service_account_count() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(SECRETS, pull_secret("right"))
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        await kube.merge(account, {"imagePullSecrets": [{"name": "ghcr-pull-secret"}]})
        await kube.create(PODS, pod(IMAGE))
        await kube.until(f"{PODS}/one", lambda obj: obj["status"]["phase"] == "Running")

    play(story, SandboxSettings(images=Images(private=(PRIVATE,))))


def test_a_container_above_its_memory_limit_is_killed() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(container={"resources": {"limits": {"memory": "128Mi"}}}))
        await kube.clock.sleep(20)
        return first(await kube.get(f"{PODS}/one"))

    status = play(story, SandboxSettings(containers=(Container(image="*", memory="1Gi", run_seconds=2),)))
    ended = status["lastState"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)
    assert status["state"]["waiting"]["reason"] == "CrashLoopBackOff"


def test_a_container_below_its_memory_limit_is_left_alone() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(container={"resources": {"limits": {"memory": "2Gi"}}}))
        await kube.clock.sleep(20)
        return first(await kube.get(f"{PODS}/one"))["ready"]

    assert play(story, SandboxSettings(containers=(Container(image="*", memory="1Gi", run_seconds=2),)))


def test_a_failing_liveness_probe_restarts_the_container() -> None:
    async def story(kube: Kube) -> Any:
        probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5, "failureThreshold": 2}
        await kube.create(PODS, pod(container={"livenessProbe": probe}))
        await kube.clock.sleep(25)
        return first(await kube.get(f"{PODS}/one")), await kube.events("Pod")

    status, events = play(story, SandboxSettings(containers=(Container(image="*", live_for=10),)))
    assert status["restartCount"] == 1
    assert ("Killing", "Container app failed liveness probe, will be restarted") in events


@pytest.mark.parametrize(
    ("probe", "text"),
    [
        ({"httpGet": {"path": "/", "port": 80}}, "HTTP probe failed with statuscode: 503"),
        ({"exec": {"command": ["true"]}}, "command failed"),
        ({"tcpSocket": {"port": 81}}, "dial tcp 10.244.0.2:81: connect: connection refused"),
    ],
)
def test_a_failing_readiness_probe_keeps_a_pod_unready(probe: Any, text: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(container={"readinessProbe": probe}))
        await kube.clock.sleep(30)
        return await kube.get(f"{PODS}/one"), (await kube.events("Pod"))[-1]

    obj, event = play(story, SandboxSettings(containers=(Container(image="*", never_ready=True),)))
    ready = next(one for one in obj["status"]["conditions"] if one["type"] == "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "ContainersNotReady")
    assert ready["message"] == "containers with unready status: [app]"
    assert event == ("Unhealthy", f"Readiness probe failed: {text}")


def test_a_failing_startup_probe_restarts_the_container() -> None:
    async def story(kube: Kube) -> Any:
        probe = {"exec": {"command": ["true"]}, "periodSeconds": 10, "failureThreshold": 3}
        await kube.create(PODS, pod(container={"startupProbe": probe}))
        await kube.clock.sleep(40)
        return await kube.events("Pod")

    events = play(story, SandboxSettings(containers=(Container(image="*", never_ready=True),)))
    assert ("Unhealthy", "Startup probe failed: command failed") in events
    assert ("Killing", "Container app failed startup probe, will be restarted") in events


def test_a_container_that_cannot_be_started_says_why() -> None:
    problem = (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
        'unable to start container process: error during container init: exec: "serve": '
        "executable file not found in $PATH: unknown"
    )

    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod())
        await kube.clock.sleep(8)
        return first(await kube.get(f"{PODS}/one")), await kube.events("Pod")

    status, events = play(story, SandboxSettings(containers=(Container(image="*", start_error=problem),)))
    ended = status["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"], ended["message"]) == (128, "StartError", problem)
    assert ("Failed", f"Error: {problem}") in events


def test_a_container_that_cannot_be_started_waits_longer_and_longer_also_on_a_machine_that_was_up_for_long() -> None:
    async def story(kube: Kube) -> Any:
        await kube.clock.sleep(3600)
        await kube.create(PODS, pod())
        await kube.clock.sleep(60)
        return first(await kube.get(f"{PODS}/one"))["restartCount"]

    settings = SandboxSettings(containers=(Container(image="*", start_error="no such file"),))
    assert play(story, settings) == 3  # at once, then after 10 and 20 seconds; the next comes 40 seconds later


def test_a_container_that_fails_twice_recovers() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod())
        await kube.clock.sleep(60)
        return first(await kube.get(f"{PODS}/one"))

    status = play(story, SandboxSettings(containers=(Container(image="*", exit_code=1, run_seconds=1, runs=2),)))
    assert (status["restartCount"], status["ready"]) == (2, True)


def test_a_pod_marked_unready_stays_so_until_the_mark_goes() -> None:
    async def story(kube: Kube) -> Any:
        body = pod(container={"readinessProbe": {"httpGet": {"path": "/", "port": 8200}}})
        body["metadata"]["annotations"] = {"sandbox.syncline.io/unready": "HTTP probe failed with statuscode: 503"}
        await kube.create(PODS, body)
        await kube.clock.sleep(5)
        before = first(await kube.get(f"{PODS}/one"))["ready"]
        event = await kube.events("Pod")
        await kube.merge(f"{PODS}/one", {"metadata": {"annotations": {"sandbox.syncline.io/unready": None}}})
        await kube.clock.sleep(1)
        return before, first(await kube.get(f"{PODS}/one"))["ready"], event

    before, after, events = play(story)
    assert (before, after) == (False, True)
    assert ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503") in events
