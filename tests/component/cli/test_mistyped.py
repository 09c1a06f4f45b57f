"""Names that do not exist are answered with those that were meant; a name that is unique needs no namespace."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
HERE = {"payments": "argocd", "payments-eu": "argocd", "storefront": "argocd", "ledger": "team-a", "books": "team-a"}


@pytest.fixture(scope="module", autouse=True)
def applications(installation: Installation) -> None:
    """Applications in three namespaces, of which nobody looks after the last two."""
    places = [*HERE.items(), ("books", "team-b")]
    for namespace in ("team-a", "team-b"):
        installation.kubectl("create", "namespace", namespace)
    for name, namespace in places:
        spec = {
            "project": "default",
            "source": {"repoURL": str(installation.repository), "path": "web"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
        }
        kind = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application"}
        given = json.dumps({**kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec})
        kubectl = str(pathlib.Path(sys.executable).with_name("kubectl"))
        command = [kubectl, "--kubeconfig", str(installation.kubeconfig), "create", "-f", "-"]
        subprocess.run(command, input=given, text=True, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("paymnets", "did you mean payments or payments-eu?"),
        ("store", "did you mean storefront?"),
        ("Storefront", "did you mean storefront?"),
        ("zzz", "known: payments, payments-eu, storefront"),
    ],
)
def test_an_application_that_is_not_there(installation: Installation, name: str, hint: str) -> None:
    answer = installation.run("app", "get", name)
    sentence = f"syncline: Application {name} not found in namespace argocd ({hint})\n"
    assert (answer.code, answer.errors) == (2, sentence)


@pytest.mark.parametrize("verb", ["get", "history", "diff", "resources", "set"])
def test_an_application_is_found_in_the_only_namespace_that_has_it(installation: Installation, verb: str) -> None:
    more = ["--revision", "main"] if verb == "set" else []
    answer = installation.run("app", verb, "ledger", *more)
    # Found, whatever is said of it: its project does not admit its namespace.
    assert "not found" not in answer.errors
    assert answer.code in (0, 1) or "'ledger' in namespace 'team-a'" in answer.errors


def test_the_one_in_the_chosen_namespace_wins(installation: Installation) -> None:
    assert "argocd/payments\n" in installation.run("app", "get", "payments").output


def test_one_that_two_namespaces_have_has_to_be_named_whole(installation: Installation) -> None:
    answer = installation.run("app", "get", "books")
    assert (answer.code, answer.errors) == (
        2,
        "syncline: there are 2 Applications books (say team-a/books or team-b/books)\n",
    )
    assert "team-b/books\n" in installation.run("app", "get", "team-b/books").output


def test_a_namespace_that_was_said_is_the_only_one_that_is_searched(installation: Installation) -> None:
    answer = installation.run("app", "get", "ledger", "-N", "team-b")
    assert (answer.code, answer.errors) == (
        2,
        "syncline: Application ledger not found in namespace team-b (known: books)\n",
    )


def test_nothing_is_deleted_in_a_namespace_that_nobody_said(installation: Installation) -> None:
    answer = installation.run("app", "delete", "ledger", "--yes")
    assert answer.code == 2
    assert answer.errors.endswith(
        "syncline: Application ledger not found in namespace argocd (there is team-a/ledger)\n"
    )
    assert "ledger" in installation.kubectl("get", "applications", "-n", "team-a", "-o", "name")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["demp"], "No such command 'demp'. Did you mean demo?"),
        (["app", "lst"], "No such command 'lst'. Did you mean list"),
        (["sync", "web"], "No such command 'sync'. Did you mean app sync?"),
        (["app", "frobnicate"], "No such command 'frobnicate'.\n"),
        (["app", "list", "-o", "jsno"], "Did you mean json?"),
        (["app", "get", "payments", "--refesh"], "--refresh"),
    ],
)
def test_commands_options_and_values(installation: Installation, arguments: list[str], sentence: str) -> None:
    answer = installation.run_apart(*arguments)
    assert answer.code == 2
    assert sentence in answer.errors


def test_a_context(installation: Installation) -> None:
    configured = installation.kubectl("config", "get-contexts", "-o", "name").split()[0]
    answer = installation.run("app", "list", "--context", configured[:-1])
    assert answer.code == 2
    assert answer.errors.endswith(f"no context named '{configured[:-1]}' (did you mean {configured}?)\n")
