"""What a set's text says would be refused, without a run: nothing for the operator's, each request of a project's."""

from typing import Any

import pytest

from syncline.core.policy.set_refusals import set_refusals, unlabelled_secrets
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.model.project import parse
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.settings import Settings

OPERATORS = SetTenancy(is_operators=True)
TEAM = SetTenancy(
    "team-a", behalf=(parse({"metadata": {"name": "team-a"}, "spec": {"sourceRepos": ["https://git.example/a/*"]}}),)
)
SECRETS = {
    "labelled": {"metadata": {"labels": {"argocd.argoproj.io/secret-type": "scm-creds"}}},
    "plain": {"metadata": {}},
    "argocd-secret": {"metadata": {}},
}


def appset(*generators: Any) -> dict[str, Any]:
    return {"metadata": {"name": "set", "namespace": "argocd"}, "spec": {"generators": list(generators)}}


def find(namespace: str, name: str) -> Any:
    return SECRETS.get(name) if namespace == "argocd" else None


def pull(secret: str, **more: str) -> dict[str, Any]:
    return {"pullRequest": {"github": {"owner": "o", "repo": "r", "tokenRef": {"secretName": secret}, **more}}}


@pytest.mark.parametrize(
    ("generator", "words"),
    [
        (pull("labelled"), ()),
        (pull("plain"), ("Secret argocd/plain is not available to the set",)),
        (pull("labelled", api="https://attacker.example"), ("https://attacker.example/api/v3 is not asked on behalf",)),
        (pull("labelled", api="{{api}}"), ()),
        ({"git": {"repoURL": "https://git.example/a/x"}}, ()),
        ({"git": {"repoURL": "https://git.example/b/x"}}, ("repository https://git.example/b/x is not permitted",)),
        ({"git": {"repoURL": "{{url}}"}}, ()),
        ({"plugin": {"configMapRef": {"name": "maker"}}}, ("plugin maker is not asked",)),
        (
            {"matrix": {"generators": [{"git": {"repoURL": "https://git.example/b/x"}}, pull("plain")]}},
            ("Secret argocd/plain is not available", "repository https://git.example/b/x is not permitted"),
        ),
        ({"git": "odd"}, ()),
        ("odd", ()),
    ],
)
def test_each_request_that_is_refused_is_told(generator: Any, words: tuple[str, ...]) -> None:
    told = set_refusals(appset(generator), TEAM, Settings(), find)
    assert len(told) == len(words)
    assert all(sentence.startswith(start) for sentence, start in zip(told, words, strict=True))
    assert set_refusals(appset(generator), OPERATORS, Settings(), find) == ()


def test_a_secret_of_the_installation_is_told_for_the_operators_sets_too() -> None:
    (told,) = set_refusals(appset(pull("argocd-secret")), OPERATORS, Settings(), find)
    assert told.startswith("Secret argocd/argocd-secret belongs to the installation")


def test_secrets_that_need_a_label_before_argo_cd_is_strict_are_listed() -> None:
    sets = appset(pull("plain"), pull("labelled"), pull("missing"), pull("argocd-secret"))
    assert [ref.name for ref in unlabelled_secrets(sets, OPERATORS, Settings(), find)] == ["plain"]
    assert unlabelled_secrets(sets, TEAM, Settings(), find) == ()
    strict = Settings(application_sets=ApplicationSets(strict_token_refs=True))
    assert unlabelled_secrets(sets, OPERATORS, strict, find) == ()
    assert any("argocd/plain needs the label" in told for told in set_refusals(sets, OPERATORS, strict, find))
