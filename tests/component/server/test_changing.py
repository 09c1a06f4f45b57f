"""Changes over HTTP: what reaches the cluster, what is dropped, and who is asked (security rows F2, F3, G1, R1)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.web import POLICY, Site, app, on_site, project

APPS = "/api/v1/applications"
SETS = "/api/v1/applicationsets"
API = "argoproj.io/v1alpha1"
MAY_UPDATE = f"""{POLICY}
p, role:team, applications, update, team/*, allow
p, role:team, applications, create, team/*, allow
p, role:team, projects, update, team, allow
"""


def test_an_application_is_created_without_what_nobody_may_set_this_way() -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        wanted = app("new", "team", site.bed.control)
        side_doors = {
            "operation": {"sync": {"manifests": ["{}"]}},
            "status": {"health": {"status": "Healthy"}},
        }
        wanted["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "y"}]
        answer = await ann.post(APPS, {**wanted, **side_doors})
        assert answer.status == 200, answer.body
        stored = await site.bed.app("new")
        assert "operation" not in stored
        assert "status" not in stored
        assert "ownerReferences" not in stored["metadata"]
        again = await ann.post(APPS, {**wanted, "spec": {**wanted["spec"], "destination": {"name": "in-cluster"}}})
        assert (again.status, again.json["code"]) == (409, 10)

    on_site(story, policy=MAY_UPDATE)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", APPS, app("new", "other", "argocd")),
        ("POST", f"{APPS}?upsert=true", {**app("vault", "team", "argocd")}),
        ("PUT", f"{APPS}/shop", app("shop", "other", "argocd")),
        ("PUT", f"{APPS}/shop/spec", app("shop", "other", "argocd")["spec"]),
        ("PATCH", f"{APPS}/shop", {"patch": '{"spec":{"project":"other"}}', "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"replace","path":"/spec/project","value":"other"}]'}),
        # Without a project an Application is of the default one.
        ("PATCH", f"{APPS}/shop", {"patch": '{"spec":{"project":null}}', "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": '{"spec":{"project":""}}', "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"move","from":"/spec/project","path":"/metadata/labels"}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"replace","path":"/spec/project","value":null}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"replace","path":"/spec","value":{"project":"other"}}]'}),
        ("PUT", "/api/v1/projects/other", {"project": project("other", "argocd")}),
        ("POST", f"{APPS}/shop/sync", {"manifests": ["{}"]}),
    ],
)
def test_what_leads_into_another_project_is_denied(method: str, path: str, body: Any) -> None:
    async def story(site: Site) -> None:
        before = [(await site.bed.app(name))["metadata"]["resourceVersion"] for name in ("shop", "vault")]
        answer = await (await site.as_("ann")).ask(method, path, body)
        assert (answer.status, answer.json["code"]) == (403, 7), answer.body
        assert [(await site.bed.app(name))["metadata"]["resourceVersion"] for name in ("shop", "vault")] == before
        assert await site.bed.find_app("new") is None

    on_site(story, policy=MAY_UPDATE)


ODD = (5, "x", True, [5], 0.5)


def test_what_has_the_wrong_type_is_named_and_not_stored() -> None:
    async def story(site: Site) -> None:
        root = await site.as_("admin")
        spec = app("new", "team", site.bed.control)["spec"]
        template = {"metadata": {"name": "x"}, "spec": spec}
        for odd in ODD:
            asked: list[tuple[str, str, Any, str]] = [
                ("POST", APPS, {"metadata": {"name": "new"}, "spec": {**spec, "source": odd}}, "spec.source"),
                ("POST", APPS, {"metadata": {"name": "new"}, "spec": {**spec, "sources": odd}}, "spec.sources"),
                ("PUT", f"{APPS}/shop/spec", {**spec, "source": odd}, "spec.source"),
                ("POST", "/api/v1/projects", {"project": odd}, "project"),
                ("POST", SETS, {"metadata": {"name": "new"}, "spec": odd}, "spec"),
                ("POST", SETS, {"metadata": {"name": "new"}, "spec": {"template": odd}}, "template"),
                ("POST", SETS, {"metadata": {"name": "new"}, "spec": {"template": {**template, "spec": odd}}}, "spec"),
            ]
            for method, path, body, field in asked:
                answer = await root.ask(method, path, body)
                assert (answer.status, answer.json["code"]) == (400, 3), (path, body, answer.body)
                assert field in answer.json["message"]
        assert await site.bed.find_app("new") is None

    on_site(story)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", f"{APPS}/shop", app("vault", "team", "argocd")),
        ("POST", f"{APPS}/shop/sync", {"name": "vault"}),
        ("PUT", "/api/v1/projects/team", {"project": project("other", "argocd")}),
        ("PATCH", f"{APPS}/shop", {"patch": '{"operation":{"sync":{}}}', "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"add","path":"/operation","value":{"sync":{}}}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"add","path":"/status","value":{}}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"replace","path":"","value":{}}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"copy","from":"/metadata/name","path":"/spec/project"}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": '{"metadata":{"ownerReferences":[]}}', "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"copy","from":"/spec","path":"/operation"}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": '{"spec":null}', "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": '{"metadata":null}', "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": '[{"op":"replace","path":"/spec","value":[]}]'}),
        ("PATCH", f"{APPS}/shop", {"patch": "{", "patchType": "merge"}),
        ("PATCH", f"{APPS}/shop", {"patch": "{}", "patchType": "strategic"}),
        ("POST", APPS, {"metadata": {}}),
        ("POST", APPS, []),
        ("DELETE", f"{APPS}/shop?propagationPolicy=never", None),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(method: str, path: str, body: Any) -> None:
    async def story(site: Site) -> None:
        before = (await site.bed.app("shop"))["metadata"]["resourceVersion"]
        answer = await (await site.as_("admin")).ask(method, path, body)
        assert answer.status in (400, 403), answer.body
        assert answer.json["message"]
        assert (await site.bed.app("shop"))["metadata"]["resourceVersion"] == before

    on_site(story)


def test_changes_reach_the_cluster_and_say_who_asked() -> None:
    async def story(site: Site) -> None:
        ann, admin = await site.as_("ann"), await site.as_("admin")
        patch = {"patch": '{"metadata":{"labels":{"a":"b"}}}', "patchType": "merge"}
        assert (await ann.ask("PATCH", f"{APPS}/shop", patch)).status == 200
        spec = {**(await site.bed.app("shop"))["spec"], "revisionHistoryLimit": 3}
        assert (await ann.put(f"{APPS}/shop/spec", spec)).json["revisionHistoryLimit"] == 3
        body = {"prune": True, "syncOptions": {"items": ["Replace=true"]}, "strategy": {"hook": {}}}
        started = (await ann.post(f"{APPS}/shop/sync", body)).json["operation"]
        assert started["initiatedBy"] == {"username": "ann"}
        assert (started["sync"]["prune"], started["sync"]["syncOptions"]) == (True, ["Replace=true"])
        second = await ann.post(f"{APPS}/shop/sync", {})
        assert (second.status, second.json["code"]) == (400, 9)
        assert (await ann.delete(f"{APPS}/shop/operation")).status == 200
        assert (await site.bed.app("shop"))["status"]["operationState"]["phase"] == "Terminating"
        assert (await admin.delete(f"{APPS}/vault?cascade=false")).status == 200
        assert await site.bed.find_app("vault") is None

    on_site(story, policy=MAY_UPDATE)


def test_a_destination_that_the_project_does_not_permit_is_denied() -> None:
    async def story(site: Site) -> None:
        change = {"spec": {"destinations": [{"server": "*", "namespace": "only-this"}]}}
        await site.bed.patch("AppProject", "team", change, API, site.bed.control)
        answer = await (await site.as_("admin")).post(APPS, app("new", "team", site.bed.control))
        assert (answer.status, answer.json["code"]) == (403, 7)
        assert await site.bed.find_app("new") is None

    on_site(story)


def test_fifty_changes_at_once_leave_one_state_and_no_error() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")

        async def label(number: int) -> int:
            patch = {"patch": f'{{"metadata":{{"labels":{{"n{number}":"x"}}}}}}', "patchType": "merge"}
            return (await admin.ask("PATCH", f"{APPS}/shop", patch)).status

        async def start() -> int:
            return (await admin.post(f"{APPS}/shop/sync", {})).status

        async def token(number: int) -> int:
            body = {"id": f"t{number}"}
            return (await admin.post("/api/v1/account/ann/token", body)).status

        statuses = await asyncio.gather(
            *(label(number) for number in range(20)),
            *(start() for _ in range(20)),
            *(token(number) for number in range(10)),
        )
        assert set(statuses) <= {200, 400, 409}
        stored = await site.bed.app("shop")
        done = [number for number, status in enumerate(statuses[:20]) if status == 200]
        assert {f"n{number}" for number in done} <= set(stored["metadata"]["labels"])
        assert statuses[20:40].count(200) == 1
        tokens = {one.id for one in next(one for one in site.backend.accounts.all() if one.name == "ann").tokens}
        assert {f"t{number}" for number, status in enumerate(statuses[40:]) if status == 200} == tokens

    on_site(story)


def test_tokens_of_accounts_and_projects_are_shown_once_and_can_be_deleted() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        assert (await admin.post("/api/v1/account/ann/token", {"id": "old", "expiresIn": -5})).status == 400
        token = (await admin.post("/api/v1/account/ann/token", {"id": "ci", "expiresIn": 3600})).json["token"]
        ann = site.nobody.showing(token)
        assert (await ann.get(f"{APPS}/shop")).status == 200
        assert (await admin.post("/api/v1/account/ann/token", {"id": "ci"})).status == 409
        assert (await admin.post("/api/v1/account/ben/token", {})).status == 400
        shown = (await admin.get("/api/v1/account/ann")).json
        assert ([one["id"] for one in shown["tokens"]], token in str(shown)) == (["ci"], False)
        await site.bed.clock.sleep(3601)
        assert (await ann.get(f"{APPS}/shop")).status == 401
        assert (await admin.delete("/api/v1/account/ann/token/ci")).status == 200
        assert (await admin.delete("/api/v1/account/ann/token/ci")).status == 404
        made = (await admin.post("/api/v1/projects/team/roles/ci/token", {"id": "p"})).json["token"]
        ci = site.nobody.showing(made)
        assert (await ci.get("/api/v1/projects/team")).status == 200
        assert (await ci.get("/api/v1/projects/other")).status == 403
        iat = (await site.bed.get("AppProject", "team", API, site.bed.control) or {})["spec"]["roles"][0]["jwtTokens"]
        assert (await admin.delete(f"/api/v1/projects/team/roles/ci/token/{iat[0]['iat']}?id=p")).status == 200
        assert (await ci.get("/api/v1/projects/team")).status == 401

    on_site(story)
