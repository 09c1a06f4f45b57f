"""A key that nobody reads is told with the key that was meant and the home where that is read."""

from __future__ import annotations

import pytest

from syncline.core.settings.keys import Home, catalogue
from syncline.core.settings.nearest import likely_typo, nearest_of
from syncline.core.settings.report import ProblemCode
from tests.unit.settings.writing import of_key, only


@pytest.mark.parametrize(
    ("home", "written", "meant", "right_home"),
    [
        (Home.CM, "resource.server-side-diff", "controller.diff.server.side", Home.PARAMS),
        (Home.CM, "server-side-diff.enabled", "controller.diff.server.side", Home.PARAMS),
        (Home.PARAMS, "ignore.normalizer.jq.timeout", "controller.ignore.normalizer.jq.timeout", Home.PARAMS),
        (Home.CM, "resource.exclusion", "resource.exclusions", Home.CM),
        (Home.CM, "resource.compareOptions", "resource.compareoptions", Home.CM),
        (Home.CM, "timeout.reconcilation", "timeout.reconciliation", Home.CM),
        (Home.CM, "application.instancelabelkey", "application.instanceLabelKey", Home.CM),
        (Home.CM, "kustomize.build.options", "kustomize.buildOptions", Home.CM),
        (Home.CM, "helm.enabled", "helm.enable", Home.CM),
        (Home.CM, "sync.wave.delay", "controller.sync.wave.delay.seconds", Home.PARAMS),
        (Home.PARAMS, "controller.statusProcessors", "controller.status.processors", Home.PARAMS),
        (Home.PARAMS, "application.namespace", "application.namespaces", Home.PARAMS),
        (Home.PARAMS, "reposerver.parallelism", "reposerver.parallelism.limit", Home.PARAMS),
        (Home.RBAC, "policy.defualt", "policy.default", Home.RBAC),
        (Home.RBAC, "policy.match.mode", "policy.matchMode", Home.RBAC),
        (
            Home.CM,
            "resource.customization.health.apps_Deployment",
            "resource.customizations.health.apps_Deployment",
            Home.CM,
        ),
        (
            Home.CM,
            "resource.customizations.ignoredifferences.all",
            "resource.customizations.ignoreDifferences.all",
            Home.CM,
        ),
        (Home.CM, "account.alice", "accounts.alice", Home.CM),
    ],
)
def test_a_misspelt_key_is_told_with_the_one_that_was_meant(
    home: Home, written: str, meant: str, right_home: Home
) -> None:
    problem = only(of_key(home, written, "x"))
    assert (problem.kind, problem.key, problem.home) == (ProblemCode.UNREAD, written, home)
    assert (problem.nearest, problem.right_home) == (meant, right_home)
    assert problem.message == f"{written} is not a setting; nothing reads it"


@pytest.mark.parametrize("written", ["foo", "resource.timeout", "colour.of.the.page", "1", "-", "ä.ö"])
def test_a_key_that_is_close_to_nothing_gets_no_guess(written: str) -> None:
    problem = only(of_key(Home.CM, written, "x"))
    assert (problem.nearest, problem.right_home, problem.fix) == ("", "", "remove it")


@pytest.mark.parametrize(
    ("home", "key", "right_home"),
    [
        (Home.CM, "controller.diff.server.side", Home.PARAMS),
        (Home.CM, "application.namespaces", Home.PARAMS),
        (Home.CM, "server.insecure", Home.PARAMS),
        (Home.CM, "policy.default", Home.RBAC),
        (Home.CM, "policy.csv", Home.RBAC),
        (Home.CM, "webhook.github.secret", Home.SECRET),
        (Home.CM, "ARGOCD_EXEC_TIMEOUT", Home.ENV),
        (Home.PARAMS, "timeout.reconciliation", Home.CM),
        (Home.PARAMS, "resource.customizations.health.apps_Deployment", Home.CM),
        (Home.RBAC, "accounts.alice", Home.CM),
    ],
)
def test_a_key_in_the_wrong_home_is_told_with_the_right_one(home: Home, key: str, right_home: Home) -> None:
    problem = only(of_key(home, key, "x"))
    where = "the environment" if right_home is Home.ENV else right_home
    assert (problem.kind, problem.nearest, problem.right_home) == (ProblemCode.UNREAD, key, right_home)
    assert problem.message == f"{key} is read from {where}, not from {home}; nothing reads it here"


def test_a_value_in_the_wrong_home_has_no_effect() -> None:
    assert not of_key(Home.CM, "controller.diff.server.side", "true").settings.server_side_diff
    assert of_key(Home.PARAMS, "controller.diff.server.side", "true").settings.server_side_diff


@pytest.mark.parametrize(
    ("key", "since"),
    [("repositories", "3.0"), ("repository.credentials", "3.0"), ("configManagementPlugins", "2.8")],
)
def test_a_key_of_former_times_is_told_with_what_took_its_place(key: str, since: str) -> None:
    problem = only(of_key(Home.CM, key, "- url: https://git.example.com"))
    assert problem.message == f"{key} has not been read since Argo CD {since}"
    assert problem.fix.startswith("remove it; instead: ")


@pytest.mark.parametrize(
    ("written", "words", "meant"),
    [
        ("ignoreDifferences", ["resourceIgnoreDifferences", "resourceHealthChecks"], "resourceIgnoreDifferences"),
        ("Kinds", ["kinds", "clusters"], "kinds"),
        ("apigroup", ["apiGroups", "kinds"], "apiGroups"),
        ("xyz", ["apiGroups", "kinds"], ""),
        ("", ["apiGroups"], ""),
        ("a", [], ""),
    ],
)
def test_of_a_closed_list_the_word_that_was_meant_is_found(written: str, words: list[str], meant: str) -> None:
    assert nearest_of(written, words) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ARGOCD_CONTROLLER_REPLICSA", "ARGOCD_CONTROLLER_REPLICAS"),
        ("ARGOCD_APP_STATE_CACHE_EXPIRTION", "ARGOCD_APP_STATE_CACHE_EXPIRATION"),
        ("ARGOCD_APP_STATECACHE_EXPIRATION", "ARGOCD_APP_STATE_CACHE_EXPIRATION"),
        ("ARGOCD_APPLICATIONSET_CONTROLLER_REPLICA", ""),
    ],
)
def test_a_variable_is_taken_for_another_only_where_no_word_of_it_is_another_word(name: str, meant: str) -> None:
    assert likely_typo(name, catalogue().by_env) == meant
