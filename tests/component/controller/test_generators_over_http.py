"""scmProvider, pullRequest and plugin over real HTTP: a local server answers as each code host documents."""

import asyncio
import base64
import functools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from syncline.adapters.git import github_app
from syncline.adapters.web import WebReader
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.appsets.answering import answered
from syncline.controller.appsets.pages import Pages
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.generate import GenerationError
from syncline.core.appset.questions import PageQuestion, PluginQuestion, Question
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.model.settings.parts import ApplicationSets
from syncline.net import urls
from tests.support.code_hosts import HEAD, TOKEN, USER, Hosts, serving

OPERATORS = SetTenancy(is_operators=True)
REF = {"secretName": "token", "key": "token"}
BASIC = {"username": USER, "passwordRef": REF}
MAIN, RELEASE, TRUNK, DOCS = "a1" * 20, "b2" * 20, "c3" * 20, "d4" * 20


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    with serving() as running:
        yield running


def repositories(api: str) -> dict[str, Any]:
    """Return how each host is asked for repositories."""
    return {
        "github": {"organization": "acme", "api": api, "tokenRef": REF},
        "gitlab": {"group": "acme", "api": api, "tokenRef": REF},
        "gitea": {"owner": "acme", "api": api, "tokenRef": REF},
        "bitbucketServer": {"project": "ACME", "api": api, "basicAuth": BASIC},
        "bitbucket": {"owner": "acme", "user": USER, "api": f"{api}/2.0", "appPasswordRef": REF},
        "azureDevOps": {"organization": "acme", "teamProject": "shop", "api": api, "accessTokenRef": REF},
    }


def pulls(api: str) -> dict[str, Any]:
    """Return how each host is asked for pull requests."""
    return {
        "github": {"owner": "acme", "repo": "web", "api": api, "tokenRef": REF},
        "gitlab": {"project": "acme/web", "api": api, "tokenRef": REF},
        "gitea": {"owner": "acme", "repo": "web", "api": api, "tokenRef": REF},
        "bitbucketServer": {"project": "ACME", "repo": "web", "api": api, "bearerToken": {"tokenRef": REF}},
        "bitbucket": {"owner": "acme", "repo": "web", "api": f"{api}/2.0", "basicAuth": BASIC},
        "azuredevops": {"organization": "acme", "project": "shop", "repo": "web", "api": api, "tokenRef": REF},
    }


@functools.cache
def _key() -> str:
    private = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.PKCS8
    return private.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def _github_app(base: str) -> dict[str, Any]:
    data = {"githubAppID": "1", "githubAppInstallationID": "5", "githubAppPrivateKey": _key()}
    if base:
        data["githubAppEnterpriseBaseUrl"] = base
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in data.items()}
    return {"metadata": {"labels": {"argocd.argoproj.io/secret-type": "repo-creds"}}, "data": encoded}


def made(
    generator: Any,
    *,
    go: bool = False,
    sets: ApplicationSets | None = None,
    app_base: str = "",
    whose: SetTenancy = OPERATORS,
    secret_type: str = "",
    **data: str,
) -> list[dict[str, Any]]:
    """Return the parameters that a generator makes, asking over HTTP."""
    secret = {
        "metadata": {"labels": {"argocd.argoproj.io/secret-type": secret_type}},
        "data": {"token": base64.b64encode(TOKEN.encode()).decode()},
    }
    index: dict[ObjectKey, Any] = {
        ObjectKey("", "Secret", "argocd", "app"): _github_app(app_base) if "appSecretName" in str(generator) else {},
        ObjectKey("", "Secret", "argocd", "token"): secret,
        ObjectKey("", "Secret", "argocd", "argocd-secret"): {
            "data": {
                "server.secretkey": base64.b64encode(TOKEN.encode()).decode(),
                "plugin.token": base64.b64encode(TOKEN.encode()).decode(),
            }
        },
        ObjectKey("", "ConfigMap", "argocd", "plugin"): {"data": {"token": "$token:token", **data}},
    }
    settings = SimpleNamespace(application_sets=sets or ApplicationSets(), namespace="argocd")
    clock = SimpleNamespace(monotonic=lambda: 0.0)
    web = WebReader(urls.Reach(loopback=True), github_app.installation_token)
    world = cast("World", SimpleNamespace(web=web, settings=settings, clock=clock))
    pages = Pages(world, cast("LiveCluster", SimpleNamespace(index=index)))

    async def answer(question: Question) -> Any:
        assert isinstance(question, PageQuestion | PluginQuestion)
        return await pages.answer("argocd", question, whose, oldest=0.0)

    template = {"metadata": {"name": "app"}, "spec": {}}
    spec = {"generators": [generator], "template": template, "goTemplate": go}
    generated, _ = asyncio.run(answered({"metadata": {"name": "set", "namespace": "argocd"}, "spec": spec}, answer))
    return [one.values for one in generated]


