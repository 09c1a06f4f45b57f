"""Who wrote a line, the way back with its plan, objects by name, and accepted drift: through the server."""

from __future__ import annotations

import base64
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from syncline.ports.source import CommitNote
from tests.support import manifests
from tests.support.web import Browser, Site, on_site

APP = "/api/v1/applications/shop"
CANARY = "canary-9f2c"
DATA = base64.b64encode(CANARY.encode()).decode()
SECRET = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\ndata: {{password: {DATA}}}\n"
NOTE = CommitNote("c" * 40, "Ada <ada@example.com>", "2030-01-02T01:04:05Z", "Begin\n\nwith more words")


def story_of(check: Callable[[Site, Browser], Coroutine[Any, Any, None]]) -> None:
    """Deliver a Deployment and a Secret, then play a story with the admin's browser."""

    async def story(site: Site) -> None:
        site.bed.source.commit(manifests.files(web=manifests.deployment(), login=SECRET))
        admin = await site.as_("admin")
        assert (await admin.post(f"{APP}/sync", {})).status == 200
        await site.bed.until_delivered("shop")
        await check(site, admin)

    on_site(story, delivered=True)


def with_history(site: Site) -> list[str]:
    """Let the source know who wrote the odd lines of each file; returns what it is asked for."""
    asked: list[str] = []

    async def lines(_url: str, _sha: str, path: str, _project: str = "") -> Sequence[CommitNote | None]:
        asked.append(path)
        return [NOTE if number % 2 else None for number in range(1, 40)]

    async def nothing(*_: object) -> Any:
        raise AssertionError

    source: Any = site.bed.source
    source.lines, source.branches, source.fork = lines, nothing, nothing
    return asked


def test_a_field_has_its_line_and_the_line_its_commit_where_history_tells() -> None:
    async def check(site: Site, admin: Browser) -> None:
        asked = with_history(site)
        path = f"{APP}/blame?object=apps/Deployment:shop/web"
        found = (await admin.get(f"{path}&path=spec.replicas")).json
        (cause,) = found["causes"]
        file, _, line = cause["place"].rpartition(":")
        text = manifests.deployment().splitlines()[int(line) - 1]
        assert (found["value"], file, text.strip()) == (1, "apps/web/web.yaml", "replicas: 1")
        every = {one["path"]: one for one in (await admin.get(path)).json["fields"]}
        assert every["spec.replicas"]["place"] == cause["place"]
        assert [name for name in every if name.endswith("].image")] == [
            "spec.template.spec.containers[name=main].image"
        ]
        odd = [one for one in every.values() if int(one["place"].rpartition(":")[2]) % 2]
        even = [one for one in every.values() if not int(one["place"].rpartition(":")[2]) % 2]
        commit = {"revision": "c" * 40, "author": NOTE.author, "date": NOTE.date, "message": "Begin"}
        assert [one["commit"] for one in odd] == [commit] * len(odd)
        assert [one["commit"] for one in even] == [None] * len(even)
        assert min(len(odd), len(even)) > 0
        assert asked == ["apps/web/web.yaml"], "read once"
        assert (await admin.get(f"{APP}/blame?object=apps/Deployment:shop/nobody")).status == 404
        assert (await admin.get(f"{path}&path=spec[")).status == 400

    story_of(check)


def test_blame_tells_no_value_of_a_secret() -> None:
    async def check(_site: Site, admin: Browser) -> None:
        for more in ("", "&path=data.password"):
            got = await admin.get(f"{APP}/blame?object=Secret:shop/login{more}")
            assert got.status == 200, got.body
            assert DATA.encode() not in got.body
            assert CANARY.encode() not in got.body

    story_of(check)


