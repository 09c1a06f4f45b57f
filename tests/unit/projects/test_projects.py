"""Whether a project permits a source and a destination."""

import pytest

from syncline.apimachinery.globs import matches
from syncline.core.policy.denials import repo_denial
from syncline.core.policy.projects import destination_denials, source_denials
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.project import AppProject, ProjectDestination, ProjectSpec
from syncline.model.sources.permitted import repo_permitted
from syncline.model.sources.source import ApplicationSource
from tests.support.objects import typed_application

ANYWHERE = (ProjectDestination(server="*", namespace="*"),)
REPO = "https://git.example.com/shop.git"


def project(repos: tuple[str, ...] = ("*",), destinations: tuple[ProjectDestination, ...] = ANYWHERE) -> AppProject:
    found = typed_application("team").metadata
    return AppProject(metadata=found, spec=ProjectSpec(source_repos=repos, destinations=destinations))


@pytest.mark.parametrize(
    ("patterns", "permitted"),
    [
        ((), False),
        (("*",), True),
        ((REPO,), True),
        (("https://git.example.com/shop",), True),
        (("https://GIT.example.com/shop.git/",), True),
        (("https://git.example.com/*",), True),
        (("https://*",), False),
        (("https://**",), True),
        (("https://*/shop",), True),
        (("https://git.example.com/{shop,web}",), True),
        (("!https://git.example.com/shop.git",), False),
        (("*", "!https://git.example.com/shop.git"), False),
        (("!https://git.example.com/shop.git", "*"), False),
        (("!https://git.example.com/other.git",), True),
    ],
)
def test_repositories_match_by_glob_within_slashes_and_denials_win(patterns: tuple[str, ...], permitted: bool) -> None:
    assert (source_denials(typed_application(), project(patterns)) == ()) is permitted


@pytest.mark.parametrize("spelling", ["https://GIT.example.com/Shop", "https://git.example.com/shop/", f" {REPO}"])
def test_another_spelling_of_a_denied_repository_is_denied(spelling: str) -> None:
    assert not repo_permitted(spelling, ("*", f"!{REPO}"))


def rule(server: str = "", namespace: str = "*", name: str = "") -> ProjectDestination:
    return ProjectDestination(server=server, namespace=namespace, name=name)


@pytest.mark.parametrize(
    ("rules", "permitted"),
    [
        ((), False),
        ((rule("*"),), True),
        ((rule(names.IN_CLUSTER_SERVER, "shop"),), True),
        ((rule(names.IN_CLUSTER_SERVER, "sh*"),), True),
        ((rule(names.IN_CLUSTER_SERVER, "other"),), False),
        ((rule("https://*"),), True),
        ((rule("https://elsewhere"),), False),
        ((rule(name="in-cluster"),), True),
        ((rule("*", "!kube-system"),), True),
        ((rule("*", "!shop"),), False),
        ((rule("*"), rule("*", "!shop")), False),
        ((rule("!https://elsewhere"),), True),
        ((rule("*"), rule("!https://kubernetes.default.svc")), False),
    ],
)
def test_destinations_match_by_server_or_name_and_namespace_and_denials_win(
    rules: tuple[ProjectDestination, ...], permitted: bool
) -> None:
    assert (destination_denials(typed_application(), project(destinations=rules)) == ()) is permitted


@pytest.mark.parametrize("destination", [{"server": names.IN_CLUSTER_SERVER}, {"name": names.IN_CLUSTER_NAME}])
def test_the_own_cluster_may_be_named_by_address_or_by_name(destination: dict[str, str]) -> None:
    app = typed_application(destination={**destination, "namespace": "shop"})
    assert destination_denials(app, project(destinations=(rule(names.IN_CLUSTER_SERVER),))) == ()
    assert destination_denials(app, project(destinations=(rule(name=names.IN_CLUSTER_NAME),))) == ()


@pytest.mark.parametrize(
    ("url", "pattern", "told"),
    [
        ("https://git.example/team/shop", "https://git.example/*", "https://git.example/**"),
        ("https://git.example/a/b/c", "https://git.example/a/*", "https://git.example/a/**"),
        ("https://git.example/team/shop", "https://git.other/*", ""),
        ("https://git.example/team/shop", "https://git.example/tea", ""),
    ],
)
def test_a_star_that_stops_at_a_slash_is_told(url: str, pattern: str, told: str) -> None:
    why = repo_denial(url, project((pattern,), ())).why
    assert (f"{pattern}, and * does not match a slash ({told} does); to add it" in why) is bool(told)
    assert not told or repo_permitted(url, (told,))


def test_a_denial_names_the_project_the_list_and_what_to_add() -> None:
    app = typed_application()
    assert app.spec.source == ApplicationSource(repo_url=REPO, path="deploy")
    assert app.spec.destination == Destination(server=names.IN_CLUSTER_SERVER, namespace="shop")
    denying = project(("https://a/b",), ())
    found = (*source_denials(app, denying), *destination_denials(app, denying))
    assert [one.field for one in found] == ["spec.sourceRepos", "spec.destinations"]
    assert tuple(map(str, found)) == (
        (
            f"application repo {REPO} is not permitted in project 'team'"
            f" (spec.sourceRepos is https://a/b; to add it: syncline proj add-source team {REPO})"
        ),
        (
            f"application destination server '{names.IN_CLUSTER_SERVER}' and namespace 'shop' do not match any of the"
            " allowed destinations in project 'team' (no entry of spec.destinations allows it; to add it:"
            " syncline proj add-destination team https://kubernetes.default.svc shop)"
        ),
    )


@pytest.mark.parametrize(
    ("pattern", "value", "separator", "hit"),
    [
        ("a*c", "abbc", "", True),
        ("a*c", "a/c", "", True),
        ("a*c", "a/c", "/", False),
        ("a**c", "a/b/c", "/", True),
        ("a?c", "abc", "/", True),
        ("a?c", "a/c", "/", False),
        ("[a-c]x", "bx", "", True),
        ("[!a-c]x", "bx", "", False),
        ("{a,b}x", "bx", "", True),
        ("{a,b}x", "cx", "", False),
        ("a.c", "abc", "", False),
        ("a,b", "a,b", "", True),
        (r"\*", "*", "", True),
        ("[", "[", "", True),
    ],
)
def test_globs_know_stars_questions_classes_and_alternatives(
    pattern: str, value: str, separator: str, hit: bool
) -> None:
    assert matches(value, pattern, separator=separator) is hit