def refused(generator: Any, **more: Any) -> str:
    with pytest.raises(GenerationError) as error:
        made(generator, **more)
    assert TOKEN not in error.value.message
    return error.value.message


@pytest.mark.parametrize("most", [100, 1])
@pytest.mark.parametrize("host", list(repositories("")))
def test_repositories_of_each_host_are_read_page_by_page(host: str, most: int, hosts: Hosts) -> None:
    hosts.most = most
    found = made({"scmProvider": {host: repositories(hosts.address)[host]}})
    assert [(one["repository"], one["branch"], one["sha"]) for one in found] == [
        ("web", "main", MAIN),
        ("api", "trunk", TRUNK),
        ("Docs_Site", "main", DOCS),
    ]
    labelled = host in ("github", "gitlab", "gitea")
    assert [one["labels"] for one in found] == (["shop,front", "shop", ""] if labelled else ["", "", ""])
    assert {one["organization"] for one in found} == {"ACME" if host == "bitbucketServer" else "acme"}


def test_a_repository_is_told_by_its_branch_commit_and_address(hosts: Hosts) -> None:
    block = {
        "github": repositories(hosts.address)["github"],
        "values": {"of": "{{ .repository }}-{{ .repository_id }}"},
    }
    assert made({"scmProvider": block}, go=True)[0] == {
        "organization": "acme",
        "repository": "web",
        "repository_id": 12345678,
        "url": "git@github.example:acme/web.git",
        "branch": "main",
        "branchNormalized": "main",
        "sha": MAIN,
        "short_sha": MAIN[:8],
        "short_sha_7": MAIN[:7],
        "labels": "shop,front",
        "values": {"of": "web-12345678"},
    }


@pytest.mark.parametrize(
    ("host", "ssh", "https"),
    [
        ("github", "git@github.example:acme/web.git", "https://github.example/acme/web.git"),
        ("gitlab", "git@gitlab.example:acme/web.git", "https://gitlab.example/acme/web.git"),
        ("gitea", "git@gitea.example:acme/web.git", "https://gitea.example/acme/web"),
        ("bitbucketServer", "ssh://git@bitbucket.example/acme/web.git", "https://bitbucket.example/scm/acme/web.git"),
        ("bitbucket", "git@bitbucket.org:acme/web.git", "https://bitbucket.org/acme/web.git"),
    ],
)
def test_the_protocol_decides_which_address_is_told(host: str, ssh: str, https: str, hosts: Hosts) -> None:
    given = {host: repositories(hosts.address)[host]}
    assert made({"scmProvider": given})[0]["url"] == ssh
    assert made({"scmProvider": {**given, "cloneProtocol": "https"}})[0]["url"] == https
    assert "unknown clone protocol" in refused({"scmProvider": {**given, "cloneProtocol": "carrier-pigeon"}})


@pytest.mark.parametrize("host", list(repositories("")))
def test_all_branches_are_read_where_that_is_asked_for(host: str, hosts: Hosts) -> None:
    hosts.most = 1
    block = {**repositories(hosts.address)[host], "allBranches": True}
    found = made({"scmProvider": {host: block}})
    assert [(one["repository"], one["branch"], one["branchNormalized"]) for one in found] == [
        ("web", "main", "main"),
        ("web", "release/1.0", "release-1.0"),
        ("api", "trunk", "trunk"),
        ("Docs_Site", "main", "main"),
    ]


@pytest.mark.parametrize("host", ["github", "gitea"])
def test_archived_repositories_may_be_left_out(host: str, hosts: Hosts) -> None:
    block = {**repositories(hosts.address)[host], "excludeArchivedRepos": True}
    assert [one["repository"] for one in made({"scmProvider": {host: block}})] == ["web", "api"]


def test_archived_projects_of_gitlab_have_to_be_asked_for(hosts: Hosts) -> None:
    block = {**repositories(hosts.address)["gitlab"], "includeArchivedRepos": True}
    made({"scmProvider": {"gitlab": block}})
    assert "archived=true" in hosts.asked[0]


