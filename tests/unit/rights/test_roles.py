"""The roles of a component: its namespaces, and nothing beyond them."""

from typing import Any

import pytest

from syncline.core import rights

COMPONENTS = ("controller", "server")


def granted(made: list[dict[str, Any]], kind: str, namespace: str = "") -> set[tuple[str, str]]:
    return {
        (resource, verb)
        for obj in made
        if obj["kind"] == kind and obj["metadata"].get("namespace", "") == namespace
        for rule in obj["rules"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


@pytest.mark.parametrize("component", COMPONENTS)
def test_an_installation_in_one_namespace_takes_no_right_outside_of_it(component: str) -> None:
    made = rights.manifests(component, "gitops")
    assert {obj["metadata"].get("namespace") for obj in made} == {"gitops"}
    assert {obj["kind"] for obj in made} == {"ServiceAccount", "Role", "RoleBinding"}


@pytest.mark.parametrize("component", COMPONENTS)
def test_namespaces_of_applications_hold_no_right_to_secrets_or_projects(component: str) -> None:
    made = rights.manifests(component, "gitops", application_namespaces=("team-a", "gitops"))
    there = granted(made, "Role", "team-a")
    assert ("applications", "patch") in there
    assert {resource for resource, _ in there} == (
        {"applications", "applicationsets", "events"}
        | ({"applicationsets/status"} if component == "controller" else set())
    )
    binding = next(obj for obj in made if obj["kind"] == "RoleBinding" and obj["metadata"]["namespace"] == "team-a")
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": f"syncline-{component}", "namespace": "gitops"}]


@pytest.mark.parametrize("component", COMPONENTS)
def test_patterns_of_namespaces_take_a_cluster_role_for_applications_alone(component: str) -> None:
    made = rights.manifests(component, "gitops", application_namespaces=("team-*",))
    everywhere = granted(made, "ClusterRole")
    assert ("applications", "list") in everywhere
    assert not {"secrets", "configmaps", "appprojects", "leases"} & {resource for resource, _ in everywhere}
    assert ("secrets", "list") in granted(made, "Role", "gitops")


@pytest.mark.parametrize("component", COMPONENTS)
def test_no_role_can_be_used_to_gain_another(component: str) -> None:
    made = rights.manifests(component, "gitops", application_namespaces=("team-a", "*"))
    everything = [rule for obj in made for rule in obj.get("rules", ())]
    assert not {"escalate", "bind", "impersonate", "*"} & {verb for rule in everything for verb in rule["verbs"]}
    assert "*" not in {resource for rule in everything for resource in rule["resources"]}
    assert "rbac.authorization.k8s.io" not in {group for rule in everything for group in rule["apiGroups"]}


def test_only_accounts_that_are_named_may_be_impersonated() -> None:
    made = rights.manifests("controller", "gitops", impersonated=("web:deployer", "web:other", "shop:*"))
    roles = {
        obj["metadata"]["namespace"]: obj["rules"]
        for obj in made
        if "impersonates" in obj["metadata"]["name"] and "rules" in obj
    }
    accounts = {"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["impersonate"]}
    assert roles == {"web": [{**accounts, "resourceNames": ["deployer", "other"]}], "shop": [accounts]}


@pytest.mark.parametrize("account", ["deployer", "web:", ":deployer", "*:deployer"])
def test_an_account_without_its_namespace_is_refused(account: str) -> None:
    with pytest.raises(ValueError, match="NAMESPACE:NAME"):
        rights.manifests("controller", "gitops", impersonated=(account,))
