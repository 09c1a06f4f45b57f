"""What is told of an Application that a controller delivers: why, plan, diff, waves, tree; and no secret in any answer.

Security rows E1 and E3: the value of a Secret is in no answer to anybody, on neither side of a comparison.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Coroutine
from typing import Any

import orjson

from syncline.server.table import ENDPOINTS
from tests.support import manifests
from tests.support.web import Browser, Site, on_site

APP = "/api/v1/applications/shop"
CANARY, OTHER = "canary-9f2c", "canary-edited"


def secret(value: str) -> str:
    data = base64.b64encode(value.encode()).decode()
    return f"apiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\ndata: {{password: {data}, user: {data}}}\n"


def story_of(check: Callable[[Site, Browser], Coroutine[Any, Any, None]]) -> None:
    """Deliver a Deployment, a hook and a Secret, then play a story with the admin's browser."""

    async def story(site: Site) -> None:
        site.bed.source.commit(
            manifests.files(web=manifests.deployment(), login=secret(CANARY), first=manifests.hook("first", "PreSync"))
        )
        admin = await site.as_("admin")
        assert (await admin.post(f"{APP}/sync", {})).status == 200
        await site.bed.until_delivered("shop")
        await check(site, admin)

    on_site(story, delivered=True)


async def edit(site: Site) -> None:
    """Change live objects by hand, as somebody would with kubectl."""
    await site.bed.patch("Deployment", "web", {"spec": {"replicas": 3}}, namespace="shop")
    data = base64.b64encode(OTHER.encode()).decode()
    await site.bed.patch("Secret", "login", {"data": {"password": data}}, "v1", "shop")
    await site.bed.until_status("OutOfSync", "Healthy", "shop")


def test_a_difference_has_its_writer_and_its_line_and_a_secret_none_of_its_values() -> None:
    async def check(site: Site, admin: Browser) -> None:
        await edit(site)
        found = (await admin.get(f"{APP}/diff?ignoreRules=true")).json
        assert (found["verdict"], found["counts"]["OutOfSync"], found["modified"]) == ("OutOfSync", 2, True)
        by_kind = {one["kind"]: one for one in found["objects"]}
        (field,) = by_kind["Deployment"]["differences"]
        assert (field["path"], field["desired"], field["live"]) == ("spec.replicas", 1, 3)
        assert (field["cause"], field["manager"]) == ("changed live", "kubectl-edit")
        assert field["place"].startswith("apps/web/web.yaml:")
        assert by_kind["Deployment"]["ignoreRule"]["entry"]["jsonPointers"] == ["/spec/replicas"]
        (field,) = by_kind["Secret"]["differences"]
        assert field["path"] == "data.password"
        assert field["desired"] != field["live"]
        assert set(field["desired"]) == set(field["live"]) == {"+"}

    story_of(check)


def test_a_plan_is_in_order_and_its_digest_holds_only_for_that_plan() -> None:
    async def check(site: Site, admin: Browser) -> None:
        before = (await admin.get(f"{APP}/plan")).json
        first = before["tasks"][0]
        assert (first["phase"], first["object"]["kind"], first["action"]) == ("PreSync", "Job", "hook")
        assert (await admin.get(f"{APP}/plan")).json["digest"] == before["digest"]
        await edit(site)
        after = (await admin.get(f"{APP}/plan")).json
        changed = [one["object"]["name"] for one in after["tasks"] if one["changed"] and one["action"] == "apply"]
        assert changed == ["login", "web"]
        assert after["digest"] != before["digest"]
        stale = await admin.post(f"{APP}/sync", {"planDigest": before["digest"]})
        assert (stale.status, stale.json["code"]) == (409, 10)
        assert (await admin.post(f"{APP}/sync", {"planDigest": after["digest"]})).status == 200
        await site.bed.until_delivered("shop")

    story_of(check)


