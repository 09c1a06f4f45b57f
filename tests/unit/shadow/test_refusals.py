"""Which sets and Secrets of a running Argo CD would be refused after a move, with the reason."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.appset.refusals import refused_requests, refused_sets
from syncline.core.shadow import report
from syncline.model.project import AppProject, parse
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.settings import Settings
from syncline.model.shadow import Mark, Refusals, RefusedObject

HOME = "argocd"
SETTINGS = Settings(namespace=HOME)
STRICT = Settings(namespace=HOME, application_sets=ApplicationSets(strict_token_refs=True))


def project(name: str, **spec: Any) -> AppProject:
    return parse({"metadata": {"name": name}, "spec": spec})


PROJECTS = {
    "default": project("default", destinations=[{"server": "*", "namespace": "*"}]),
    "team-a": project("team-a", destinations=[{"server": "*", "namespace": "a-*"}], sourceNamespaces=["a-sets"]),
    "team-b": project("team-b", destinations=[{"server": "*", "namespace": "b-*"}]),
}


def appset(project: str, *generators: Object, namespace: str = HOME) -> Object:
    return {
        "metadata": {"name": "fleet", "namespace": namespace, "uid": "own"},
        "spec": {"generators": list(generators), "template": {"spec": {"project": project}}},
    }


def over(project: str) -> Object:
    return {"list": {"template": {"spec": {"project": project}}}}


def made(name: str, project: str, uid: str = "own", namespace: str = HOME) -> Object:
    owner = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "name": "fleet", "uid": uid}
    metadata = {"name": name, "namespace": namespace, "ownerReferences": [{**owner, "controller": True}]}
    return {"metadata": metadata, "spec": {"project": project}}


@pytest.mark.parametrize(
    ("obj", "apps", "words"),
    [
        pytest.param(appset("team-a", over("team-b")), [], "spec.generators[0].list.template", id="generator template"),
        pytest.param(
            appset("team-a", over("{{p}}")), [made("x", "default")], "x in project default", id="what it made"
        ),
        pytest.param(appset("team-b", namespace="a-sets"), [], "spec.sourceNamespaces", id="namespace not listed"),
        pytest.param(
            appset("{{p}}", namespace="other"), [], "no project lists namespace other", id="templated elsewhere"
        ),
        pytest.param(
            appset("{{p}}", namespace="a-sets"),
            [made("x", "team-b", namespace="a-sets")],
            "x in project team-b",
            id="templated, made in a project without the namespace",
        ),
        pytest.param(
            appset("team-a"), [made("x", "team-b", uid="older")], "may not take it", id="older set of its name"
        ),
    ],
)
def test_set_that_would_be_refused_is_listed_with_its_reason(obj: Object, apps: list[Object], words: str) -> None:
    (refused,) = refused_sets([obj], apps, PROJECTS, SETTINGS)
    assert (refused.kind, refused.name) == ("ApplicationSet", f"{obj['metadata']['namespace']}/fleet")
    assert words in refused.why


@pytest.mark.parametrize(
    ("obj", "apps"),
    [
        (appset("team-a", over("team-a")), [made("x", "team-a")]),
        (appset("{{p}}"), [made("x", "team-a"), made("y", "team-b")]),
        (appset("team-a", namespace="a-sets"), [made("x", "team-a", namespace="a-sets")]),
        (appset("team-a"), [made("x", "team-a", uid="older")]),
        (appset("team-a"), [made("x", "team-b", namespace="elsewhere")]),
    ],
)
def test_set_that_goes_on_is_not_listed(obj: Object, apps: list[Object]) -> None:
    assert list(refused_sets([obj], apps, PROJECTS, SETTINGS)) == []


def token(name: str) -> Object:
    return {"scmProvider": {"github": {"organization": "o", "tokenRef": {"secretName": name, "key": "token"}}}}


GIT = {"git": {"repoURL": "https://git.example/x", "revision": "main", "directories": [{"path": "*"}]}}


def secret(label: str = "") -> Object:
    return {"metadata": {"name": "x", "labels": {"argocd.argoproj.io/secret-type": label} if label else {}}}


@pytest.mark.parametrize(
    ("obj", "secrets", "settings", "words"),
    [
        pytest.param(appset("team-a", token("mine")), {"mine": secret()}, SETTINGS, "label", id="tenant, no label"),
        pytest.param(appset("team-a", token("mine")), {"mine": secret("scm-creds")}, SETTINGS, "", id="tenant, label"),
        pytest.param(appset("{{p}}", token("mine")), {"mine": secret()}, SETTINGS, "", id="operator"),
        pytest.param(appset("{{p}}", token("mine")), {"mine": secret()}, STRICT, "label", id="operator, strict"),
        pytest.param(appset("{{p}}", token("argocd-secret")), {}, SETTINGS, "the installation", id="argocd-secret"),
        pytest.param(appset("team-a", token("gone")), {}, SETTINGS, "", id="one that is not there"),
    ],
)
def test_secret_that_a_set_may_not_use_is_listed(
    obj: Object, secrets: dict[str, Object], settings: Settings, words: str
) -> None:
    by_place = {(HOME, name): one for name, one in secrets.items()}
    listed = list(refused_requests(obj, by_place, PROJECTS, settings))
    assert [one.kind for one in listed] == (["Secret"] if words else [])
    assert all(words in one.why for one in listed)


@pytest.mark.parametrize(
    ("obj", "words"), [(appset("team-a", GIT), "https://git.example/x"), (appset("{{p}}", GIT), "")]
)
def test_request_that_the_project_does_not_permit_is_listed(obj: Object, words: str) -> None:
    listed = list(refused_requests(obj, {}, PROJECTS, SETTINGS))
    assert [one.kind for one in listed] == (["ApplicationSet"] if words else [])
    assert all(words in one.why for one in listed)


def test_report_lists_what_was_recorded_last() -> None:
    one = RefusedObject("ApplicationSet", "argocd/fleet", "it leaves its project")
    began = Mark(time="2026-01-01T00:00:00Z", what="began")
    before = Refusals(time="2026-01-01T00:00:00Z", objects=(one, RefusedObject("Secret", "argocd/x", "no label")))
    after = Refusals(time="2026-01-01T01:00:00Z", objects=(one,))
    assert report([began, before, after]).refused == (one,)
    assert report([began]).refused == ()
