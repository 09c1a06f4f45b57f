"""What cannot be answered is said in one sentence, with exit code 2 and no traceback."""

import pathlib
import socket
from collections.abc import Iterator

import pytest

from tests.e2e.program import Machine

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{{name: one, cluster: {{server: "http://127.0.0.1:{port}"}}}}]
users: [{{name: one, user: {{token: not-to-be-told}}}}]
contexts: [{{name: one, context: {{cluster: one, user: one}}}}]
current-context: one
"""


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that nobody listens on and that nobody else gets."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def kubeconfig(tmp_path: pathlib.Path, closed_port: int) -> pathlib.Path:
    path = tmp_path / "kubeconfig"
    path.write_text(KUBECONFIG.format(port=closed_port))
    return path


@pytest.mark.parametrize("command", [["app", "list"], ["app", "get", "shop"], ["app", "sync", "shop"], ["why", "shop"]])
def test_a_cluster_that_does_not_answer(
    machine: Machine, kubeconfig: pathlib.Path, closed_port: int, command: list[str]
) -> None:
    answer = machine.syncline(*command, "--kubeconfig", kubeconfig)
    assert answer == (2, "", f"syncline: cannot reach http://127.0.0.1:{closed_port}: connection refused\n")


def test_up_on_a_cluster_that_does_not_answer(machine: Machine, kubeconfig: pathlib.Path, closed_port: int) -> None:
    answer = machine.syncline("up", "--kubeconfig", kubeconfig)
    assert (answer.code, answer.err) == (
        2,
        f"syncline: cannot reach http://127.0.0.1:{closed_port}: connection refused\n",
    )


def test_a_kubeconfig_that_is_not_there(machine: Machine, tmp_path: pathlib.Path) -> None:
    answer = machine.syncline("app", "list", "--kubeconfig", tmp_path / "nope")
    assert answer == (2, "", f"syncline: {tmp_path / 'nope'}: this kubeconfig does not exist\n")


def test_no_kubeconfig_at_all(machine: Machine) -> None:
    answer = machine.syncline("why", "shop")
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert str(machine.home / ".kube/config") in answer.err


def test_a_context_that_is_not_there(machine: Machine, kubeconfig: pathlib.Path) -> None:
    answer = machine.syncline("app", "list", "--kubeconfig", kubeconfig, "--context", "two")
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert "'two'" in answer.err
    assert "one" in answer.err.partition("'two'")[2]


@pytest.mark.parametrize(
    ("text", "place"), [("a: [\n", ":2:1: "), ("a: 1\n", ":1: "), ("\tkind: Application\n", ":1:1: ")]
)
def test_a_file_of_applications_that_is_none(machine: Machine, tmp_path: pathlib.Path, text: str, place: str) -> None:
    file = tmp_path / "apps.yaml"
    file.write_text(text)
    answer = machine.syncline("up", "--apps", file, "--data", tmp_path / "data", "--once")
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert answer.err.startswith(f"syncline: {file}{place}")


@pytest.mark.parametrize(
    "command",
    [["nope"], ["app", "sync"], ["why", "shop", "--nope"], ["up", "--apps", "nope"], ["demo", "--port", "99999"]],
)
def test_wrong_words_are_answered_with_the_way_to_help(machine: Machine, command: list[str]) -> None:
    answer = machine.syncline(*command)
    assert (answer.code, answer.out) == (2, "")
    assert "--help" in answer.err
    assert "Traceback" not in answer.err


def test_a_port_that_is_taken(machine: Machine, tmp_path: pathlib.Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        commands: list[list[str | pathlib.Path]] = [
            ["demo", "--data", tmp_path / "demo", "--port", port],
            ["sandbox", "--write-kubeconfig", tmp_path / "kubeconfig", "--port", port],
        ]
        for command in commands:
            answer = machine.syncline(*command)
            assert answer == (2, "", "syncline: this port is already in use; choose another with --port\n")


def test_a_secret_in_the_kubeconfig_is_never_told(machine: Machine, kubeconfig: pathlib.Path) -> None:
    for command in (["app", "list"], ["up"], ["app", "list", "--context", "two"]):
        answer = machine.syncline(*command, "--kubeconfig", kubeconfig)
        assert "not-to-be-told" not in answer.out + answer.err