def test_waves_timeline_and_reasons_are_told() -> None:
    async def check(site: Site, admin: Browser) -> None:
        waves = (await admin.get(f"{APP}/waves")).json
        assert [(one["phase"], one["state"], one["done"], one["total"]) for one in waves["waves"]] == [
            ("PreSync", "done", 2, 2),
            ("Sync", "done", 2, 2),
        ]
        assert (waves["operation"]["phase"], waves["planned"]) == ("Succeeded", False)
        why = (await admin.get(f"{APP}/why")).json
        assert (why["sync"], why["health"]) == ("Synced", "Healthy")
        await edit(site)
        why = (await admin.get(f"{APP}/why")).json
        assert why["sync"] == "OutOfSync"
        assert any("kubectl-edit" in orjson.dumps(one).decode() for one in why["findings"])
        lanes = {one["lane"] for one in (await admin.get(f"{APP}/timeline")).json["entries"]}
        assert {"sync", "live"} <= lanes

    story_of(check)


def test_of_a_sync_that_failed_the_waves_that_never_began_are_told_too() -> None:
    async def check(site: Site, admin: Browser) -> None:
        site.bed.source.commit(
            manifests.files(
                web=manifests.deployment().replace("app: web", "app: other"),
                login=secret(CANARY),
                late=manifests.annotated("late", {"argocd.argoproj.io/sync-wave": "3"}),
            )
        )
        await admin.get(f"{APP}?refresh=normal")
        assert (await admin.post(f"{APP}/sync", {})).status == 200

        async def failed() -> bool:
            shown = (await admin.get(f"{APP}/waves")).json
            return (shown["operation"] or {}).get("phase") == "Failed"

        await site.bed.until(failed, "the sync failed")
        found = (await admin.get(f"{APP}/waves")).json
        assert [(one["wave"], one["state"], [task["name"] for task in one["tasks"]]) for one in found["waves"]] == [
            (0, "failed", ["login", "web"]),
            (3, "waiting", ["late"]),
        ]

    story_of(check)


def test_a_diagnosis_that_had_to_hurry_says_so_and_is_followed_by_one_that_waits_longer() -> None:
    async def check(site: Site, admin: Browser) -> None:
        await edit(site)
        site.bed.source.slow["apps/web"] = lambda: site.bed.clock.sleep(30)
        await admin.get("/api/v1/syncline/diagnosis")
        hurried = (await admin.get("/api/v1/syncline/fleet")).json["diagnosis"]
        assert hurried["state"] == "ready"
        assert hurried["late"] > 0

        async def renewed() -> bool:
            shown = (await admin.get("/api/v1/syncline/fleet")).json["diagnosis"]
            return bool(shown["asOf"] != hurried["asOf"])

        await site.bed.until(renewed, "there is another diagnosis")
        assert (await admin.get("/api/v1/syncline/fleet")).json["diagnosis"]["late"] == 0

    story_of(check)


def test_a_tree_leads_from_what_is_managed_to_pods_and_both_sides_are_shown() -> None:
    async def check(site: Site, admin: Browser) -> None:
        nodes = (await admin.get(f"{APP}/resource-tree")).json["nodes"]
        by_uid = {node["uid"]: node for node in nodes if "uid" in node}
        pod = next(node for node in nodes if node["kind"] == "Pod" and node["name"].startswith("web"))
        owner = by_uid[pod["parentRefs"][0]["uid"]]
        top = by_uid[owner["parentRefs"][0]["uid"]]
        assert (owner["kind"], top["kind"], top["health"]["status"]) == ("ReplicaSet", "Deployment", "Healthy")
        await edit(site)
        items = {one["kind"]: one for one in (await admin.get(f"{APP}/managed-resources")).json["items"]}
        assert items["Deployment"]["modified"]
        assert orjson.loads(items["Deployment"]["targetState"])["spec"]["replicas"] == 1
        assert orjson.loads(items["Deployment"]["liveState"])["spec"]["replicas"] == 3
        assert orjson.loads(items["Deployment"]["predictedLiveState"])["spec"]["replicas"] == 1
        sides = [orjson.loads(items["Secret"][side])["data"] for side in ("targetState", "liveState")]
        assert sides[0]["user"] == sides[1]["user"] == sides[0]["password"]
        assert sides[0]["password"] != sides[1]["password"]

    story_of(check)


