"""Repositories, clusters, projects, settings, badges: their shapes, and no credentials in any of them (row E3)."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from syncline.server.routes.applications.about_apps import is_safe
from tests.support.web import Site, on_site

CANARY = "canary-51aa"


def stored(kind: str, called: str, namespace: str, /, **entries: str) -> dict[str, Any]:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in entries.items()}
    labels = {"argocd.argoproj.io/secret-type": kind}
    metadata = {"name": called, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def test_repositories_and_clusters_are_told_without_credentials() -> None:
    async def story(site: Site) -> None:
        bed = site.bed
        login = {"username": "ada", "password": CANARY, "sshPrivateKey": CANARY}
        await bed.apply(stored("repository", "r1", bed.control, url="https://git.example/repo.git", **login))
        await bed.apply(stored("repository", "r2", bed.control, url="https://git.example/b", project="team", **login))
        await bed.apply(stored("repo-creds", "c1", bed.control, url="https://git.example", **login))
        config = f'{{"bearerToken": "{CANARY}"}}'
        far = {"server": "https://far.example", "name": "far", "config": config}
        await bed.apply(stored("cluster", "k1", bed.control, **far))
        await site.settle()
        admin, ann = await site.as_("admin"), await site.as_("ann")
        repos = (await admin.get("/api/v1/repositories")).json["items"]
        assert [(one["repo"], one.get("project", "")) for one in repos] == [
            ("https://git.example/b", "team"),
            ("https://git.example/repo.git", ""),
        ]
        one = await admin.get("/api/v1/repositories/https%3A%2F%2Fgit.example%2Frepo.git")
        assert (one.status, one.json["username"]) == (200, "ada")
        clusters = (await admin.get("/api/v1/clusters")).json["items"]
        assert [(one["name"], one["connectionState"]["status"]) for one in clusters] == [
            ("in-cluster", "Successful"),
            ("far", "Unknown"),
        ]
        assert clusters[0]["info"]["applicationsCount"] == 2
        assert (await admin.get("/api/v1/clusters/far")).json["server"] == "https://far.example"
        detailed = (await admin.get("/api/v1/projects/team/detailed")).json
        assert [one["repo"] for one in detailed["repositories"]] == ["https://git.example/b"]
        there, absent = await ann.get("/api/v1/clusters/far"), await ann.get("/api/v1/clusters/none")
        assert (there.status, there.body) == (403, absent.body)
        for path in ("repositories", "repocreds", "clusters", "clusters/far", "projects/team/detailed", "settings"):
            for browser in (admin, ann, site.nobody):
                assert CANARY.encode() not in (await browser.get(f"/api/v1/{path}")).body, path
        for path in ("/api/v1/syncline/diagnosis", "/api/v1/syncline/fleet", "/api/v1/syncline/settings", "/metrics"):
            assert CANARY.encode() not in (await admin.get(path)).body, path

    on_site(story)


def test_strangers_learn_of_settings_and_version_what_a_login_page_needs() -> None:
    async def story(site: Site) -> None:
        settings = (await site.nobody.get("/api/v1/settings")).json
        assert set(settings) == {
            "url",
            "statusBadgeEnabled",
            "userLoginsDisabled",
            "help",
            "googleAnalytics",
            "plugins",
        }
        assert list((await site.nobody.get("/api/version")).json) == ["Version"]
        admin = await site.as_("admin")
        assert {"passwordPattern", "trackingMethod", "kustomizeOptions"} <= set(
            (await admin.get("/api/v1/settings")).json
        )
        origin = (await admin.get("/api/v1/syncline/settings")).json["settings"]
        assert {
            "key": "accounts.ben",
            "home": "argocd-cm",
            "value": "login",
            "origin": "ConfigMap argocd/argocd-cm",
        } in (origin)
        assert (await site.nobody.get("/readyz")).body == b"ok"

    on_site(story)


def test_a_badge_is_drawn_only_where_the_operator_wants_it_and_draws_nothing_that_was_sent() -> None:
    async def story(site: Site) -> None:
        assert (await site.nobody.get("/api/badge?name=shop")).status == 404
        change = {"data": {"statusbadge.enabled": "true"}}
        await site.bed.patch("ConfigMap", "argocd-cm", change, "v1", site.bed.control)
        await site.settle()
        drawn = await site.nobody.get("/api/badge?name=shop")
        assert (drawn.status, drawn.headers["content-type"]) == (200, "image/svg+xml")
        absent = await site.nobody.get("/api/badge?name=%3Cscript%3E")
        assert absent.body == drawn.body, "both are Unknown"
        assert b"script" not in absent.body

    on_site(story)


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/x", True),
        ("http://example.org", True),
        ("mailto:team@example.org", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("java\tscript:alert(1)", False),
        ("https://example.org/\njavascript:x", False),
        ("Label|javascript:alert(1)", False),
        ("//evil.example", False),
    ],
)
def test_links_lead_to_pages_and_mailboxes_alone(url: str, safe: bool) -> None:
    assert is_safe(url) is safe


def test_services_triggers_and_templates_of_notifications_are_listed_by_name_alone() -> None:
    data = {
        "service.slack": "token: $slack-token",
        "service.webhook.pager": "url: https://pager.example",
        "trigger.on-failed": "- when: 'true'",
        "template.failed": "message: canary",
        "subscriptions": "[]",
        "defaultTriggers": "[]",
    }

    async def story(site: Site) -> None:
        ben, eve = await site.as_("ben"), await site.as_("eve")
        path = "/api/v1/notifications"
        # As Argo CD answers where nothing is configured.
        assert (await ben.get(f"{path}/services")).json == {}
        metadata = {"name": "argocd-notifications-cm", "namespace": site.bed.control}
        await site.bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
        await site.settle()
        assert (await ben.get(f"{path}/services")).json == {"items": [{"name": "pager"}, {"name": "slack"}]}
        assert (await ben.get(f"{path}/triggers")).json == {"items": [{"name": "on-failed"}]}
        assert (await ben.get(f"{path}/templates")).json == {"items": [{"name": "failed"}]}
        assert (await eve.get(f"{path}/templates")).status == 403

    on_site(story)
