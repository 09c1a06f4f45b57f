"""Tables and sentences on a terminal of 80 columns, in colours; whole and plain in a pipe."""

import json
import pathlib
from collections.abc import Iterator

import click
import pytest

from tests.e2e.program import Machine, beside
from tests.e2e.terminal import on_terminal

SENTENCE = (
    "rpc error: the chart of this Application could not be rendered because a value that the template of its "
    "Deployment needs was not set in any of the files that it names"
)
GREEN, YELLOW, RED = "\x1b[32m", "\x1b[33m", "\x1b[31m"


def application(name: str, sync: str, health: str) -> dict[str, object]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://git.example.invalid/teams/platform/deployments.git", "path": f"apps/{name}"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
        },
        "status": {
            "sync": {"status": sync},
            "health": {"status": health},
            "conditions": [
                {"type": "ComparisonError", "message": SENTENCE, "lastTransitionTime": "2026-01-01T00:00:00Z"}
            ],
            "resources": [
                {
                    "group": "apps",
                    "kind": "Deployment",
                    "namespace": name,
                    "name": f"{name}-frontend-deployment",
                    "status": sync,
                    "health": {"status": health, "message": SENTENCE},
                }
            ],
        },
    }


@pytest.fixture(scope="module")
def kubeconfig(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    path = tmp_path_factory.mktemp("narrow") / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", path) as running:
        running.says("Kubernetes API at https://127")
        crds = machine.syncline("admin", "crds").out
        assert machine.kubectl(path, "apply", "-f", "-", text=crds).code == 0
        assert machine.kubectl(path, "create", "namespace", "argocd").code == 0
        for each in (("web", "Synced", "Healthy"), ("db", "OutOfSync", "Progressing"), ("mail", "Unknown", "Degraded")):
            answer = machine.kubectl(path, "create", "-f", "-", text=json.dumps(application(*each)))
            assert answer.code == 0, answer.err
        yield path


def shown(machine: Machine, kubeconfig: pathlib.Path, *arguments: str, **environment: str) -> str:
    """Return what a terminal of 80 columns gets."""
    command: tuple[str | pathlib.Path, ...] = (beside("syncline"), *arguments, "--kubeconfig", kubeconfig)
    with on_terminal(*command, environment=machine.environment | environment, folder=machine.home) as terminal:
        assert terminal.ended() == 0, terminal.written
        return terminal.written


def test_app_list_leaves_out_the_columns_that_do_not_fit_and_says_so(
    machine: Machine, kubeconfig: pathlib.Path
) -> None:
    text = click.unstyle(shown(machine, kubeconfig, "app", "list"))
    said, header, *rows = text.splitlines()
    assert "no room for CLUSTER, PROJECT, REPO, PATH, TARGET: -o wide shows all" in said
    assert header.split() == ["NAME", "NAMESPACE", "STATUS", "HEALTH", "SYNCPOLICY", "CONDITIONS"]
    assert [row.split()[0] for row in rows] == ["argocd/db", "argocd/mail", "argocd/web"]
    assert max(map(len, [header, *rows])) <= 80


def test_app_list_is_whole_in_a_pipe_and_when_it_is_asked_for(machine: Machine, kubeconfig: pathlib.Path) -> None:
    piped = machine.syncline("app", "list", "--kubeconfig", kubeconfig).out
    assert piped.splitlines()[0].split()[-3:] == ["REPO", "PATH", "TARGET"]
    assert piped.count("https://git.example.invalid/teams/platform/deployments.git") == 3
    assert "\x1b" not in piped
    wide = click.unstyle(shown(machine, kubeconfig, "app", "list", "-o", "wide"))
    assert wide.partition("\n")[2] == piped


def test_what_matters_has_a_colour(machine: Machine, kubeconfig: pathlib.Path) -> None:
    text = shown(machine, kubeconfig, "app", "list")
    for colour, word in (
        (GREEN, "Synced"), (GREEN, "Healthy"), (YELLOW, "OutOfSync"), (YELLOW, "Progressing"), (RED, "Unknown"),
        (RED, "Degraded"),
    ):  # fmt: skip
        assert f"{colour}{word}\x1b[0m" in text


@pytest.mark.parametrize("command", [("app", "list"), ("app", "get", "mail")])
def test_no_colour_is_used_where_nobody_wants_any(
    machine: Machine, kubeconfig: pathlib.Path, command: tuple[str, ...]
) -> None:
    assert "\x1b" not in shown(machine, kubeconfig, *command, NO_COLOR="1")


def test_app_get_wraps_sentences_below_their_first_line(machine: Machine, kubeconfig: pathlib.Path) -> None:
    text = click.unstyle(shown(machine, kubeconfig, "app", "get", "mail"))
    lines = text.splitlines()[1:]
    assert max(len(line) for line in lines if "https://" not in line) <= 80
    header = next(line for line in lines if line.startswith("CONDITION"))
    first = lines[lines.index(header) + 1]
    indent = header.index("MESSAGE")
    assert first[indent:].startswith("rpc error: the chart of")
    assert lines[lines.index(header) + 2].startswith(" " * indent) is True
    assert "".join(" ".join(text.split()).split()).count("".join(SENTENCE.split())) == 2


def test_app_get_in_a_pipe_has_each_condition_and_object_on_one_line(
    machine: Machine, kubeconfig: pathlib.Path
) -> None:
    text = machine.syncline("app", "get", "mail", "--kubeconfig", kubeconfig).out
    assert sum(SENTENCE in line for line in text.splitlines()) == 2
    assert "CONDITION        MESSAGE" in text