def test_no_route_tells_a_secret() -> None:
    async def check(site: Site, admin: Browser) -> None:
        await edit(site)
        query = "kind=Secret&group=&namespace=shop&resourceName=login&version=v1"
        spelt = [text for value in (CANARY, OTHER) for text in (value, base64.b64encode(value.encode()).decode())]
        asked = 0
        for one in ENDPOINTS:
            if one.method != "GET" or one.open or one.path.startswith("/api/v1/stream"):
                continue
            if one.path.endswith("stream/fleet"):
                continue
            path = one.path.replace("{name}", "shop").replace("{pod}", "web").replace("{id}", "1")
            answer = await admin.get(f"{path}?{query}")
            asked += answer.status == 200
            for text in spelt:
                assert text.encode() not in answer.body, one.path
            assert b"thirty-two bytes" not in answer.body, one.path
        assert asked >= 12

    story_of(check)


def test_an_action_runs_a_pod_is_read_and_an_object_is_deleted_by_those_who_may() -> None:
    async def check(site: Site, admin: Browser) -> None:
        ann = await site.as_("ann")
        named = "kind=Deployment&group=apps&namespace=shop&resourceName=web&version=v1"
        listed = await ann.get(f"{APP}/resource/actions?{named}")
        assert listed.status == 200, listed.body
        offered = listed.json["actions"]
        assert "restart" in [one["name"] for one in offered]
        body = {"group": "apps", "kind": "Deployment", "namespace": "shop", "resourceName": "web", "action": "restart"}
        assert (await ann.post(f"{APP}/resource/actions/v2", body)).status == 403
        assert (await admin.post(f"{APP}/resource/actions/v2", body)).status == 200
        live = await site.bed.get("Deployment", "web", namespace="shop")
        assert live is not None
        assert "kubectl.kubernetes.io/restartedAt" in live["spec"]["template"]["metadata"]["annotations"]
        lines = [one async for one in ann.lines(f"{APP}/logs?kind=Deployment&resourceName=web&group=apps")]
        assert lines[-1]["result"]["last"] is True
        other = "kind=Secret&namespace=argocd&resourceName=argocd-secret&version=v1"
        assert (await admin.get(f"{APP}/resource?{other}")).status == 404, "objects of others are not found"
        assert (await admin.delete(f"{APP}/resource?{other}")).status == 404
        assert (await ann.delete(f"{APP}/resource?{named}")).status == 403
        assert (await admin.delete(f"{APP}/resource?{named}&orphan=false&force=true")).status == 200
        await site.settle()
        assert await site.bed.get("Deployment", "web", namespace="shop") is None

    story_of(check)


def test_a_time_that_cannot_be_read_is_named() -> None:
    async def check(_site: Site, admin: Browser) -> None:
        for name in ("sinceTime", "untilTime"):
            answer = await admin.get(f"{APP}/logs?kind=Deployment&resourceName=web&group=apps&{name}=yesterday")
            assert (answer.status, answer.json["message"]) == (400, f"{name} is a time such as 2026-01-31T12:00:00Z")

    story_of(check)


def test_a_script_may_ask_for_a_refresh_in_any_words_as_with_argo_cd() -> None:
    async def check(site: Site, admin: Browser) -> None:
        for words in ("true", "normal", "hard"):
            commit = site.bed.source.commit(
                manifests.files(web=manifests.deployment(image=f"registry.example/{words}:1"))
            )
            answer = await admin.get(f"{APP}?refresh={words}")
            assert answer.status == 200, answer.body
            assert answer.json["status"]["sync"]["revision"] == commit

    story_of(check)
