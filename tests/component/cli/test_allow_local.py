"""Content of a repository reaches no server of the machine that a command runs on, unless the user permits it."""

from __future__ import annotations

import io
import os
import pathlib
import textwrap
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout

import pytest

from syncline.cli.main import main
from tests.support import this_machine
from tests.support.git_http import Repository
from tests.support.listener import Listener, listening

APP = """\
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {name: shop, namespace: argocd}
    spec:
      project: default
      source: {repoURL: %s, path: %s, targetRevision: main}
      destination: {server: "https://kubernetes.default.svc", namespace: shop}
"""
SET = """\
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata: {name: set, namespace: argocd}
    spec:
      generators: [{git: {repoURL: "%s", revision: main, directories: [{path: "*"}]}}]
      template:
        metadata: {name: "{{path.basename}}"}
        spec: {project: default, source: {repoURL: x, path: deploy}, destination: {name: in-cluster, namespace: z}}
"""
HERE = "git@git.example:team/shop.git"


@pytest.fixture
def listener() -> Iterator[Listener]:
    with listening() as running:
        yield running


@pytest.fixture
def checkout(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, listener: Listener) -> Repository:
    """A checkout whose content leads to the listener in every way that a repository can."""
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(this_machine.VARIABLE, raising=False)
    url = listener.url
    made = Repository(tmp_path / "shop")
    made.commit(
        {
            "base/kustomization.yaml": f"resources: ['{url('team/base.git')}?ref=main']\n",
            "file/kustomization.yaml": f"resources: ['{url('team/file.yaml')}']\n",
            "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
            f"dependencies: [{{name: redis, version: 1.0.0, repository: '{url('charts')}'}}]\n",
            "chart/templates/x.yaml": "",
            "apps/base.yaml": textwrap.dedent(APP % (HERE, "base")),
            "apps/file.yaml": textwrap.dedent(APP % (HERE, "file")),
            "apps/chart.yaml": textwrap.dedent(APP % (HERE, "chart")),
            "apps/repo.yaml": textwrap.dedent(APP % (url("team/repo.git"), "x")),
            "set.yaml": textwrap.dedent(SET % url("team/repo.git")),
        }
    )
    made.git("remote", "add", "origin", HERE)
    monkeypatch.chdir(made.folder)
    return made


def run(*arguments: str) -> str:
    output = io.StringIO()
    with pytest.raises(SystemExit), redirect_stdout(output), redirect_stderr(output):
        main(list(arguments))
    return output.getvalue()


COMMANDS = [
    ("app", "manifests", "apps/base.yaml"),
    ("app", "manifests", "apps/file.yaml"),
    ("app", "manifests", "apps/chart.yaml"),
    ("app", "manifests", "apps/repo.yaml"),
    ("app", "manifests", "apps/repo.yaml", "--local"),
    ("render", "base"),
    ("render", "file"),
    ("render", "chart"),
    ("appset", "generate", "set.yaml"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_content_of_a_repository_reaches_no_server_of_this_machine(
    command: tuple[str, ...], checkout: Repository, listener: Listener
) -> None:
    told = run(*command)
    assert listener.connections == 0
    assert "127.0.0.1 is this machine" in told
    run(*command, "--allow-local", f"127.0.0.1:{listener.port}")
    assert listener.connections > 0
    # The permission ends with the command.
    assert this_machine.VARIABLE not in os.environ


@pytest.mark.parametrize("command", [("check", "."), ("check", ".", "--fetch"), ("preview", "HEAD")], ids=" ".join)
def test_checks_and_previews_reach_none_either(
    command: tuple[str, ...], checkout: Repository, listener: Listener
) -> None:
    run(*command)
    assert listener.connections == 0


@pytest.mark.parametrize("permitted", [lambda port: f"127.0.0.1:{port + 1}", lambda port: f"localhost:{port}"])
def test_the_permission_is_for_one_host_and_port(
    permitted: Callable[[int], str], checkout: Repository, listener: Listener
) -> None:
    told = run("app", "manifests", "apps/repo.yaml", "--allow-local", permitted(listener.port))
    assert "127.0.0.1 is this machine" in told
    assert listener.connections == 0


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "http://127.0.0.1:80", "*:80", ""])
def test_a_permission_that_cannot_be_read_is_refused(text: str, checkout: Repository) -> None:
    assert "is not HOST:PORT" in run("app", "manifests", "apps/repo.yaml", "--allow-local", text)


def test_the_environment_permits_servers_for_every_command(
    checkout: Repository, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(this_machine.VARIABLE, this_machine.allowed(listener.port))
    run("app", "manifests", "apps/repo.yaml")
    assert listener.connections > 0
    monkeypatch.setenv(this_machine.VARIABLE, "everything")
    assert "SYNCLINE_ALLOW_LOCAL cannot be read" in run("app", "manifests", "apps/repo.yaml")
