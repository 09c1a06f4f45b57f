"""Which Secrets generators may use: labelled ones, never the installation's own, and nothing is learned of others."""

import base64
from typing import Any

import pytest

from syncline.core.policy.set_tenancy import SetTenancy
from syncline.core.policy.token_refs import SecretUse, TokenRef, refs_of, refusal
from syncline.model.project import parse
from syncline.model.settings.parts import ApplicationSets

OPERATORS = SetTenancy(is_operators=True)
TEAM = parse({"metadata": {"name": "team-a"}, "spec": {"sourceRepos": ["https://github.com/acme/*"]}})
TENANT = SetTenancy("team-a", behalf=(TEAM,))
LENIENT, STRICT = ApplicationSets(), ApplicationSets(strict_token_refs=True)


def secret(kind: str = "", type_: str = "Opaque", **data: str) -> dict[str, Any]:
    labels = {"argocd.argoproj.io/secret-type": kind} if kind else {}
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in data.items()}
    return {"kind": "Secret", "metadata": {"labels": labels}, "type": type_, "data": encoded}


def denied(
    ref: TokenRef, found: Any, whose: SetTenancy = TENANT, settings: ApplicationSets = LENIENT, home: str = "argocd"
) -> str:
    return refusal(ref, found, whose, settings, home)


TOKEN = TokenRef("argocd", "github", "token")


@pytest.mark.parametrize(
    ("found", "tenant", "lenient", "strict"),
    [
        (secret("scm-creds"), True, True, True),
        (secret(), False, True, False),
        (secret("repository"), False, False, False),
        (secret("repository-write"), False, False, False),
        (secret("repo-creds"), False, False, False),
        (secret("cluster"), False, False, False),
        (secret(type_="kubernetes.io/service-account-token"), False, False, False),
        (secret("scm-creds", "kubernetes.io/service-account-token"), False, False, False),
        (secret("scm-creds", project="team-a"), True, True, True),
        (secret("scm-creds", project="team-b"), False, True, True),
    ],
)
def test_a_token_comes_from_a_secret_that_is_labelled_for_it(
    found: Any, tenant: bool, lenient: bool, strict: bool
) -> None:
    assert (denied(TOKEN, found) == "") is tenant
    assert (denied(TOKEN, found, OPERATORS, LENIENT) == "") is lenient
    assert (denied(TOKEN, found, OPERATORS, STRICT) == "") is strict


@pytest.mark.parametrize(
    "name",
    [
        "argocd-secret",
        "argocd-initial-admin-secret",
        "argocd-notifications-secret",
        "argocd-redis",
        "argocd-server-tls",
    ],
)
@pytest.mark.parametrize("key", ["server.secretkey", "admin.password", "plugin.token", "token"])
def test_secrets_of_the_installation_go_to_no_code_host_whatever_label_they_have(name: str, key: str) -> None:
    ref = TokenRef("argocd", name, key)
    for whose in (TENANT, OPERATORS):
        for found in (secret("scm-creds"), secret(), None):
            assert denied(ref, found, whose)
    app = TokenRef("argocd", name, use=SecretUse.APP)
    assert denied(app, secret("repo-creds"), OPERATORS)


def test_a_secret_of_that_name_in_another_namespace_is_not_the_installations() -> None:
    ref = TokenRef("team-a", "argocd-secret", "token")
    assert denied(ref, secret("scm-creds")) == ""


def test_a_plugin_has_its_own_keys_of_the_common_secret_and_other_secrets() -> None:
    def plugin(name: str, key: str, found: Any) -> str:
        return denied(TokenRef("argocd", name, key, SecretUse.PLUGIN), found)

    assert plugin("argocd-secret", "plugin.maker.token", secret()) == ""
    assert "belongs to the installation" in plugin("argocd-secret", "server.secretkey", secret())
    assert plugin("argocd-secret", "webhook.github.secret", secret())
    assert plugin("argocd-secret", "xplugin.token", secret())
    assert plugin("maker", "token", secret()) == ""
    for kind in ("cluster", "repository", "repo-creds"):
        assert plugin("maker", "token", secret(kind))
    assert plugin("argocd-initial-admin-secret", "plugin.token", secret())


def test_a_project_learns_nothing_of_secrets_that_it_may_not_use() -> None:
    told = {
        denied(TOKEN, found)
        for found in (None, secret(), secret("cluster"), secret("repo-creds"), secret("scm-creds", project="team-b"))
    }
    assert told == {
        "Secret argocd/github is not available to the set: it needs the label argocd.argoproj.io/secret-type: scm-creds"
    }


@pytest.mark.parametrize(
    ("found", "permitted"),
    [
        (secret("repo-creds", url="https://github.com/acme"), True),
        (secret("repo-creds", url="https://github.com/other"), False),
        (secret("repo-creds", url="https://github.com"), False),
        (secret("repo-creds"), False),
        (secret("repo-creds", url="https://github.com/acme", project="team-b"), False),
        (secret("scm-creds", url="https://github.com/acme"), False),
        (None, False),
    ],
)
def test_a_github_app_is_used_for_a_project_that_may_read_its_repositories(found: Any, permitted: bool) -> None:
    ref = TokenRef("argocd", "app", use=SecretUse.APP)
    assert (denied(ref, found) == "") is permitted
    assert (denied(ref, secret("repo-creds"), OPERATORS) == "") is True


def test_on_behalf_of_nobody_no_secret_is_used() -> None:
    nobody = SetTenancy("gone")
    app = secret("repo-creds", url="https://github.com/acme")
    assert denied(TokenRef("argocd", "app", use=SecretUse.APP), app, nobody)


REF = {"secretName": "s1", "key": "k"}


def test_every_reference_of_a_set_is_found() -> None:
    generators = [
        {"scmProvider": {"github": {"tokenRef": REF}, "values": {"tokenRef": {"secretName": "no"}}}},
        {"pullRequest": {"bitbucketServer": {"basicAuth": {"passwordRef": {"secretName": "s2", "key": "k"}}}}},
        {"pullRequest": {"bitbucketServer": {"bearerToken": {"tokenRef": {"secretName": "s3", "key": "k"}}}}},
        {"matrix": {"generators": [{"scmProvider": {"bitbucket": {"appPasswordRef": {"secretName": "s4"}}}}]}},
        {"merge": {"generators": [{"scmProvider": {"azureDevOps": {"accessTokenRef": {"secretName": "s5"}}}}]}},
        {"scmProvider": {"github": {"appSecretName": "app", "tokenRef": {"secretName": "{{name}}"}}}},
        {"list": {"elements": []}, "template": {"tokenRef": {"secretName": "no"}}},
    ]
    appset = {"metadata": {"name": "set", "namespace": "team"}, "spec": {"generators": generators}}
    found = refs_of(appset, "argocd")
    assert [(one.namespace, one.name) for one in found] == [
        ("team", "s1"),
        ("team", "s2"),
        ("team", "s3"),
        ("team", "s4"),
        ("team", "s5"),
        ("argocd", "app"),
    ]
    assert refs_of({"spec": {"generators": "odd"}}, "argocd") == ()