def test_a_difference_comes_with_the_commit_of_its_line() -> None:
    async def check(site: Site, admin: Browser) -> None:
        with_history(site)
        await site.bed.patch("Deployment", "web", {"spec": {"replicas": 3}}, namespace="shop")
        await site.bed.until_status("OutOfSync", "Healthy", "shop")
        (field,) = (await admin.get(f"{APP}/diff?blame=true")).json["objects"][0]["differences"]
        line = int(field["place"].rpartition(":")[2])
        assert bool(field["commit"]) == bool(line % 2)
        (plain,) = (await admin.get(f"{APP}/diff")).json["objects"][0]["differences"]
        assert "commit" not in plain

    story_of(check)


def test_a_rollback_shows_its_plan_and_stops_where_that_has_changed() -> None:
    async def check(site: Site, admin: Browser) -> None:
        site.bed.source.commit(manifests.files(web=manifests.deployment(replicas=4)))
        await admin.get(f"{APP}?refresh=normal")
        assert (await admin.post(f"{APP}/sync", {"prune": True})).status == 200
        await site.bed.until_delivered("shop")
        first = (await site.bed.app("shop"))["status"]["history"][0]
        plan = (await admin.get(f"{APP}/plan?history={first['id']}")).json
        assert plan["revision"] == first["revision"]
        assert {one["object"]["name"] for one in plan["tasks"] if one["changed"]} == {"web", "login"}
        stale = await admin.post(f"{APP}/rollback", {"id": first["id"], "planDigest": "0" * 32})
        assert (stale.status, stale.json["message"]) == (409, "the plan is another by now")
        asked = await admin.post(f"{APP}/rollback", {"id": first["id"], "planDigest": plan["digest"]})
        assert asked.status == 200, asked.body
        await site.bed.clock.sleep(20)
        live = await site.bed.get("Deployment", "web", namespace="shop")
        assert live is not None
        assert live["spec"]["replicas"] == 1

    story_of(check)


def test_objects_are_found_by_name_for_those_who_may_see_their_app() -> None:
    async def check(site: Site, admin: Browser) -> None:
        for text in ("web", "deployment/we", "shop/web"):
            found = (await admin.get(f"/api/v1/syncline/objects?search={text}")).json
            apps = ["shop"] if text == "shop/web" else ["shop", "vault"]
            assert [(one["kind"], one["name"], one["app"]["name"]) for one in found["items"]] == [
                ("Deployment", "web", app) for app in apps
            ]
        ann = await site.as_("ann")
        found = (await ann.get("/api/v1/syncline/objects?search=web")).json
        assert [one["app"]["name"] for one in found["items"]] == ["shop"], "vault is of another project"
        assert (await admin.get("/api/v1/syncline/objects?search=nothing-like-it")).json["total"] == 0
        assert (await admin.get("/api/v1/syncline/objects")).json["total"] == 0
        eve = await site.as_("eve")
        assert (await eve.get("/api/v1/syncline/objects?search=web")).json["items"] == []

    story_of(check)


def test_accepted_drift_is_listed_with_its_reason_what_ends_first_first() -> None:
    text = """\
- {kind: Deployment, group: apps, jsonPointers: [/spec/replicas], reason: the autoscaler decides}
- {kind: Service, jsonPointers: [/spec/clusterIP], reason: until the move, expires: "2020-01-01", owner: team}
- {kind: Service, jsonPointers: [/spec/type]}
"""

    async def story(site: Site) -> None:
        patch = {"metadata": {"annotations": {"syncline.io/accepted-drift": text}}}
        await site.bed.patch("Application", "shop", patch, "argoproj.io/v1alpha1", site.bed.control)
        await site.settle()
        found = (await (await site.as_("admin")).get("/api/v1/syncline/accepted")).json
        first, second = found["items"]
        assert (first["reason"], first["expires"], first["expired"], first["owner"]) == (
            "until the move",
            "2020-01-01",
            True,
            "team",
        )
        assert (second["reason"], second["expired"], second["app"]["name"]) == (
            "the autoscaler decides",
            False,
            "shop",
        )
        assert "has no reason" in found["problems"][0]["message"]
        assert (await (await site.as_("eve")).get("/api/v1/syncline/accepted")).json["items"] == []

    on_site(story)
