"""What is wrong with a project as written; the table states the checks of Argo CD's server."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.core.policy import project_form
from syncline.model import project


def problems(**spec: Any) -> list[str]:
    return project_form.problems(project.parse({"metadata": {"name": "team"}, "spec": spec}))


def role(*policies: str, name: str = "ci", groups: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"roles": [{"name": name, "policies": list(policies), "groups": list(groups)}]}


WINDOW = {"kind": "deny", "schedule": "0 0 * * *", "duration": "1h", "applications": ["*"]}
RIGHT: list[dict[str, Any]] = [
    {},
    {"destinations": [{"server": "a", "namespace": "x"}, {"name": "a", "namespace": "y"}]},
    {"sourceRepos": ["*", "!https://git/secret"]},
    role("p, proj:team:ci, applications, sync, team/*, allow"),
    role("p, proj:team:ci, applications, *, team/ns/shop, deny"),
    role("p, proj:team:ci, applications, action/apps/Deployment/restart, team/*, allow"),
    role("p, proj:team:ci, logs, get, team/*, allow", groups=("a:b", "c d")),
    {"syncWindows": [WINDOW, {**WINDOW, "duration": "2h"}]},
    {"destinationServiceAccounts": [{"server": "*", "namespace": "{a,b}", "defaultServiceAccount": "robots:ci"}]},
]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"destinations": [{"server": "a", "namespace": "x"}, {"name": "a", "namespace": "x"}]}, "'a/x' is there twice"),
    ({"destinations": [{"server": "!*", "namespace": "x"}]}, "'!*' forbids everything"),
    ({"destinations": [{"server": "a", "namespace": "!*"}]}, "'!*' forbids everything"),
    ({"sourceRepos": ["!*"]}, "'!*' forbids everything"),
    ({"sourceRepos": ["a", "a"]}, "spec.sourceRepos: 'a' is there twice"),
    ({"sourceNamespaces": ["a", "a"]}, "spec.sourceNamespaces: 'a' is there twice"),
    ({"roles": [{"name": "a"}, {"name": "a"}]}, "spec.roles: 'a' is there twice"),
    (role(name="-a"), "a name has letters"),
    (role(groups=("a", "a")), "group 'a' is there twice"),
    (role("p, proj:team:ci, applications, sync, team/*"), "the form is p,"),
    (role("g, alice, proj:team:ci"), "the form is p,"),
    (role("p, proj:team:cd, applications, sync, team/*, allow"), "the subject is proj:team:ci"),
    (role("p, proj:other:ci, applications, sync, team/*, allow"), "the subject is proj:team:ci"),
    (role("p, proj:team:ci, projects, get, team/*, allow"), "the resource is one of"),
    (role("p, proj:team:ci, applications, dance, team/*, allow"), "the action 'dance' is unknown"),
    (role("p, proj:team:ci, applications, get, other/*, allow"), "the object is team/*"),
    (role("p, proj:team:ci, applications, get, */*, allow"), "the object is team/*"),
    (role("p, proj:team:ci, applications, get, team, allow"), "the object is team/*"),
    (role("p, proj:team:ci, applications, get, team/*, yes"), "the effect is allow or deny"),
    ({"syncWindows": [WINDOW, WINDOW]}, "sync window 1"),
    ({"syncWindows": [{**WINDOW, "kind": "permit"}]}, "kind 'permit' is unknown"),
    ({"syncWindows": [{**WINDOW, "schedule": "0 0 * * 7"}]}, "is not between 0 and 6"),
    ({"syncWindows": [{**WINDOW, "duration": "1 hour"}]}, "sync window 0"),
    ({"syncWindows": [{**WINDOW, "applications": []}]}, "give it applications, namespaces or clusters"),
    ({"syncWindows": [{**WINDOW, "description": "x" * 256}]}, "longer than 255"),
    ({"destinationServiceAccounts": [{"server": "!a", "defaultServiceAccount": "x"}]}, "'!a' is not a pattern"),
    ({"destinationServiceAccounts": [{"server": "[a", "defaultServiceAccount": "x"}]}, "'[a' is not a pattern"),
    ({"destinationServiceAccounts": [{"server": "a", "defaultServiceAccount": " "}]}, "not the name of a service"),
    ({"destinationServiceAccounts": [{"server": "a", "defaultServiceAccount": "a*"}]}, "not the name of a service"),
]


@pytest.mark.parametrize("spec", RIGHT)
def test_a_right_project_has_no_problems(spec: dict[str, Any]) -> None:
    assert problems(**spec) == []


@pytest.mark.parametrize(("spec", "words"), WRONG)
def test_every_mistake_is_told(spec: dict[str, Any], words: str) -> None:
    (found,) = problems(**spec)
    assert words in found
