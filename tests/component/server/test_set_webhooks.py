"""Webhooks have the ApplicationSets looked at again whose generators read what was pushed, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.model import crds
from syncline.server.webhooks import pulls
from syncline.server.webhooks.concerned_sets import is_pulled, is_pushed
from syncline.server.webhooks.pulls import PullEvent
from syncline.server.webhooks.pushes import Push
from tests.component.server.test_webhooks import GITHUB, broken, send, set_secrets
from tests.support.web import Site, on_site

PUSH = Push(urls=("https://git.example/repo.git",), revision="main", is_default=True)
PULL_OF_GITHUB = {"action": "opened", "repository": {"full_name": "Team/Shop"}}
PULL_OF_AZURE = {
    "eventType": "git.pullrequest.created",
    "resource": {"repository": {"name": "Shop", "project": {"name": "Team"}}},
}
PULLS: dict[str, Any] = {
    "github": PULL_OF_GITHUB,
    "gogs": PULL_OF_GITHUB,
    "gitlab": {"project": {"id": 17, "path_with_namespace": "Team/Shop"}},
    "bitbucket": {"repository": {"full_name": "Team/Shop"}},
    "bitbucketserver": {"pullRequest": {"toRef": {"repository": {"slug": "Shop", "project": {"key": "Team"}}}}},
    "azuredevops": PULL_OF_AZURE,
}
BLOCKS: dict[str, dict[str, Any]] = {
    "github": {"github": {"owner": "team", "repo": "shop"}},
    "gogs": {"gitea": {"owner": "team", "repo": "shop"}},
    "gitlab": {"gitlab": {"project": "team/shop"}},
    "bitbucket": {"bitbucket": {"owner": "team", "repo": "shop"}},
    "bitbucketserver": {"bitbucketServer": {"project": "TEAM", "repo": "shop"}},
    "azuredevops": {"azuredevops": {"organization": "o", "project": "team", "repo": "shop"}},
}


def a_set(*generators: dict[str, Any], name: str = "all") -> dict[str, Any]:
    metadata = {"name": name, "namespace": "argocd"}
    template = {
        "metadata": {"name": "{{path.basename}}"},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://git.example/repo", "path": "x"},
            "destination": {"namespace": "x", "server": "https://kubernetes.default.svc"},
        },
    }
    spec = {"generators": list(generators), "template": template}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": metadata, "spec": spec}


def git(url: str = "https://git.example/repo", revision: str = "HEAD") -> dict[str, Any]:
    return {"git": {"repoURL": url, "revision": revision, "directories": [{"path": "*"}]}}


@pytest.mark.parametrize(
    ("generator", "concerned"),
    [
        (git(), True),
        (git("git@git.example:repo.git"), True),
        (git(revision="main"), True),
        (git(revision="release"), False),
        (git("https://git.example/another"), False),
        (git("https://git.example/{{name}}"), True),
        (git(revision="{{branch}}"), True),
        ({"matrix": {"generators": [{"clusters": {}}, git()]}}, True),
        ({"matrix": {"generators": [{"list": {"elements": []}}, git("https://git.example/another")]}}, False),
        ({"merge": {"mergeKeys": ["x"], "generators": [{"matrix": {"generators": [git()]}}]}}, True),
        ({"plugin": {"configMapRef": {"name": "x"}}}, True),
        ({"clusters": {}}, False),
        ({"git": None}, False),
        ({"matrix": {"generators": "x"}}, False),
    ],
)
def test_a_push_concerns_the_sets_that_read_it(generator: dict[str, Any], concerned: bool) -> None:
    assert is_pushed(PUSH, a_set(generator)) is concerned


@pytest.mark.parametrize("provider", list(PULLS))
def test_a_pull_request_concerns_the_sets_that_list_it_whoever_hosts_it(provider: str) -> None:
    event = PullEvent(provider, pulls.READERS[provider](PULLS[provider]))
    block = BLOCKS[provider]
    assert is_pulled(event, a_set({"pullRequest": block}))
    assert is_pulled(event, a_set({"matrix": {"generators": [{"clusters": {}}, {"pullRequest": block}]}}))
    ((host, fields),) = block.items()
    last = list(fields)[-1]
    assert not is_pulled(event, a_set({"pullRequest": {host: {**fields, last: "another"}}}))
    assert is_pulled(event, a_set({"pullRequest": {host: {**fields, last: "{{repo}}"}}}))
    other = "gitlab" if host != "gitlab" else "github"
    assert not is_pulled(event, a_set({"pullRequest": {other: fields}}))
    assert not is_pulled(event, a_set(git()))


@pytest.mark.parametrize("provider", list(PULLS))
def test_a_pull_request_of_any_form_is_read_without_an_error(provider: str) -> None:
    for payload in broken(PULLS[provider]):
        assert all(isinstance(name, str) for name in pulls.READERS[provider](payload))


def test_a_gitlab_project_may_be_named_by_its_number() -> None:
    event = PullEvent("gitlab", pulls.READERS["gitlab"](PULLS["gitlab"]))
    assert is_pulled(event, a_set({"pullRequest": {"gitlab": {"project": "17"}}}))
    assert not is_pulled(event, a_set({"pullRequest": {"gitlab": {"project": "18"}}}))


def test_signed_events_have_sets_generate_again() -> None:
    async def story(site: Site) -> None:
        await site.bed.apply(crds.applicationset_crd())
        await site.bed.until(lambda: site.bed.served("applicationsets"), "ApplicationSets to be served")
        await set_secrets(site)
        reading = a_set(git(), name="reading")
        listing = a_set({"pullRequest": BLOCKS["github"]}, name="listing")
        for one in (reading, listing):
            await site.bed.apply({**one, "metadata": {**one["metadata"], "namespace": site.bed.control}})
        await site.bed.clock.sleep(90.0)  # Until the server has noticed that there is a new kind.
        pushed = await send(site, "github", GITHUB)
        assert (pushed.status, pushed.json["applicationsets"]) == (200, 1)
        assert await asked(site) == {"reading"}
        opened = await send(site, "github", PULL_OF_GITHUB, x_github_event="pull_request")
        assert (opened.status, opened.json) == (200, {"applications": 0, "applicationsets": 1})
        assert await asked(site) == {"reading", "listing"}
        azure = await send(site, "azuredevops", PULL_OF_AZURE)
        assert (azure.status, azure.json) == (200, {"applications": 0, "applicationsets": 0})
        forged = await send(site, "github", PULL_OF_GITHUB, x_github_event="pull_request", x_hub_signature_256="x")
        assert forged.status == 400

    on_site(story)


async def asked(site: Site) -> set[str]:
    await site.settle()
    found = set()
    for name in ("reading", "listing"):
        stored = await site.bed.get("ApplicationSet", name, "argoproj.io/v1alpha1", site.bed.control)
        annotations = (stored or {})["metadata"].get("annotations") or {}
        if annotations.get("argocd.argoproj.io/application-set-refresh") == "true":
            found.add(name)
    return found
