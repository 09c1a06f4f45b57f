"""Every route with and without rights (security rows F1, F4): nobody, somebody without rights, and a reader.

The table of routes itself is walked, so that a route that is added is asked about without anybody thinking of it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from syncline import tasks
from syncline.model import crds
from syncline.server.requests.routing import Endpoint
from syncline.server.table import ENDPOINTS
from tests.support.web import Got, Site, app, on_site

# What people without any right may ask for: what concerns themselves alone, or a list that is empty for them.
OF_ONESELF = {
    "DELETE /api/v1/session",
    "GET /api/v1/account/can-i/{resource}/{action}/{subresource:path}",
    "PUT /api/v1/account/password",
}
OPEN = {
    "POST /api/v1/session",
    "GET /api/v1/session/userinfo",
    "GET /login/once",
    "GET /auth/login",
    "GET /auth/callback",
    "GET /auth/logout",
    "GET /api/version",
    "GET /api/v1/settings",
    "GET /healthz",
    "GET /readyz",
    "GET /api/badge",
    "POST /api/webhook",
    "GET /api/dex/{path:path}",
    "POST /api/dex/{path:path}",
}
LISTS = {
    "GET /api/v1/applications": "items",
    "GET /api/v1/account": "items",
    "GET /api/v1/syncline/check/repositories": "repositories",
    "GET /api/v1/syncline/accepted": "items",
    "GET /api/v1/syncline/fleet": "rows",
    "GET /api/v1/syncline/objects": "items",
    "GET /api/v1/applicationsets": "items",
    "GET /api/v1/projects": "items",
    "GET /api/v1/repositories": "items",
    "GET /api/v1/repocreds": "items",
    "GET /api/v1/certificates": "items",
    "GET /api/v1/gpgkeys": "items",
    "GET /api/v1/clusters": "items",
}
STREAMS = {
    "GET /api/v1/stream/applications",
    "GET /api/v1/stream/applicationsets",
    "GET /api/v1/syncline/stream/fleet",
}
VALUES = {
    "repo": "https://git.example/repo.git",
    "server": "https://kubernetes.default.svc",
    "role": "ci",
    "iat": "1",
    "revision": "main",
    "name": "vault",
    "resource": "applications",
    "action": "get",
    "subresource": "other/vault",
    "id": "x",
    "pod": "p",
    "url": "https://git.example",
    "path": "auth",
}
QUERY = "kind=Deployment&group=apps&namespace=vault&resourceName=web&appName=vault"
ACTION = {"group": "apps", "kind": "Deployment", "namespace": "vault", "resourceName": "web", "action": "restart"}
BODIES: dict[str, Any] = {
    "POST /api/v1/applications": {"metadata": {"name": "new"}, "spec": {"project": "other"}},
    "PUT /api/v1/applications/{name}/spec": {"project": "other"},
    "POST /api/v1/applications/{name}/resource/actions/v2": ACTION,
    "POST /api/v1/projects": {"project": {"metadata": {"name": "new"}, "spec": {}}},
    "POST /api/v1/applicationsets": {
        "metadata": {"name": "new"},
        "spec": {"template": {"spec": {"project": "other"}}},
    },
    "POST /api/v1/repositories/{repo:path}/appdetails": {"appProject": "other", "appName": "new"},
}


def label(one: Endpoint) -> str:
    return f"{one.method} {one.path}"


def address(one: Endpoint) -> str:
    path = re.sub(r"\{(\w+)(:\w+)?\}", lambda found: VALUES[found[1]], one.path)
    return f"{path}?{QUERY}"


async def ask(browser: Any, one: Endpoint) -> Got:
    value = BODIES.get(label(one), {} if one.method in ("POST", "PUT", "PATCH") else None)
    if one.body is str:
        value = "restart"
    got: Got = await browser.ask(one.method, address(one), value)
    return got


def test_the_tables_of_this_test_name_routes_that_exist() -> None:
    known = {label(one) for one in ENDPOINTS}
    assert (OF_ONESELF | OPEN | set(LISTS) | STREAMS | set(BODIES)) - known == set()
    assert {label(one) for one in ENDPOINTS if one.open} == OPEN


def test_nobody_gets_anything_but_what_is_open() -> None:
    async def story(site: Site) -> None:
        for one in [one for one in ENDPOINTS if not one.open]:
            answer = await ask(site.nobody, one)
            assert (answer.status, answer.json["code"]) == (401, 16), label(one)

    on_site(story)


def test_somebody_without_rights_is_denied_or_sees_an_empty_list() -> None:
    async def story(site: Site) -> None:
        eve = await site.as_("eve")
        before = (await site.bed.app("vault"))["metadata"]["resourceVersion"]
        for one in sorted(ENDPOINTS, key=lambda one: label(one) == "DELETE /api/v1/session"):
            if one.open or label(one) in OF_ONESELF | STREAMS:
                continue
            answer = await ask(eve, one)
            if member := LISTS.get(label(one)):
                rows = answer.json[member]
                assert (answer.status, [row for row in rows if row.get("name") != "eve"]) == (200, []), label(one)
            else:
                assert (answer.status, answer.json.get("code")) == (403, 7), f"{label(one)} {answer.body!r}"
        assert (await site.bed.app("vault"))["metadata"]["resourceVersion"] == before
        assert await site.bed.find_app("new") is None

    on_site(story)


def test_a_stream_shows_nothing_to_somebody_without_rights() -> None:
    async def story(site: Site) -> None:
        eve, admin = await site.as_("eve"), await site.as_("admin")
        admins = admin.lines("/api/v1/stream/applications")
        assert (await anext(admins))["result"]["application"]["metadata"]["name"] == "shop"
        await admins.aclose()
        lines = eve.lines("/api/v1/stream/applications")
        first = tasks.start(_first(lines), name="first line")
        await site.bed.clock.sleep(60)
        assert not first.done()
        assert len(site.backend.feed) == 1
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await lines.aclose()

    on_site(story)


async def _first(lines: AsyncIterator[Any]) -> Any:
    return await anext(lines)


def test_a_reader_may_read_everything_and_change_nothing() -> None:
    async def story(site: Site) -> None:
        ben = await site.as_("ben")
        before = (await site.bed.app("vault"))["metadata"]["resourceVersion"]
        for one in ENDPOINTS:
            if one.open or label(one) in OF_ONESELF | STREAMS or one.stream:
                continue
            answer = await ask(ben, one)
            if one.method == "GET":
                assert answer.status in (200, 400, 404), f"{label(one)} {answer.body!r}"
            else:
                # What is not there is told to those who may read everything.
                assert answer.status in (403, 404), f"{label(one)} {answer.body!r}"
        assert (await site.bed.app("vault"))["metadata"]["resourceVersion"] == before

    on_site(story)


@pytest.mark.parametrize(
    ("who", "method", "path", "status"),
    [
        ("ann", "POST", "/api/v1/applications/shop/sync", 200),
        ("ann", "POST", "/api/v1/applications/vault/sync", 403),
        ("ann", "DELETE", "/api/v1/applications/shop", 403),
        ("ann", "POST", "/api/v1/applications/shop/rollback", 404),
        ("admin", "DELETE", "/api/v1/applications/vault/operation", 400),
        ("ben", "POST", "/api/v1/applications/shop/sync", 403),
    ],
)
def test_roles_of_the_installation_decide(who: str, method: str, path: str, status: int) -> None:
    async def story(site: Site) -> None:
        browser = await site.as_(who)
        answer = await browser.ask(method, path, {} if method == "POST" else None)
        assert answer.status == status, answer.body

    on_site(story)


def test_a_token_of_a_project_does_what_its_role_may_and_nothing_in_other_projects() -> None:
    async def story(site: Site) -> None:
        now = int(site.bed.clock.now().timestamp())
        for name in ("team", "other"):
            stored = {"iat": now, "id": "ci"}
            policies = [f"p, proj:{name}:ci, applications, {action}, {name}/*, allow" for action in ("get", "sync")]
            roles = [{"name": "ci", "policies": policies, "jwtTokens": [stored]}]
            api = "argoproj.io/v1alpha1"
            await site.bed.patch("AppProject", name, {"spec": {"roles": roles}}, api, site.bed.control)
        await site.settle()
        token, _ = site.backend.tokens.issue("proj:team:ci", token_id="ci")
        ci = site.nobody.showing(token)
        listed = (await ci.get("/api/v1/applications")).json
        assert [item["metadata"]["name"] for item in listed["items"]] == ["shop"]
        assert (await ci.post("/api/v1/applications/shop/sync", {})).status == 200
        assert (await ci.post("/api/v1/applications/vault/sync", {})).status == 403
        assert (await ci.delete("/api/v1/applications/shop")).status == 403
        answer = await ci.get("/api/v1/account/can-i/applications/sync/team/shop")
        assert answer.json == {"value": "yes"}
        assert (await ci.get("/api/v1/account/can-i/applications/delete/team/shop")).json == {"value": "no"}
        assert (await ci.get("/api/v1/account/can-i/applications/fly/team/shop")).status == 400

    on_site(story)


def test_a_policy_that_cannot_be_read_lets_nobody_do_anything() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        change = {"data": {"policy.csv": "p, admin, applications"}}
        await site.bed.patch("ConfigMap", "argocd-rbac-cm", change, "v1", site.bed.control)
        await site.settle()
        assert (await admin.get("/api/v1/applications/shop")).status == 403

    on_site(story)


def test_a_cause_that_is_about_a_set_is_told_to_those_who_may_see_sets() -> None:
    policy = "p, ann, applications, get, */*, allow\ng, ben, role:readonly\n"
    api = "argoproj.io/v1alpha1"
    template = {"metadata": {"name": "x"}, "spec": app("x", "team", "argocd")["spec"]}
    spec = {"generators": [{"list": {"elements": []}}], "template": template}
    failing = {"type": "ErrorOccurred", "status": "True", "reason": "Failed", "message": "no entry for key env"}

    async def story(site: Site) -> None:
        await site.bed.apply(crds.applicationset_crd())
        await site.bed.until(lambda: site.bed.served("applicationsets"), "ApplicationSets to be served")
        metadata = {"name": "hidden-set", "namespace": site.bed.control}
        await site.bed.apply({"apiVersion": api, "kind": "ApplicationSet", "metadata": metadata, "spec": spec})
        kind = await site.bed.resource(api, "ApplicationSet")
        change = {"status": {"conditions": [failing]}}
        await site.bed.user.patch(
            kind, site.bed.control, "hidden-set", change, manager="controller", subresource="status"
        )
        told = {}
        for name in ("ann", "ben"):
            who = await site.as_(name)
            diagnosed = await who.get("/api/v1/syncline/diagnosis?refresh=true")
            listed = await who.get("/api/v1/syncline/fleet")
            told[name] = [b"hidden-set" in answer.body for answer in (diagnosed, listed)]
        assert told == {"ann": [False, False], "ben": [True, True]}

    on_site(story, policy=policy)
