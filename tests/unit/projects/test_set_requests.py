"""What generators of a project's set may ask: repositories, code hosts, plugins and clusters that a project permits."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.core.appset import hosts
from syncline.core.appset.questions import (
    ClustersQuestion,
    ConfigMapQuestion,
    DirectoriesQuestion,
    FilesQuestion,
    GeneratorError,
    ObjectsQuestion,
    PageQuestion,
    PermittedClusters,
    PluginQuestion,
    Question,
)
from syncline.core.policy import set_requests
from syncline.core.policy.set_requests import page_refusal, plugin_refusal, request_refusal, visible_clusters
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.model.cluster import KnownCluster
from syncline.model.project import AppProject, parse
from syncline.model.settings.parts import ApplicationSets
from syncline.model.sources.permitted import repo_permitted

OPERATORS = SetTenancy(is_operators=True)
REPO = "https://git.example/team-a/shop.git"


def project(name: str = "team-a", **spec: Any) -> AppProject:
    return parse({"metadata": {"name": name, "namespace": "argocd"}, "spec": spec})


def tenants(*projects: AppProject) -> SetTenancy:
    return SetTenancy(behalf=projects)


TEAM_A = project(sourceRepos=["https://git.example/team-a/*"], destinations=[{"server": "*", "namespace": "*"}])
TEAM_B = project("team-b", sourceRepos=["https://git.example/team-b/*"])


@pytest.mark.parametrize(
    ("url", "whose", "permitted"),
    [
        (REPO, tenants(TEAM_A), True),
        ("https://git.example/TEAM-A/shop", tenants(TEAM_A), True),
        ("https://git.example/team-b/private.git", tenants(TEAM_A), False),
        ("https://git.example/team-b/private.git", tenants(TEAM_A, TEAM_B), True),
        ("https://git.example/team-a/../team-b/private.git", tenants(TEAM_A), False),
        ("/srv/private", tenants(TEAM_A), False),
        ("file:///srv/private", tenants(TEAM_A), False),
        (REPO, tenants(), False),
        ("https://anywhere.example/x", OPERATORS, True),
    ],
)
def test_a_repository_is_read_for_a_project_that_permits_it(url: str, whose: SetTenancy, permitted: bool) -> None:
    for question in (DirectoriesQuestion(url, "main"), FilesQuestion(url, "main", "", ("*.yaml",))):
        assert (request_refusal(question, whose, ApplicationSets()) == "") is permitted


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example/team-a/../team-b/private.git",
        "https://git.example/team-a/x/../../team-b/private.git",
        "https://git.example/team-a/..%2fteam-b%2Fprivate.git",
        "https://git.example/team-a/%2e%2E/team-b/private.git",
        "https://git.example/team-a/.%2e/team-b/private.git",
        "https://git.example/team-a\\..\\team-b",
        "git@git.example:team-a/../team-b/private.git",
        "git@git.example:../team-b/private.git",
        "https://git.example/open/../secret/x",
    ],
)
@pytest.mark.parametrize(
    "patterns",
    [
        ["https://git.example/team-a/*", "https://git.example/team-a/**"],
        ["git@git.example:**", "git@git.example:team-a/**"],
        ["*", "!https://git.example/secret/*"],
        ["!https://git.example/team-b/*"],
    ],
)
def test_steps_upwards_lead_to_nothing_that_patterns_do_not_permit(url: str, patterns: list[str]) -> None:
    assert not repo_permitted(url, patterns)
    assert repo_permitted(url, ["*"])


@pytest.mark.parametrize("url", ["https://git.example/team-a/x..y", "https://git.example/team-a/.github", REPO])
def test_dots_in_names_are_no_steps(url: str) -> None:
    assert repo_permitted(url, ["https://git.example/team-a/*"])


def test_a_refusal_does_not_repeat_a_login() -> None:
    asked = DirectoriesQuestion("https://ada:canary@git.example/team-b/x", "main")
    told = request_refusal(asked, tenants(TEAM_A), ApplicationSets())
    assert "project 'team-a'" in told
    assert "canary" not in told


@pytest.mark.parametrize(
    "question",
    [
        ClustersQuestion(),
        ConfigMapQuestion("x"),
        ObjectsQuestion("a/v1", "xs"),
        DirectoriesQuestion(REPO, "main"),
        PageQuestion("https://api.github.com/x", api="https://api.github.com", public_api="https://api.github.com"),
        PluginQuestion("x", b""),
    ],
)
@pytest.mark.parametrize("whose", [tenants(), SetTenancy("gone")])
def test_on_behalf_of_nobody_nothing_is_asked(question: Question, whose: SetTenancy) -> None:
    assert "nothing is asked for the set" in request_refusal(question, whose, ApplicationSets(project_plugins=("*",)))
    assert request_refusal(question, OPERATORS, ApplicationSets()) == ""


def asked_of(host: hosts.Host, path: str = "/repos/acme/web/pulls?state=open") -> PageQuestion:
    question = host.question
    return PageQuestion(f"{host.api}{path}", api=question.api, public_api=question.public_api)


@pytest.mark.parametrize(
    "host",
    [
        hosts.github({}),
        hosts.github({"api": "https://api.github.com/"}),
        hosts.gitlab({}),
        hosts.gitlab({"api": "https://gitlab.com"}),
        hosts.bitbucket_cloud({}),
        hosts.azure({"organization": "acme"}, "tokenRef"),
    ],
)
def test_the_public_api_of_each_provider_is_asked_for_projects(host: hosts.Host) -> None:
    assert page_refusal(asked_of(host), tenants(TEAM_A), ApplicationSets()) == ""


def test_a_public_api_is_asked_for_projects_only_with_its_certificate_checked() -> None:
    question = hosts.gitlab({"insecure": True}).question
    assert "without checking its certificate" in page_refusal(question, tenants(TEAM_A), ApplicationSets())
    assert page_refusal(question, OPERATORS, ApplicationSets()) == ""


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_servers_take_for_a_step_upwards_is_no_part_of_an_address(name: str) -> None:
    for make in (hosts.part, hosts.path, lambda text: hosts.path(f"a/{text}/b")):
        with pytest.raises(GeneratorError, match="is not a name"):
            make(name)


@pytest.mark.parametrize(
    "host",
    [
        hosts.github({"api": "https://attacker.example"}),
        hosts.github({"api": "http://api.github.com"}),
        hosts.github({"api": "https://api.github.com@attacker.example"}),
        hosts.github({"api": "https://api.github.com.attacker.example"}),
        hosts.github({"api": "https://api.github.com:8443"}),
        hosts.github({"api": "https://api.github.com/user/issues?x="}),
        hosts.github({"api": "https://api.github.com/user/issues#"}),
        hosts.github({"api": "https://api.github.com/x/.."}),
        hosts.github({"api": "https://gitlab.com"}),
        hosts.github({"api": "http://127.0.0.1:9999"}),
        hosts.github({"api": "https://169.254.169.254"}),
        hosts.gitlab({"api": "https://gitlab.com/groups/private"}),
        hosts.gitea({"api": "https://gitea.example"}),
        hosts.gitea({"api": ""}),
        hosts.bitbucket_server({"api": "https://bitbucket.example"}),
        hosts.azure({"organization": "acme", "api": "https://attacker.example"}, "tokenRef"),
    ],
)
def test_no_other_host_or_address_is_asked_for_projects(host: hosts.Host) -> None:
    assert "is not asked on behalf of project 'team-a'" in page_refusal(
        asked_of(host), tenants(TEAM_A), ApplicationSets()
    )


@pytest.mark.parametrize(
    ("listed", "api", "permitted"),
    [
        ("https://git.example", "https://git.example", True),
        ("https://git.example/", "https://GIT.example", True),
        ("https://git.example/api/v4", "https://git.example/api/v4", True),
        ("https://git.example/team", "https://git.example/teams", False),
        ("https://git.example/team", "https://git.example/team/../admin", False),
        ("https://git.example/team", "https://git.example/team/%2e%2e/admin", False),
        ("https://*.corp.example", "https://git.corp.example", True),
        ("https://*.corp.example", "https://attacker.example#.corp.example", False),
        ("https://*.corp.example", "https://attacker.example?.corp.example", False),
        ("https://*.corp.example", "https://attacker.example\\.corp.example", False),
        ("https://*.corp.example", "https://a@attacker.example:1.corp.example", False),
        ("https://*.corp.example", "http://git.corp.example", False),
        ("https://git.example", "https://git.example?x=", False),
    ],
)
def test_hosts_that_the_operator_lists_are_asked(listed: str, api: str, permitted: bool) -> None:
    question = asked_of(hosts.gitea({"api": api}))
    for settings in (
        ApplicationSets(allowed_scm_providers=(listed,)),
        ApplicationSets(project_hosts=(listed,)),
        ApplicationSets(project_hosts=(f"team-*={listed}",)),
    ):
        assert (page_refusal(question, tenants(TEAM_A), settings) == "") is permitted
    other = ApplicationSets(project_hosts=(f"team-b={listed}",))
    assert page_refusal(question, tenants(TEAM_A), other)


def test_the_list_of_the_operator_cannot_be_passed_by_odd_addresses() -> None:
    settings = ApplicationSets(allowed_scm_providers=("https://*.corp.example",))
    for api in ("https://attacker.example#.corp.example", "https://attacker.example?.corp.example"):
        assert page_refusal(asked_of(hosts.gitea({"api": api})), OPERATORS, settings)
    assert page_refusal(asked_of(hosts.gitea({"api": "https://git.corp.example"})), OPERATORS, settings) == ""
    # Without a list any host is asked for the operator's sets, as with Argo CD.
    assert page_refusal(asked_of(hosts.gitea({"api": "https://any.example"})), OPERATORS, ApplicationSets()) == ""


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_no_address_that_a_set_makes_up_leaves_a_listed_host(text: str) -> None:
    settings = ApplicationSets(allowed_scm_providers=("https://git.example/team",))
    question = asked_of(hosts.gitea({"api": f"https://git.example/team{text}"}))
    is_asked = page_refusal(question, tenants(TEAM_A), settings) == ""
    steps = question.url.partition("?")[0].split("/")
    stays = question.url.startswith("https://git.example/team/") and not {".", ".."} & set(steps)
    assert stays or not is_asked
    assert set_requests.origin(question.url) == "https://git.example" or not is_asked


@pytest.mark.parametrize(
    ("listed", "permitted"),
    [((), False), (("maker",), True), (("team-a=maker",), True), (("team-b=maker",), False), (("*",), True)],
)
def test_plugins_are_asked_for_projects_where_the_operator_says_so(listed: tuple[str, ...], permitted: bool) -> None:
    settings = ApplicationSets(project_plugins=listed)
    assert (plugin_refusal("maker", tenants(TEAM_A), settings) == "") is permitted
    assert plugin_refusal("maker", OPERATORS, settings) == ""


EAST = KnownCluster(server="https://east.example", name="east", labels={"secret": "canary"})
WEST = KnownCluster(server="https://west.example", name="west", project="team-b")
OWN = KnownCluster(server="https://own.example", name="own", project="team-a")
HOME = KnownCluster(server="https://kubernetes.default.svc", name="home")
IN_CLUSTER = "https://kubernetes.default.svc"


def seen(
    *destinations: dict[str, str], clusters: tuple[KnownCluster, ...] = (EAST, WEST, OWN), **spec: Any
) -> set[str]:
    found = visible_clusters(clusters, tenants(project(destinations=list(destinations), **spec)))
    assert isinstance(found, PermittedClusters)
    return {one.name for one in found.known} | ({"in-cluster"} if found.has_local else set())


def test_a_set_sees_the_clusters_that_its_project_permits_and_no_others() -> None:
    assert seen({"server": "https://east.example", "namespace": "web"}) == {"east"}
    assert seen({"name": "east", "namespace": "team-*"}) == {"east"}
    assert seen({"server": "*", "namespace": "*"}) == {"east", "own", "in-cluster"}
    assert seen({"server": "https://east.example", "namespace": "!kube-system"}) == {"east"}
    assert seen({"server": "*", "namespace": "*"}, {"server": "!https://east.example", "namespace": "*"}) == {
        "own",
        "in-cluster",
    }
    assert seen() == set()
    assert seen({"server": IN_CLUSTER, "namespace": "*"}) == {"in-cluster"}


def test_clusters_of_other_projects_are_not_seen_and_with_the_switch_only_own_ones_are() -> None:
    everything = {"server": "*", "namespace": "*"}
    assert "west" not in seen(everything)
    assert seen(everything, permitOnlyProjectScopedClusters=True) == {"own"}


def test_a_home_cluster_whose_secret_is_not_seen_is_not_made_up() -> None:
    hidden = KnownCluster(server=IN_CLUSTER, name="home", project="team-b")
    assert seen({"server": "*", "namespace": "*"}, clusters=(hidden,)) == set()
    assert seen({"server": IN_CLUSTER, "namespace": "*"}, clusters=(HOME,)) == {"home"}


def test_the_operators_sets_see_all_clusters() -> None:
    assert visible_clusters((EAST, WEST, OWN), OPERATORS) == (EAST, WEST, OWN)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "server": st.sampled_from(["*", "https://east.example", "https://*.example", "!https://east.example"]),
                "namespace": st.sampled_from(["*", "web", "team-*", "!web"]),
            }
        ),
        max_size=4,
    )
)
def test_a_cluster_is_seen_only_where_an_application_could_be_delivered_to(rules: list[dict[str, str]]) -> None:
    from syncline.core.policy.matching import destination_permitted
    from syncline.model.application import Destination

    team = project(destinations=rules)
    # Every namespace that could make a difference to these patterns.
    namespaces = ("web", "team-x", "other", "*", "any")
    reachable = any(
        destination_permitted(Destination(server=EAST.server, name="east", namespace=one), team.spec.destinations)
        for one in namespaces
    )
    found = visible_clusters((EAST,), tenants(team))
    assert isinstance(found, PermittedClusters)
    assert bool(found.known) is reachable
