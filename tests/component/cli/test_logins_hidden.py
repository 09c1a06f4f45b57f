"""A password in an address is repeated nowhere: not by commands, Events, messages of the status, nor the page."""

from __future__ import annotations

import json
import pathlib
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import git_http, this_machine
from tests.support.installation import Answer, Installation, installed

pytestmark = pytest.mark.timeout(150)

PASSWORD = "canary-pass"
MIRRORS = {"comparedTo", "operation", "history", "source", "sources"}
"""Fields of a status that repeat the spec, as Argo CD's tools expect (docs/decisions/0005)."""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[git_http.Server]:
    folder = tmp_path_factory.mktemp("served")
    git_http.Repository(folder / "shop").commit(
        {"web/a.yaml": MAP, "broken/kustomization.yaml": "resources: [none.yaml]\n"}
    )
    with git_http.serve(folder, password=f"ada:{PASSWORD}") as running:
        yield running


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, server: git_http.Server) -> Iterator[Installation]:
    """An installation that may ask the server of these tests, which is on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(this_machine.VARIABLE, this_machine.allowed(server.port))
        with installed(tmp_path_factory.mktemp("installation")) as running:
            yield running


def created(installation: Installation, name: str, url: str, path: str = "web", *more: str) -> Answer:
    arguments = ["--repo", url, "--path", path, "--dest-namespace", name, "--sync-policy", "automated", *more]
    return installation.run(
        "app",
        "create",
        name,
        "--dest-server",
        "https://kubernetes.default.svc",
        "--sync-option",
        "CreateNamespace=true",
        *arguments,
    )


def application(installation: Installation, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        installation.kubectl("get", "applications.argoproj.io", name, "-n", "argocd", "-o", "json")
    )
    return found


def without_mirrors(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_mirrors(member) for name, member in value.items() if name not in MIRRORS}
    return [without_mirrors(member) for member in value] if isinstance(value, list) else value


def until(installation: Installation, name: str, words: str) -> dict[str, Any]:
    for _ in range(400):
        status: dict[str, Any] = application(installation, name).get("status") or {}
        if words in json.dumps(status):
            return status
        time.sleep(0.1)
    raise AssertionError(f"{words!r} is not in {status}")


def hidden(*answers: Answer) -> None:
    for answer in answers:
        assert PASSWORD not in answer.output + answer.errors
        assert "ada:" not in answer.output + answer.errors


SHOWING = (
    ("app", "list"),
    ("app", "list", "-o", "wide"),
    ("app", "get", "APP"),
    ("app", "get", "APP", "-o", "tree"),
    ("app", "get", "APP", "--show-operation"),
    ("app", "history", "APP"),
    ("app", "resources", "APP"),
    ("app", "diff", "APP"),
    ("app", "sync", "APP", "--timeout", "3"),
    ("app", "wait", "APP", "--timeout", "2"),
    ("app", "manifests", "APP"),
    ("why", "APP"),
    ("render", "APP"),
)


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("delivered", "web", '"Succeeded"'),
        ("gone", "nowhere", "app path does not exist"),
        ("bad", "broken", "none.yaml"),
    ],
)
def test_commands_events_and_messages_do_not_repeat_it(
    installation: Installation, server: git_http.Server, name: str, path: str, words: str
) -> None:
    url = server.url("shop", f"ada:{PASSWORD}")
    hidden(created(installation, name, url, path))
    status = until(installation, name, words)
    assert PASSWORD not in json.dumps(without_mirrors(status))
    hidden(*(installation.run(*(name if word == "APP" else word for word in command)) for command in SHOWING))
    assert PASSWORD not in installation.kubectl("get", "events", "-A", "-o", "json")


def test_a_wrong_password_is_not_repeated_by_the_server_s_refusal(
    installation: Installation, server: git_http.Server
) -> None:
    hidden(created(installation, "stranger", server.url("shop", f"eve:{PASSWORD}x")))
    status = until(installation, "stranger", "ComparisonError")
    assert PASSWORD not in json.dumps(without_mirrors(status))


def test_a_project_that_does_not_permit_it_names_it_without(
    installation: Installation, server: git_http.Server, tmp_path: pathlib.Path
) -> None:
    project = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "narrow", "namespace": "argocd"},
        "spec": {"sourceRepos": ["https://git.example/*"], "destinations": [{"server": "*", "namespace": "*"}]},
    }
    (tmp_path / "project.json").write_text(json.dumps(project))
    installation.kubectl("apply", "-f", str(tmp_path / "project.json"))
    url = server.url("shop", f"ada:{PASSWORD}")
    refused = created(installation, "refused", url, "web", "--project", "narrow")
    assert f"application repo {server.url('shop')} is not permitted" in refused.errors
    hidden(refused, created(installation, "denied", url))
    move = '{"spec": {"project": "narrow"}}'
    installation.kubectl("patch", "applications.argoproj.io", "denied", "-n", "argocd", "--type=merge", "-p", move)
    status = until(installation, "denied", "is not permitted in project")
    assert PASSWORD not in json.dumps(without_mirrors(status))
    (said,) = (one["message"] for one in status["conditions"] if "is not permitted" in one["message"])
    assert f"application repo {server.url('shop')} is not permitted" in said
    hidden(installation.run("why", "denied"), installation.run("app", "get", "denied"))


def test_what_mirrors_the_spec_is_kept_as_it_is(installation: Installation, server: git_http.Server) -> None:
    """Argo CD compares it with the spec, and rolls back with it: it would do so for ever, or in vain."""
    created(installation, "mirrored", server.url("shop", f"ada:{PASSWORD}"))
    until(installation, "mirrored", '"Succeeded"')
    app = application(installation, "mirrored")
    assert app["status"]["sync"]["comparedTo"]["source"] == app["spec"]["source"]
    assert app["status"]["history"][-1]["source"] == app["spec"]["source"]


def test_commands_on_repositories_do_not_repeat_it(installation: Installation, server: git_http.Server) -> None:
    url = server.url("shop", f"ada:{PASSWORD}")
    hidden(
        installation.run("repo", "test", url),
        installation.run("repo", "add", url, "--skip-check"),
        installation.run("repo", "add", url, "--skip-check"),
        installation.run("repo", "list"),
        installation.run("repo", "list", "-o", "url"),
        installation.run("repo", "list", "-o", "json"),
        installation.run("repo", "get", url),
        installation.run("repo", "get", f"{url}x"),
        installation.run("repo", "rm", url),
        installation.run("repo", "rm", url),
        installation.run("repocreds", "add", url, "--username", "eve", "--password", "x"),
        installation.run("repocreds", "list"),
        installation.run("repocreds", "rm", f"{url}x"),
        installation.run("repocreds", "rm", url),
    )
