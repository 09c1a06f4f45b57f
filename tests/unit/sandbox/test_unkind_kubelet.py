"""Containers that a kubelet would not start, not call ready or kill are played so, though nothing really runs.

The words are those of pkg/kubelet (prober, kuberuntime, images) of Kubernetes 1.37.
"""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster import commands, known_images
from syncline.sandbox.cluster.settings import Container, SandboxSettings
from tests.unit.sandbox.driving import PODS, Kube, play

SERVER = {"name": "c", "image": "example/app:1", "ports": [{"name": "http", "containerPort": 8080}]}
MOUNT = {"name": "v", "mountPath": "/v"}
SLEEPER = {"name": "c", "image": "busybox:1.36", "command": ["sleep", "infinity"]}
CAPITALS = (
    'Failed to apply default image tag "example.io/Team/App:1": couldn\'t parse image name "example.io/Team/App:1": '
    "invalid reference format: repository name (Team/App) must be lowercase"
)
# The container, how it is seen after a while: ready, restarted, what it waits for; and the Events that say why.
PLAYED: dict[str, tuple[dict[str, Any], tuple[bool, bool, str], list[str]]] = {
    "a named port that is there": (
        {**SERVER, "readinessProbe": {"httpGet": {"port": "http"}}},
        (True, False, ""),
        [],
    ),
    "readiness by an unknown port": (
        {**SERVER, "readinessProbe": {"httpGet": {"port": "web"}}},
        (False, False, ""),
        ['Readiness probe errored and resulted in unknown state: port "web" not found'],
    ),
    # A kubelet throws away what a probe that errs found, and an unprobed container counts as alive.
    "liveness by an unknown port": (
        {**SERVER, "livenessProbe": {"tcpSocket": {"port": "web"}}},
        (True, False, ""),
        ['Liveness probe errored and resulted in unknown state: port "web" not found'],
    ),
    "startup by an unknown port": (
        {**SERVER, "startupProbe": {"tcpSocket": {"port": "web"}}, "livenessProbe": {"exec": {"command": ["false"]}}},
        (False, False, ""),
        ['Startup probe errored and resulted in unknown state: port "web" not found'],
    ),
    "readiness by a command that fails": (
        {**SERVER, "readinessProbe": {"exec": {"command": ["sh", "-c", "echo not yet; exit 1"]}}},
        (False, False, ""),
        ["Readiness probe failed: not yet"],
    ),
    "readiness by a command that takes too long": (
        {**SERVER, "readinessProbe": {"exec": {"command": ["sleep", "5"]}, "timeoutSeconds": 2}},
        (False, False, ""),
        ['Readiness probe failed: command "sleep 5" timed out'],
    ),
    "liveness by a command that fails": (
        {**SERVER, "livenessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 2}},
        (True, True, ""),
        ["Liveness probe failed: ", "Container c failed liveness probe, will be restarted"],
    ),
    "startup by a command that fails": (
        {**SERVER, "startupProbe": {"exec": {"command": ["false"]}, "periodSeconds": 2}},
        (False, True, ""),
        ["Startup probe failed: ", "Container c failed startup probe, will be restarted"],
    ),
    "readiness of a container that serves nothing": (
        {**SLEEPER, "readinessProbe": {"httpGet": {"port": 80, "path": "/u"}}},
        (False, False, ""),
        [
            'Readiness probe failed: Get "http://10.244.0.2:80/u": dial tcp 10.244.0.2:80: connect: connection refused',
        ],
    ),
    "a hook that fails": (
        {**SERVER, "lifecycle": {"postStart": {"exec": {"command": ["false"]}}}},
        (False, True, "CrashLoopBackOff"),
        ["PostStartHook failed", "FailedPostStartHook"],
    ),
    "arguments of an image that opens a shell": (
        {"name": "c", "image": "busybox:1.36", "args": ["false"]},
        (False, True, "CrashLoopBackOff"),
        [],
    ),
    "a shell with nothing to read": (
        {"name": "c", "image": "docker.io/library/alpine:3.20"},
        (False, True, "CrashLoopBackOff"),
        [],
    ),
    "a shell with a terminal": ({"name": "c", "image": "ubuntu", "stdin": True, "tty": True}, (True, False, ""), []),
    "a shell that the image lacks": (
        {"name": "c", "image": "alpine:3.20", "command": ["/bin/bash", "-c", "run"]},
        (False, True, "CrashLoopBackOff"),
        [],
    ),
    "a name in capitals": (
        {"name": "c", "image": "example.io/Team/App:1"},
        (False, False, "InvalidImageName"),
        [CAPITALS, "Error: InvalidImageName"],
    ),
    "a tag that is empty": ({"name": "c", "image": "example/app:"}, (False, False, "InvalidImageName"), []),
    "root by number": (
        {**SERVER, "securityContext": {"runAsNonRoot": True, "runAsUser": 0}},
        (False, False, "CreateContainerConfigError"),
        [],
    ),
    "root by the image": (
        {"name": "c", "image": "nginx:1.27", "securityContext": {"runAsNonRoot": True}},
        (False, False, "CreateContainerConfigError"),
        [],
    ),
    "a path from a variable that is there": (
        {**SERVER, "env": [{"name": "POD", "value": "p"}], "volumeMounts": [{**MOUNT, "subPathExpr": "$(POD)/$$(X)"}]},
        (True, False, ""),
        [],
    ),
    "a path from a variable that is not there": (
        {**SERVER, "env": [{"name": "POD", "value": ""}], "volumeMounts": [{**MOUNT, "subPathExpr": "$(POD)/$(NODE)"}]},
        (False, False, "CreateContainerConfigError"),
        ["Error: missing value for NODE, POD"],
    ),
    "a root file system that is only read": (
        {**SERVER, "securityContext": {"readOnlyRootFilesystem": True}},
        (True, False, ""),
        [],
    ),
    "somebody else by number": (
        {"name": "c", "image": "nginx:1.27", "securityContext": {"runAsNonRoot": True, "runAsUser": 101}},
        (True, False, ""),
        [],
    ),
}


@pytest.mark.parametrize("name", PLAYED)
def test_a_container_is_played_as_a_kubelet_would_run_it(name: str) -> None:
    container, expected, texts = PLAYED[name]

    async def story(kube: Kube) -> Any:
        spec = {"containers": [container], "volumes": [{"name": "v", "emptyDir": {}}]}
        await kube.create(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})
        await kube.clock.sleep(25)
        return await kube.get(f"{PODS}/p"), [message for _, message in await kube.events("Pod")]

    pod, events = play(story)
    (status,) = pod["status"]["containerStatuses"]
    waits = (status["state"].get("waiting") or {}).get("reason", "")
    assert (status["ready"], status["restartCount"] > 0, waits) == expected
    assert [text for text in texts if text not in events] == []