@pytest.mark.parametrize("host", list(repositories("")))
def test_paths_of_each_host_are_asked_for(host: str, hosts: Hosts) -> None:
    def names(*filters: Any) -> list[str]:
        block = {host: repositories(hosts.address)[host], "filters": list(filters)}
        return [one["repository"] for one in made({"scmProvider": block})]

    assert names({"pathsExist": ["deploy/"]}) == ["web"]
    assert names({"pathsExist": ["deploy/app.yaml"]}) == ["web"]
    assert names({"pathsDoNotExist": ["README.md"]}) == ["web", "Docs_Site"]
    assert names({"pathsExist": ["deploy"]}, {"pathsExist": ["README.md"]}) == ["web", "api"]
    assert names({"pathsExist": ["deploy", "README.md"]}) == []


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ([{"repositoryMatch": "^(web|api)$"}], ["web main", "web release/1.0", "api trunk"]),
        ([{"labelMatch": "front"}], ["web main", "web release/1.0"]),
        ([{"branchMatch": "main"}], ["web main", "Docs_Site main"]),
        ([{"repositoryMatch": "^web$"}, {"branchMatch": "^release"}], ["web release/1.0"]),
        ([{"repositoryMatch": "^web$", "branchMatch": "main"}], ["web main"]),
        ([{"repositoryMatch": "^web$"}, {"labelMatch": "shop"}], ["web main", "web release/1.0", "api trunk"]),
        ([{}], ["web main", "web release/1.0", "api trunk", "Docs_Site main"]),
    ],
)
def test_filters_of_repositories_and_of_branches(filters: list[Any], found: list[str], hosts: Hosts) -> None:
    block = {**repositories(hosts.address)["github"], "allBranches": True}
    told = made({"scmProvider": {"github": block, "filters": filters}})
    assert [f"{one['repository']} {one['branch']}" for one in told] == found


@pytest.mark.parametrize("most", [100, 1])
@pytest.mark.parametrize("host", list(pulls("")))
def test_pull_requests_of_each_host_are_read_page_by_page(host: str, most: int, hosts: Hosts) -> None:
    hosts.most = most
    found = made({"pullRequest": {host: pulls(hosts.address)[host]}})
    expected = [
        ("1", "Add a cart", "feature/New_Cart", "feature-new-cart", "main", HEAD),
        ("2", "Mend the cart", "fix/cart", "fix-cart", "main", HEAD),
        ("3", "Back-port", "feature/port", "feature-port", "release/1.0", HEAD),
    ]
    # The third one of Azure DevOps is of another repository of the project.
    assert [
        tuple(one[name] for name in ("number", "title", "branch", "branch_slug", "target_branch", "head_sha"))
        for one in found
    ] == (expected[:2] if host == "azuredevops" else expected)
    author = {"github": "octocat", "gitea": "octocat", "gitlab": "tanuki", "azuredevops": "azure"}.get(host, "bucket")
    assert {one["author"] for one in found} == {author}


def test_labels_of_azure_have_to_be_there(hosts: Hosts) -> None:
    block = {**pulls(hosts.address)["azuredevops"], "labels": ["preview", "big"]}
    assert [one["number"] for one in made({"pullRequest": {"azuredevops": block}})] == ["1"]


@pytest.mark.parametrize("host", ["github", "gitea"])
def test_a_repository_that_is_not_there_is_an_error_or_nothing(host: str, hosts: Hosts) -> None:
    block = {host: {**pulls(hosts.address)[host], "repo": "gone"}}
    assert "answers with status 404" in refused({"pullRequest": block})
    assert made({"pullRequest": {**block, "continueOnRepoNotFoundError": True}}) == []


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ((401, {}), "answers with status 401: check the repository, the token and its rights"),
        ((500, {}), "answers with status 500"),
        ((403, {"X-RateLimit-Remaining": "0"}), "takes no more requests for now (status 403)"),
        ((429, {"Retry-After": "3600"}), "takes no more requests for now (status 429)"),
    ],
)
def test_a_host_that_refuses_stops_the_set(refusal: tuple[int, dict[str, str]], words: str, hosts: Hosts) -> None:
    hosts.refusal = refusal
    assert words in refused({"scmProvider": {"github": repositories(hosts.address)["github"]}})


def test_what_cannot_be_asked_is_told(hosts: Hosts) -> None:
    given = repositories(hosts.address)["github"]
    assert "names no code host" in refused({"scmProvider": {}})
    assert "AWS CodeCommit is not asked" in refused({"scmProvider": {"awsCodeCommit": {}}})
    assert "is not a regular expression" in refused(
        {"scmProvider": {"github": given, "filters": [{"repositoryMatch": "("}]}}
    )
    other = {**given, "tokenRef": {"secretName": "other", "key": "token"}}
    assert "Secret argocd/other does not exist" in refused({"scmProvider": {"github": other}})
    closed = ApplicationSets(scm_providers=False)
    assert "applicationsetcontroller.enable.scm.providers is false" in refused(
        {"scmProvider": {"github": given}}, sets=closed
    )
    elsewhere = ApplicationSets(allowed_scm_providers=("https://git.example",))
    assert "it is not in applicationsetcontroller.allowed.scm.providers" in refused(
        {"scmProvider": {"github": given}}, sets=elsewhere
    )


