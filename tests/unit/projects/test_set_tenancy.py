"""Whose an ApplicationSet is, and which projects are admin-equivalent."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.policy.admin_projects import deciding_kinds
from syncline.core.policy.set_tenancy import SetTenancy, tenancy
from syncline.model.project import AppProject, parse

HOME = "argocd"
ANYWHERE = [{"server": "*", "namespace": "*"}]


def project(name: str, **spec: Any) -> AppProject:
    return parse({"metadata": {"name": name}, "spec": spec})


def appset(project: str | None, namespace: str = HOME, mark: str = "") -> Object:
    annotations = {"syncline.io/project": mark} if mark else {}
    template = {"spec": {} if project is None else {"project": project}}
    return {
        "metadata": {"name": "fleet", "namespace": namespace, "annotations": annotations},
        "spec": {"template": template},
    }


DEFAULT = project("default", destinations=ANYWHERE)
TEAM_A = project("team-a", destinations=[{"server": "*", "namespace": "a-*"}], sourceNamespaces=["a-sets"])
TEAM_B = project("team-b", destinations=[{"server": "*", "namespace": "b-*"}])
PROJECTS = (DEFAULT, TEAM_A, TEAM_B)
OPERATORS = SetTenancy(is_operators=True)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(appset("{{.project}}"), OPERATORS, id="templated project in the control-plane namespace"),
        pytest.param(appset(None), OPERATORS, id="no project in the control-plane namespace"),
        pytest.param(appset("default"), SetTenancy("default", is_operators=True), id="admin-equivalent project"),
        pytest.param(appset("team-a"), SetTenancy("team-a", behalf=(TEAM_A,)), id="literal project"),
        pytest.param(
            appset("default", mark="default"), SetTenancy("default", behalf=(DEFAULT,)), id="marked by the API"
        ),
        pytest.param(appset("team-b", mark="team-a"), SetTenancy("team-a", behalf=(TEAM_A,)), id="the mark wins"),
        pytest.param(
            appset("{{.project}}", mark="team-a"), SetTenancy("team-a", behalf=(TEAM_A,)), id="marked template"
        ),
        pytest.param(appset("gone"), SetTenancy("gone"), id="unknown project permits nothing"),
        pytest.param(appset("{{.project}}", "a-sets"), SetTenancy(behalf=(TEAM_A,)), id="sourceNamespaces decides"),
        pytest.param(appset("default", "a-sets"), SetTenancy("default", behalf=(DEFAULT,)), id="literal elsewhere"),
        pytest.param(appset("{{.project}}", "other"), SetTenancy(), id="namespace that no project permits"),
    ],
)
def test_set_belongs_to_its_project_or_to_the_operator(obj: Object, expected: SetTenancy) -> None:
    assert tenancy(obj, PROJECTS, HOME) == expected


@pytest.mark.parametrize("template", [None, "text", {"spec": "text"}, {"spec": {"project": 7}}])
def test_malformed_template_names_no_project(template: Any) -> None:
    obj = {"metadata": {"name": "fleet", "namespace": "other"}, "spec": {"template": template}}
    assert tenancy(obj, PROJECTS, HOME) == SetTenancy()


@pytest.mark.parametrize(
    ("spec", "kinds"),
    [
        ({"destinations": ANYWHERE}, 9),
        ({"destinations": [{"server": "https://kubernetes.default.svc", "namespace": HOME}]}, 9),
        ({"destinations": [{"name": "in-cluster", "namespace": "arg*"}]}, 9),
        ({"destinations": ANYWHERE, "namespaceResourceWhitelist": [{"group": "argoproj.io", "kind": "*"}]}, 3),
        ({"destinations": ANYWHERE, "namespaceResourceWhitelist": [{"group": "", "kind": "Service"}]}, 0),
        ({"destinations": [*ANYWHERE, {"server": "*", "namespace": "!argocd"}]}, 0),
        ({"destinations": [{"server": "https://elsewhere", "namespace": "*"}]}, 0),
        ({}, 0),
    ],
)
def test_project_that_delivers_what_decides_is_admin_equivalent(spec: dict[str, Any], kinds: int) -> None:
    assert len(deciding_kinds(project("p", **spec), HOME)) == kinds