def test_a_sidecar_that_never_starts_keeps_the_others_back() -> None:
    sidecar = {**SERVER, "name": "s", "restartPolicy": "Always", "startupProbe": {"httpGet": {"port": "web"}}}

    async def story(kube: Kube) -> Any:
        spec = {"initContainers": [sidecar], "containers": [SERVER]}
        await kube.create(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})
        await kube.clock.sleep(25)
        return await kube.get(f"{PODS}/p")

    status = play(story)["status"]
    assert (status["phase"], status["initContainerStatuses"][0]["started"]) == ("Pending", False)
    assert status["containerStatuses"][0]["state"]["waiting"]["reason"] == "PodInitializing"


def test_a_rule_of_the_cluster_file_goes_by_arguments_too() -> None:
    settings = SandboxSettings(containers=(Container(image="*", command="migrate *", exit_code=4),))
    found = commands.script_of(settings, {"name": "a", "image": "example/tool:1", "args": ["migrate", "up"]})
    assert found is not None
    assert found.exit_code == 4


@pytest.mark.parametrize(
    ("container", "words"),
    [
        ({"image": "example/app:1", "args": ["false"]}, []),
        ({"image": "example/app:1", "args": ["sh", "-c", "exit 3"]}, ["sh", "-c", "exit 3"]),
        ({"image": "public.ecr.aws/docker/library/busybox@sha256:" + "a" * 64, "args": ["false"]}, ["false"]),
        ({"image": "example.io:5000/alpine", "args": ["false"]}, []),
    ],
)
def test_arguments_are_the_command_only_where_the_image_is_known_to_have_none(
    container: dict[str, Any], words: list[str]
) -> None:
    assert commands.words_of(container) == words


@pytest.mark.parametrize(
    ("image", "right"),
    [
        *(
            (name, True)
            for name in ("app", "a/b/c", "localhost:5000/app", "Example.io/app:1", "a/b__c--d", "app:V1.0_x")
        ),
        ("example.io/app:1@sha256:" + "0" * 64, True),
        *(
            (name, False)
            for name in ("", "app:", "app:a b", "A/B", "a//b", "app@sha256:12", "-app", "https://e.io/app")
        ),
    ],
)
def test_names_of_images_are_read_as_by_a_kubelet(image: str, right: bool) -> None:
    assert (known_images.misnamed(image) == "") == right
