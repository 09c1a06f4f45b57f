"""Webhooks of code hosts: signed ones have Applications looked at again, others cost nothing (security rows L1, L2)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Any

import orjson
import pytest

from syncline.server.webhooks import pushes
from syncline.server.webhooks.pushes import READERS, Push
from tests.support.web import Got, Site, app, on_site

SECRET = "hush"
URLS = {"html_url": "https://git.example/repo", "clone_url": "https://git.example/repo.git", "default_branch": "main"}
GITHUB = {"ref": "refs/heads/main", "repository": URLS, "commits": [{"modified": ["apps/web/web.yaml"]}]}
GITLAB = {"ref": "refs/heads/main", "project": {"git_http_url": URLS["clone_url"], "default_branch": "main"}}
CLOUD = {
    "repository": {"links": {"html": {"href": "https://git.example/repo"}}},
    "push": {"changes": [{"new": {"name": "main", "type": "branch"}}]},
}
SERVER = {
    "repository": {"links": {"clone": [{"name": "http", "href": "https://git.example/repo.git"}]}},
    "changes": [{"ref": {"displayId": "main", "type": "BRANCH"}}],
}
AZURE = {
    "eventType": "git.push",
    "resource": {
        "repository": {"remoteUrl": "https://git.example/repo.git", "defaultBranch": "refs/heads/main"},
        "refUpdates": [{"name": "refs/heads/main"}],
    },
}
PAYLOADS: dict[str, Any] = {
    "github": GITHUB,
    "gitlab": GITLAB,
    "bitbucket": CLOUD,
    "bitbucketserver": SERVER,
    "gogs": GITHUB,
    "azuredevops": AZURE,
}


def signature(body: bytes, kind: Any = hashlib.sha256) -> str:
    return hmac.new(SECRET.encode(), body, kind).hexdigest()


def headers(provider: str, body: bytes) -> dict[str, str]:
    basic = base64.b64encode(f"azure:{SECRET}".encode()).decode()
    found: dict[str, dict[str, str]] = {
        "github": {"x-github-event": "push", "x-hub-signature-256": f"sha256={signature(body)}"},
        "gitlab": {"x-gitlab-event": "Push Hook", "x-gitlab-token": SECRET},
        "bitbucket": {"x-event-key": "repo:push", "x-hook-uuid": f"{{{SECRET}}}"},
        "bitbucketserver": {"x-event-key": "repo:refs_changed", "x-hub-signature": f"sha256={signature(body)}"},
        "gogs": {"x-gogs-event": "push", "x-github-event": "push", "x-gogs-signature": signature(body)},
        "azuredevops": {"x-vss-activityid": "1", "authorization": f"Basic {basic}"},
    }
    return found[provider]


async def set_secrets(site: Site) -> None:
    names = ["github.secret", "gitlab.secret", "bitbucket.uuid", "bitbucketserver.secret", "gogs.secret"]
    texts = {f"webhook.{name}": SECRET for name in [*names, "azuredevops.password"]}
    texts["webhook.azuredevops.username"] = "azure"
    data = {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
    await site.bed.patch("Secret", "argocd-secret", {"data": data}, "v1", site.bed.control)
    await site.settle()


async def send(site: Site, provider: str, payload: Any, **more: str) -> Got:
    body = payload if isinstance(payload, bytes) else orjson.dumps(payload)
    browser = site.nobody.using(**headers(provider, body)).using(**more)
    return await browser.ask("POST", "/api/webhook", body=body)


async def refreshed(site: Site, name: str = "shop") -> str:
    await site.settle()
    annotations = (await site.bed.app(name))["metadata"].get("annotations") or {}
    return str(annotations.get("argocd.argoproj.io/refresh") or "")


def test_a_signed_push_has_applications_looked_at_again_whoever_sent_it() -> None:
    async def story(site: Site) -> None:
        assert (await send(site, "github", GITHUB)).status == 400, "without a secret nothing is taken"
        await set_secrets(site)
        for provider, payload in PAYLOADS.items():
            clear = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": None}}}
            await site.bed.patch("Application", "shop", clear, "argoproj.io/v1alpha1", site.bed.control)
            answer = await send(site, provider, payload)
            assert (answer.status, answer.json) == (200, {"applications": 2, "applicationsets": 0}), provider
            assert await refreshed(site) == "normal", provider
        ping = await send(site, "github", {"zen": "x"}, x_github_event="ping")
        assert (ping.status, ping.json) == (200, {"applications": 0, "applicationsets": 0})

    on_site(story)


def test_a_webhook_that_is_not_proven_is_not_even_read() -> None:
    async def story(site: Site) -> None:
        await set_secrets(site)
        wrong = {
            "github": {"x_hub_signature_256": f"sha256={'0' * 64}"},
            "gitlab": {"x_gitlab_token": "guess"},
            "bitbucket": {"x_hook_uuid": "guess"},
            "bitbucketserver": {"x_hub_signature": ""},
            "gogs": {"x_gogs_signature": "guess"},
            "azuredevops": {"authorization": "Basic !"},
        }
        for provider, header in wrong.items():
            for body in (orjson.dumps(PAYLOADS[provider]), b"[" * 20_000):
                answer = await send(site, provider, body, **header)
                assert (answer.status, answer.json["code"]) == (400, 3), provider
                assert "signature" in answer.json["message"]
        assert (await site.nobody.ask("POST", "/api/webhook", body=b"{}")).status == 400
        for body in (b"[" * 20_000, b"{", b'{"a":1,"a":2}x', b"\xff"):
            assert (await send(site, "github", body)).status == 400
        assert (await send(site, "github", GITHUB, content_encoding="gzip")).status == 415
        assert (await send(site, "github", GITHUB, content_length=str(51 * 1024 * 1024))).status == 413
        assert await refreshed(site) == ""

    on_site(story)


def test_a_storm_of_pushes_is_one_refresh_of_each_application() -> None:
    async def story(site: Site) -> None:
        await set_secrets(site)
        push = Push(urls=("https://git.example/repo.git",), revision="main", is_default=True)
        for _ in range(10_000):
            site.backend.refreshing.pushed([push])
        assert len(site.backend.refreshing._waiting) <= 2
        assert await refreshed(site) == "normal"
        assert site.backend.refreshing.asked <= 4

    on_site(story)


@pytest.mark.parametrize(
    ("revision", "annotation", "push", "concerned"),
    [
        ("main", "", Push(urls=("ssh://git@git.example/repo.git",), revision="main"), True),
        ("main", "", Push(urls=("git@git.example:repo.git",), revision="main"), True),
        ("main", "", Push(urls=("https://GIT.example/repo",), revision="main"), True),
        ("main", "", Push(urls=("https://git.example/repository",), revision="main"), False),
        ("main", "", Push(urls=("https://git.example/repo",), revision="other"), False),
        ("HEAD", "", Push(urls=("https://git.example/repo",), revision="other", is_default=True), True),
        ("HEAD", "", Push(urls=("https://git.example/repo",), revision="other"), False),
        ("1.x", "", Push(urls=("https://git.example/repo",), revision="1.4.0", is_tag=True), True),
        ("1.x", "", Push(urls=("https://git.example/repo",), revision="2.0.0", is_tag=True), False),
        ("1.x", "", Push(urls=("https://git.example/repo",), revision="1.4.0"), False),
        ("main", ".", Push(urls=("https://git.example/repo",), revision="main", files=("apps/web/a.yaml",)), True),
        ("main", ".", Push(urls=("https://git.example/repo",), revision="main", files=("apps/webb/a.yaml",)), False),
        ("main", "/lib", Push(urls=("https://git.example/repo",), revision="main", files=("lib/x",)), True),
        ("main", "../lib", Push(urls=("https://git.example/repo",), revision="main", files=("apps/lib/x",)), True),
        ("main", "../lib", Push(urls=("https://git.example/repo",), revision="main", files=("lib/x",)), False),
        ("main", ".", Push(urls=("https://git.example/repo",), revision="main", files=None), True),
    ],
)
def test_a_push_concerns_those_that_follow_it(revision: str, annotation: str, push: Push, concerned: bool) -> None:
    from syncline.model import application
    from syncline.model.sources import repository_urls
    from syncline.server.webhooks import refreshing

    made = app("shop", "team", "argocd")
    made["spec"]["source"]["targetRevision"] = revision
    made["metadata"]["annotations"] = {"argocd.argoproj.io/manifest-generate-paths": annotation}
    known = repository_urls.mirrors(dict.fromkeys(push.urls, "x"))
    assert refreshing._concerns(push, application.parse(made), known) is concerned


def broken(value: Any) -> list[Any]:
    """Return the payload with each field absent, null, of another type or empty, at every depth."""
    found: list[Any] = [None, [], {}, "text", 7, True]
    if isinstance(value, dict):
        for name, member in value.items():
            found.append({key: one for key, one in value.items() if key != name})
            found += [{**value, name: one} for one in broken(member)]
    elif isinstance(value, list):
        found += [[one] for one in broken(value[0])]
    return found


@pytest.mark.parametrize("provider", list(PAYLOADS))
def test_a_payload_of_any_form_is_read_without_an_error(provider: str) -> None:
    assert READERS[provider](PAYLOADS[provider]) != []
    for payload in broken(PAYLOADS[provider]):
        for push in READERS[provider](payload):
            assert all(isinstance(url, str) for url in push.urls)
            assert push.revision


def test_files_are_known_only_where_the_host_tells_them() -> None:
    (push,) = pushes.github(GITHUB)
    assert (push.files, push.is_default, push.is_tag) == (("apps/web/web.yaml",), True, False)
    (push,) = pushes.github({**GITHUB, "ref": "refs/tags/v1", "commits": []})
    assert (push.files, push.revision, push.is_tag) == (None, "v1", True)
