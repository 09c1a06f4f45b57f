"""The right that each route asks for: with it and no other write one is let in, without it even an admin is not.

Asked as an account in a session, as a token of an account and as a token of a project's role. A new route that changes
something, or that reads something of a new kind, fails here until it has a row.
"""

from __future__ import annotations

import pytest

from syncline.server.requests.routing import Endpoint
from syncline.server.table import ENDPOINTS
from tests.component.server.test_rights import LISTS, OF_ONESELF, STREAMS, ask, label
from tests.support.web import Browser, Site, on_site

Right = tuple[str, str]
READS: dict[str, Right] = {
    "/api/v1/stream/applications/": ("applications", "get"),
    "/api/v1/applications/{name}/logs": ("logs", "get"),
    "/api/v1/applications/{name}/pods/": ("logs", "get"),
    "/api/v1/applicationsets": ("applicationsets", "get"),
    "/api/v1/applications": ("applications", "get"),
    "/api/v1/projects": ("projects", "get"),
    "/api/v1/repositories": ("repositories", "get"),
    "/api/v1/repocreds": ("repositories", "get"),
    "/api/v1/certificates": ("certificates", "get"),
    "/api/v1/gpgkeys": ("gpgkeys", "get"),
    "/api/v1/clusters": ("clusters", "get"),
    "/api/v1/account": ("accounts", "get"),
    "/api/v1/settings/plugins": ("applications", "get"),
    "/api/v1/notifications/": ("applications", "get"),
    "/api/v1/syncline/": ("applications", "get"),
    "/metrics": ("applications", "get"),
}
"""What a GET below a path needs; the first that fits counts."""

WRITES: dict[str, Right] = {
    "POST /api/v1/syncline/demo/{id}/break": ("applications", "delete"),
    "POST /api/v1/syncline/demo/{id}/heal": ("applications", "delete"),
    "POST /api/v1/account/{name}/token": ("accounts", "update"),
    "DELETE /api/v1/account/{name}/token/{id}": ("accounts", "update"),
    "POST /api/v1/applications": ("applications", "create"),
    "PUT /api/v1/applications/{name}": ("applications", "update"),
    "PUT /api/v1/applications/{name}/spec": ("applications", "update"),
    "PATCH /api/v1/applications/{name}": ("applications", "update"),
    "DELETE /api/v1/applications/{name}": ("applications", "delete"),
    "POST /api/v1/applications/{name}/sync": ("applications", "sync"),
    "POST /api/v1/applications/{name}/adopt": ("applications", "update"),
    "POST /api/v1/applications/{name}/rollback": ("applications", "sync"),
    "DELETE /api/v1/applications/{name}/operation": ("applications", "sync"),
    "POST /api/v1/applications/{name}/resource": ("applications", "update/*"),
    "DELETE /api/v1/applications/{name}/resource": ("applications", "delete/*"),
    "POST /api/v1/applications/{name}/resource/actions/v2": ("applications", "action/*"),
    "POST /api/v1/applications/{name}/resource/actions": ("applications", "action/*"),
    "POST /api/v1/applicationsets": ("applicationsets", "create"),
    "DELETE /api/v1/applicationsets/{name}": ("applicationsets", "delete"),
    "POST /api/v1/projects": ("projects", "create"),
    "PUT /api/v1/projects/{name}": ("projects", "update"),
    "DELETE /api/v1/projects/{name}": ("projects", "delete"),
    "POST /api/v1/projects/{name}/roles/{role}/token": ("projects", "update"),
    "DELETE /api/v1/projects/{name}/roles/{role}/token/{iat}": ("projects", "update"),
    "POST /api/v1/repositories/{repo:path}/appdetails": ("applications", "create"),
    "POST /api/v1/repositories": ("repositories", "create"),
    "POST /api/v1/repositories/{repo:path}/validate": ("repositories", "create"),
    "PUT /api/v1/repositories/{repo:path}": ("repositories", "update"),
    "DELETE /api/v1/repositories/{repo:path}": ("repositories", "delete"),
    "POST /api/v1/repocreds": ("repositories", "create"),
    "PUT /api/v1/repocreds/{url:path}": ("repositories", "update"),
    "DELETE /api/v1/repocreds/{url:path}": ("repositories", "delete"),
    "POST /api/v1/clusters": ("clusters", "create"),
    "POST /api/v1/clusters/{server:path}/rotate-auth": ("clusters", "update"),
    "POST /api/v1/clusters/{server:path}/invalidate-cache": ("clusters", "update"),
    "PUT /api/v1/clusters/{server:path}": ("clusters", "update"),
    "DELETE /api/v1/clusters/{server:path}": ("clusters", "delete"),
}
# Deleting comes last, so that the others find what they are about.
ASKED = sorted(
    (one for one in ENDPOINTS if not one.open and label(one) not in OF_ONESELF | STREAMS),
    key=lambda one: one.method == "DELETE",
)
TEMPLATE = {"metadata": {"name": "made"}, "spec": {"project": "other"}}
SET = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "ApplicationSet",
    "metadata": {"name": "vault", "namespace": "argocd", "uid": "set", "resourceVersion": "5"},
    "spec": {"generators": [{"list": {"elements": []}}], "template": TEMPLATE},
}
WHO = ("a session", "a token of an account", "a token of a project's role")


