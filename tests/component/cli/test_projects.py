"""`proj` and `account` through the program, on a running installation; what is stored is read by kubectl."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


def spec(installation: Installation, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(installation.kubectl("get", "appproject", name, "-n", "argocd", "-o", "json"))
    return dict(found["spec"])


def run(installation: Installation, *commands: str) -> None:
    """Run commands of `proj` that have to succeed; `_` in a word stands for a blank."""
    for command in commands:
        answer = installation.run("proj", *(word.replace("_", " ") for word in command.split()))
        assert answer.code == 0, f"{command}: {answer.errors}"


def test_every_list_of_a_project_is_changed_by_its_commands(installation: Installation) -> None:
    run(
        installation,
        "create lists -d https://kubernetes.default.svc,shop -s https://git/a --allow-cluster-resource Namespace",
        "add-source lists https://git/b",
        "remove-source lists https://git/a",
        "add-source-namespace lists team-a",
        "add-destination lists far shop-* --name",
        "remove-destination lists https://kubernetes.default.svc shop",
        "add-destination-service-account lists https://far shop-* deployer --service-account-namespace robots",
        "allow-cluster-resource lists rbac.authorization.k8s.io ClusterRole shop-*",
        "deny-cluster-resource lists * Namespace -l deny",
        "deny-namespace-resource lists apps Deployment",
        "deny-namespace-resource lists apps StatefulSet",
        "allow-namespace-resource lists apps Deployment",
        "allow-namespace-resource lists * ConfigMap --list allow",
        "add-orphaned-ignore lists apps Deployment --name kube-*",
        "add-signature-key lists 4AEE18F83AFDEB23",
        "set lists --description of_the_team",
    )
    assert spec(installation, "lists") == {
        "description": "of the team",
        "sourceRepos": ["https://git/b"],
        "sourceNamespaces": ["team-a"],
        "destinations": [{"name": "far", "namespace": "shop-*"}],
        "destinationServiceAccounts": [
            {"server": "https://far", "namespace": "shop-*", "defaultServiceAccount": "robots:deployer"}
        ],
        "clusterResourceWhitelist": [
            {"group": "", "kind": "Namespace"},
            {"group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "shop-*"},
        ],
        "clusterResourceBlacklist": [{"group": "*", "kind": "Namespace"}],
        "namespaceResourceBlacklist": [{"group": "apps", "kind": "StatefulSet"}],
        "namespaceResourceWhitelist": [{"group": "*", "kind": "ConfigMap"}],
        "orphanedResources": {"ignore": [{"group": "apps", "kind": "Deployment", "name": "kube-*"}]},
        "signatureKeys": [{"keyID": "4AEE18F83AFDEB23"}],
    }


def test_roles_get_policies_and_groups_and_count_in_what_somebody_may_do(installation: Installation) -> None:
    run(
        installation,
        "create roles",
        "role create roles ci --description robots",
        "role create roles idle",
        "role add-policy roles ci -a sync -o *",
        "role add-policy roles ci -a get -o * -r logs",
        "role remove-policy roles ci -a get -o * -r logs",
        "role add-group roles ci builders",
        "role add-group roles ci others",
        "role remove-group roles ci others",
        "role delete roles idle",
    )
    assert spec(installation, "roles") == {
        "roles": [
            {
                "name": "ci",
                "description": "robots",
                "policies": ["p, proj:roles:ci, applications, sync, roles/*, allow"],
                "groups": ["builders"],
            }
        ]
    }
    request = ("account", "can-i", "sync", "applications", "roles/shop")
    assert installation.run(*request, "--as", "proj:roles:ci").output == "yes\n"
    assert installation.run(*request, "--as", "bob", "--as-group", "builders").output == "yes\n"
    assert installation.run(*request, "--as", "bob").output == "no\n"


def test_windows_are_added_changed_listed_and_deleted(installation: Installation) -> None:
    run(
        installation,
        "create windows",
        "windows add windows -k deny --schedule *_*_*_*_* --duration 1h --applications a,b --time-zone Europe/Berlin",
        "windows add windows -k allow --schedule 0_0_1_1_* --duration 1m --namespaces x --clusters y --manual-sync",
        "windows enable-manual-sync windows 0",
        "windows enable-sync-overrun windows 0",
        "windows disable-manual-sync windows 1",
        "windows update windows 1 --duration 2m",
    )
    answer = installation.run("proj", "windows", "list", "windows")
    header, first, second = (line.split() for line in answer.output.splitlines())
    assert " ".join(header) == (
        "ID STATUS KIND SCHEDULE DURATION APPLICATIONS NAMESPACES CLUSTERS MANUALSYNC SYNCOVERRUN TIMEZONE"
        " USEANDOPERATOR"
    )
    assert " ".join(first) == "0 Active deny * * * * * 1h a,b - - Enabled Enabled Europe/Berlin Disabled"
    assert second[:2] + second[8:] == ["1", "Inactive", "2m", "-", "x", "y", "Disabled", "Disabled", "UTC", "Disabled"]
    assert answer.errors.splitlines()[1].startswith("1: opens 20")
    run(installation, "windows delete windows 0")
    assert [one["kind"] for one in spec(installation, "windows")["syncWindows"]] == ["allow"]


@pytest.mark.parametrize(("length", "words"), [("24h", "stays active, since it starts again"), ("23h59m", "closes 20")])
def test_a_window_that_starts_again_as_it_ends_does_not_close(
    installation: Installation, length: str, words: str
) -> None:
    project = f"whole-{length}"
    add = f"windows add {project} -k deny --schedule 0_0_*_*_* --duration {length} --applications *"
    run(installation, f"create {project}", add)
    told = installation.run("proj", "windows", "list", project).errors
    # In the last minute of a day the shorter one waits for the next.
    assert words in told or (length != "24h" and "opens 20" in told)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("create again -s https://git/b", "exists and says something else (pass --upsert"),
        ("add-source again https://git/a", "is there already"),
        ("remove-source again https://git/x", "did you mean https://git/a"),
        ("add-source again !*", "'!*' forbids everything"),
        ("get agian", "did you mean again"),
        ("role add-policy again ci -a sync -o *", "no role named ci"),
        ("role create again x-", "role 'x-': a name has letters"),
        ("role create-token again ci", "signed by a server"),
        ("windows add again -k deny --schedule 0_0_*_*_7 --duration 1h --applications *", "is not between 0 and 6"),
        ("windows add again -k deny --schedule 0_0_*_*_* --duration x --applications *", "sync window 0"),
        (
            "windows add again -k deny --schedule 0_0_*_*_* --duration 1h",
            "give it applications, namespaces or clusters",
        ),
        ("windows delete again 0", "the project has none"),
        ("delete default -y", "default cannot be deleted"),
        ("set default -d https://elsewhere,x", "would take source or destination from 1 Application: user"),
        ("delete used -y", "no project named used"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(installation: Installation, command: str, words: str) -> None:
    installation.run("proj", "create", "again", "-s", "https://git/a")
    installation.run(
        "app", "create", "user", "--repo", "https://git/a", "--path", "x", "--dest-namespace", "x",
        "--dest-server", "https://kubernetes.default.svc",
    )  # fmt: skip
    answer = installation.run("proj", *(word.replace("_", " ") for word in command.split()))
    assert (answer.code, answer.output) == (2, "")
    assert words in answer.errors


def test_a_sync_that_a_window_forbids_is_refused_with_the_window_and_when_it_opens(installation: Installation) -> None:
    run(
        installation,
        "create held -d https://kubernetes.default.svc,x -s *",
        "windows add held -k deny --schedule *_*_*_*_* --duration 1h --applications never",
        "windows add held -k allow --schedule 0_0_1_1_* --duration 1m --applications held",
    )
    installation.run(
        "app", "create", "held", "--project", "held", "--repo", "https://git/a", "--path", "x",
        "--dest-namespace", "x", "--dest-server", "https://kubernetes.default.svc",
    )  # fmt: skip
    answer = installation.run("app", "sync", "held")
    assert answer.code == 2
    assert "held is held by window allow '0 0 1 1 *' UTC for 1m of project held, opens 20" in answer.errors
    shown = installation.run("app", "get", "held").output
    assert "Sync Denied: held by window allow '0 0 1 1 *' UTC for 1m of project held, opens 20" in shown
    assert "Next Window:" in shown
    run(installation, "windows enable-manual-sync held 1")
    assert installation.run("app", "sync", "held", "--async").code == 0
