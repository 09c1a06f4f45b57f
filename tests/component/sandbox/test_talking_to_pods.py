"""The real kubectl talks to pods of the sandbox: port-forward, exec and logs, by WebSocket and by SPDY."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException

import pytest

from tests.component.sandbox.conftest import Kubectl

pytestmark = pytest.mark.timeout(180)
BY_SPDY = {"KUBECTL_PORT_FORWARD_WEBSOCKETS": "false", "KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false"}
WAYS = pytest.mark.parametrize("way", [{}, BY_SPDY], ids=["websocket", "spdy"])


@pytest.fixture(scope="module", autouse=True)
def pods(kubectl: Kubectl) -> None:
    # Tests of other modules may run in between, and this is then done once more on the same sandbox.
    kubectl.run("delete", "pod", "phone", "crash", "crash-once", "--ignore-not-found", "--now")
    kubectl.run("run", "phone", "--image=example/talk:1")
    kubectl.run("run", "crash", "--image=example/crash:1")
    kubectl.run("run", "crash-once", "--image=example/crash:1", "--restart=Never")
    kubectl.run("wait", "--for=condition=Ready", "pod/phone", "--timeout=60s")
    kubectl.run("wait", "--for=jsonpath={.status.phase}=Failed", "pod/crash-once", "--timeout=60s")


@pytest.fixture
def forwarded(kubectl: Kubectl, way: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], dict[int, str]]]:
    """kubectl with two forwarded ports, and the local address of each."""
    running = kubectl.begin("port-forward", "pod/phone", "--address=127.0.0.1", ":80", ":81", way=way)
    assert running.stdout is not None
    found = {}
    for _ in range(2):
        told = re.match(r"Forwarding from (\S+) -> (\d+)", running.stdout.readline())
        assert told is not None
        found[int(told[2])] = told[1]
    yield running, found
    running.kill()
    running.communicate()


def read(address: str) -> str:
    with urllib.request.urlopen(f"http://{address}/", timeout=60) as answer:
        return str(answer.read().decode())


@WAYS
def test_a_forwarded_port_answers_as_its_rule_says(
    forwarded: tuple[subprocess.Popen[str], dict[int, str]], way: dict[str, str]
) -> None:
    _, ports = forwarded
    assert [read(ports[80]), read(ports[80])] == ["hello from a port", "hello from a port"]


@WAYS
def test_a_port_of_which_nothing_is_known_is_refused_in_words(
    forwarded: tuple[subprocess.Popen[str], dict[int, str]], way: dict[str, str]
) -> None:
    running, ports = forwarded
    with pytest.raises((OSError, HTTPException)):
        read(ports[81])
    assert running.stderr is not None
    told = running.stderr.readline()
    assert "forwarding port 81 to pod phone" in told
    assert "say what does, or a local address, with `ports`" in told


@WAYS
def test_exec_prints_and_ends_as_its_rule_says(kubectl: Kubectl, way: dict[str, str]) -> None:
    assert kubectl.run("exec", "phone", "--", "cat", "/etc/motd", way=way) == "welcome\n"
    failed = kubectl.run("exec", "phone", "--", "migrate", "up", code=7, way=way)
    assert failed == "step 1\nno such table\ncommand terminated with exit code 7\n"
    assert kubectl.run("exec", "phone", "--", "sh", "-c", "echo by its words", way=way) == "by its words\n"


@WAYS
def test_exec_refuses_what_nobody_can_tell(kubectl: Kubectl, way: dict[str, str]) -> None:
    told = kubectl.run("exec", "phone", "--", "ls", code=1, way=way)
    assert "the sandbox runs no containers and cannot tell what `ls` prints" in told
    assert "container nope is not valid for pod phone" in kubectl.run(
        "exec", "phone", "-c", "nope", "--", "ls", code=1, way=way
    )
    assert 'pods "nobody" not found' in kubectl.run("exec", "nobody", "--", "ls", code=1, way=way)


def test_forwarding_and_exec_need_the_right_to_create(kubectl: Kubectl) -> None:
    role = "reader"
    kubectl.run("create", "clusterrole", role, "--verb=get", "--resource=pods,pods/exec,pods/portforward")
    kubectl.run("create", "clusterrolebinding", role, f"--clusterrole={role}", "--user=reader")
    for words in (("exec", "phone", "--", "true"), ("port-forward", "phone", ":80")):
        for way in ({}, BY_SPDY):
            told = kubectl.run("--as=reader", *words, code=1, way=way)
            assert re.search(r'User "reader" cannot create resource "pods/(exec|portforward)"', told)


def test_logs_of_containers_that_ended(kubectl: Kubectl) -> None:
    assert kubectl.run("logs", "crash-once") == "it crashed\n"
    told = kubectl.run("logs", "--previous", "crash-once", code=1)
    assert 'previous terminated container "crash-once" in pod "crash-once" not found' in told
    kubectl.run("wait", "--for=jsonpath={.status.containerStatuses[0].restartCount}=1", "pod/crash", "--timeout=60s")
    assert kubectl.run("logs", "--previous", "crash") == "it crashed\n"


def test_following_the_log_ends_with_the_pod(kubectl: Kubectl) -> None:
    kubectl.run("run", "short", "--image=example/talk:1")
    kubectl.run("wait", "--for=condition=Ready", "pod/short", "--timeout=60s")
    following = kubectl.begin("logs", "-f", "short")
    assert following.stdout is not None
    assert following.stdout.readline() == "hello from the sandbox\n"
    assert following.poll() is None
    kubectl.run("delete", "pod", "short", "--wait=false")
    rest, errors = following.communicate(timeout=60)
    assert (rest, errors, following.returncode) == ("", "", 0)


def test_the_node_says_that_it_is_simulated(kubectl: Kubectl) -> None:
    listed = json.loads(kubectl.run("get", "nodes", "-o", "json"))["items"]
    assert listed[0]["metadata"]["annotations"]["sandbox.syncline.io/simulated"]
    assert "no container really runs" in kubectl.run("describe", "node", listed[0]["metadata"]["name"])