def right(one: Endpoint) -> Right:
    if one.method != "GET":
        return WRITES[label(one)]
    return next(needed for prefix, needed in READS.items() if one.path.startswith(prefix))


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    for one in ASKED:
        assert right(one), f"say in READS or WRITES which right {label(one)} asks for"
    assert set(WRITES) == {label(one) for one in ASKED if one.method != "GET"}
    assert [prefix for prefix in READS if not any(one.path.startswith(prefix) for one in ASKED)] == []


async def set_policy(site: Site, *lines: str) -> None:
    """Let `ann` and the role of the project `other` do just what the lines say."""
    text = "\n".join(line.replace("WHO", who) for line in lines for who in ("ann", "proj:other:ci"))
    await site.bed.patch("ConfigMap", "argocd-rbac-cm", {"data": {"policy.csv": text}}, "v1", site.bed.control)
    await site.settle()


async def as_(site: Site, who: str) -> Browser:
    if who == "a session":
        return await site.as_("ann")
    admin = await site.as_("admin")
    path = "account/ann" if who == "a token of an account" else "projects/other/roles/ci"
    made = await admin.post(f"/api/v1/{path}/token", {"id": "test"})
    assert made.status == 200, made.body
    await site.settle()
    return site.nobody.showing(made.json["token"])


@pytest.mark.parametrize("who", WHO)
def test_with_the_right_and_all_reads_one_is_let_in(who: str) -> None:
    async def story(site: Site) -> None:
        browser = await as_(site, who)
        refused = []
        for one in [one for one in ASKED if not one.stream]:
            resource, action = right(one)
            await set_policy(site, "g, WHO, role:readonly", f"p, WHO, {resource}, {action}, *, allow")
            answer = await ask(browser, one)
            if answer.status in (401, 403) or answer.status >= 500:
                refused.append(f"{label(one)}: {answer.status} {answer.body!r}")
        assert refused == [], "\n".join(refused)

    on_site(story)


@pytest.mark.parametrize("who", WHO)
def test_without_the_right_not_even_an_admin_is_let_in(who: str) -> None:
    async def story(site: Site) -> None:
        browser = await as_(site, who)
        site.backend.live.note_write(SET)
        before = (await site.bed.app("vault"))["metadata"]["resourceVersion"]
        let_in = []
        for one in ASKED:
            resource, action = right(one)
            await set_policy(site, "g, WHO, role:admin", f"p, WHO, {resource}, {action}, *, deny")
            answer = await ask(browser, one)
            rows = answer.json.get(LISTS.get(label(one), "")) if answer.status == 200 else None
            seen = [row for row in rows if row.get("name") != "ann"] if rows is not None else None
            if answer.status != 403 and seen != []:
                let_in.append(f"{label(one)}: {answer.status} {answer.body[:200]!r}")
        assert let_in == [], "\n".join(let_in)
        assert (await site.bed.app("vault"))["metadata"]["resourceVersion"] == before

    on_site(story)