APP = {"organization": "acme", "appSecretName": "app"}


def test_a_github_app_shows_the_token_of_its_installation_which_is_asked_for_once(hosts: Hosts) -> None:
    given = {"scmProvider": {"github": {**APP, "api": hosts.address}}}
    found = made(given, app_base=f"{hosts.address}/api/v3")
    assert [one["repository"] for one in found] == ["web", "api", "Docs_Site"]
    assert sum("access_tokens" in one for one in hosts.asked) == 1


def test_a_github_app_is_shown_to_its_own_api_alone(hosts: Hosts) -> None:
    given = {"scmProvider": {"github": {**APP, "api": hosts.address}}}
    assert "is for https://api.github.com, and not shown to" in refused(given)
    assert hosts.asked == []
    missing = {"scmProvider": {"github": {**APP, "appSecretName": "token"}}}
    assert "Secret argocd/token needs the label argocd.argoproj.io/secret-type: repo-creds" in refused(missing)


@pytest.mark.parametrize("path", ["", "/", "/api/v3", "/api/v3/"])
def test_an_address_may_be_asked_that_begins_with_an_allowed_one(path: str, hosts: Hosts) -> None:
    sets = ApplicationSets(allowed_scm_providers=("https://git.example", f"{hosts.address}{path}"))
    assert len(made({"scmProvider": {"github": repositories(hosts.address)["github"]}}, sets=sets)) == 3
    other = ApplicationSets(allowed_scm_providers=(f"{hosts.address}/elsewhere",))
    assert "is not asked" in refused({"scmProvider": {"github": repositories(hosts.address)["github"]}}, sets=other)


def test_a_plugin_is_sent_its_input_and_answers_with_parameters(hosts: Hosts) -> None:
    plugin = {"plugin": {"configMapRef": {"name": "plugin"}, "input": {"parameters": {"k": "v", "n": 3}}}}
    found = made(plugin, go=True, baseUrl=hosts.address)
    assert found == [
        {
            "name": "one",
            "size": 3.0,
            "deep": {"l": ["x", "y"], "on": True},
            "generator": {"input": {"parameters": {"k": "v", "n": 3.0}}},
        },
        {
            "name": "two",
            "size": 12345678.0,
            "deep": {"l": [], "on": False},
            "generator": {"input": {"parameters": {"k": "v", "n": 3.0}}},
        },
    ]
    assert hosts.posted == [{"applicationSetName": "set", "input": {"parameters": {"k": "v", "n": 3}}}]
    assert hosts.asked == ["/api/v1/getparams.execute"]
    flat = made({"plugin": {"configMapRef": {"name": "plugin"}}}, baseUrl=f"{hosts.address}/")[1]
    assert {name: text for name, text in flat.items() if name != "generator"} == {
        "name": "two",
        "size": "1.2345678e+07",
        "deep.on": "false",
    }


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"baseUrl": ""}, "has no baseUrl"),
        ({"token": "plain"}, "token has to name a key of a Secret"),
        ({"token": "$other:token"}, "Secret argocd/other does not exist"),
        ({"token": "$token"}, "Secret argocd/argocd-secret belongs to the installation"),
        ({"token": "$plugin.other"}, "Secret argocd/argocd-secret has no key plugin.other"),
        ({"requestTimeout": "soon"}, "requestTimeout is not a number of seconds"),
    ],
)
def test_what_is_wrong_with_a_plugin_is_told(data: dict[str, str], words: str, hosts: Hosts) -> None:
    plugin = {"plugin": {"configMapRef": {"name": "plugin"}}}
    assert words in refused(plugin, **{"baseUrl": hosts.address, **data})


def test_a_plugin_that_fails_stops_the_set(hosts: Hosts) -> None:
    hosts.refusal = (500, {})
    plugin = {"plugin": {"configMapRef": {"name": "plugin"}}}
    assert "answers with status 500" in refused(plugin, baseUrl=hosts.address)
    assert "ConfigMap argocd/none does not exist" in refused({"plugin": {"configMapRef": {"name": "none"}}})
