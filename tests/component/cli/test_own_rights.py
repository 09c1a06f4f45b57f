"""`admin rbac` prints roles that a cluster takes; `doctor` says what an identity lacks of them, and has beyond."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery import yaml
from tests.support.installation import Installation, installed


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("rights")) as found:
        yield found


def as_account(site: Installation, folder: Path, account: str) -> str:
    """Return a kubeconfig of a service account of the installation."""
    token = site.kubectl("create", "token", account, "-n", "argocd").strip()
    config = json.loads(site.kubectl("config", "view", "--raw", "-o", "json"))
    config["users"] = [{"name": one["name"], "user": {"token": token}} for one in config["users"]]
    file = folder / f"{account}.kubeconfig"
    file.write_text(json.dumps(config))
    return str(file)


def checks(site: Installation, kubeconfig: str) -> dict[str, Any]:
    answer = site.run_apart("doctor", "-o", "json", "--kubeconfig", kubeconfig)
    return {check["name"]: check for check in json.loads(answer.output)["checks"]}


def printed(site: Installation, *flags: str) -> str:
    answer = site.run_apart("admin", "rbac", *flags)
    assert answer.code == 0, answer.errors
    return answer.output


def apply(site: Installation, folder: Path, text: str) -> None:
    file = folder / "roles.yaml"
    file.write_text(text)
    site.kubectl("apply", "-f", str(file))


@pytest.mark.parametrize("component", ["controller", "server"])
def test_under_the_printed_roles_a_component_lacks_nothing_and_has_nothing_beyond(
    site: Installation, tmp_path: Path, component: str
) -> None:
    apply(site, tmp_path, printed(site, "--component", component))
    found = checks(site, as_account(site, tmp_path, f"syncline-{component}"))
    assert found[f"rights of the {component}"]["status"] == "ok"
    assert (found["rights beyond"]["status"], found["rights beyond"]["found"]) == ("ok", "nothing")


def test_what_a_component_lacks_is_named_with_the_command_that_gives_it(site: Installation, tmp_path: Path) -> None:
    made = json.loads(printed(site, "--component", "controller", "-o", "json"))
    (role,) = (obj for obj in made if obj["kind"] == "Role")
    role["rules"] = [rule for rule in role["rules"] if rule["resources"] != ["leases"]]
    apply(site, tmp_path, yaml.dump_all(made))
    lacking = checks(site, as_account(site, tmp_path, "syncline-controller"))["rights of the controller"]
    assert lacking["status"] == "warning"
    assert "leases.coordination.k8s.io in argocd" in lacking["found"]
    assert "admin rbac --component controller -N argocd" in lacking["fix"]


def test_a_server_that_may_impersonate_or_read_all_secrets_is_warned_of(site: Installation, tmp_path: Path) -> None:
    apply(site, tmp_path, printed(site, "--component", "server"))
    rules = [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]},
    ]
    api, name = "rbac.authorization.k8s.io", "too-much"
    site.apply({"apiVersion": f"{api}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules})
    bound = {
        "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": "syncline-server", "namespace": "argocd"}],
    }
    site.apply({"apiVersion": f"{api}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name}, **bound})
    beyond = checks(site, as_account(site, tmp_path, "syncline-server"))["rights beyond"]
    assert beyond["status"] == "warning"
    assert "impersonate users" in beyond["found"]
    assert "it reads the Secrets of all namespaces" in beyond["found"]


def test_roles_of_a_diagnosis_are_those_that_diagnose_prints(site: Installation) -> None:
    made = site.run("admin", "rbac", "--component", "diagnose", "-o", "json")
    role = site.run("diagnose", "--print-rbac")
    kinds = {obj["kind"]: obj for obj in json.loads(made.output)}
    assert set(kinds) == {"ServiceAccount", "ClusterRole", "ClusterRoleBinding"}
    assert kinds["ClusterRole"] == yaml.load(role.output)


@pytest.mark.parametrize(
    "flags",
    [
        ("--component", "server", "--impersonate", "web:deployer"),
        ("--component", "controller", "--impersonate", "deployer"),
        ("--component", "diagnose", "--application-namespace", "x"),
    ],
)
def test_flags_that_mean_nothing_are_refused(site: Installation, flags: tuple[str, ...]) -> None:
    assert site.run_apart("admin", "rbac", *flags).code == 2
