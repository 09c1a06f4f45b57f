"""Approving a take-over through the API: with the right to update the Application, and for the list that was shown."""

from __future__ import annotations

from syncline.model import names
from tests.support.stories import FILES
from tests.support.web import POLICY, Site, on_site

APP = "/api/v1/applications/shop"
MAY_UPDATE = f"{POLICY}p, role:team, applications, update, team/*, allow\n"


async def arrange(site: Site) -> None:
    await site.bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    mark = {names.TRACKING_ID: "elsewhere:/ConfigMap:shop/settings"}
    metadata = {"name": "settings", "namespace": "shop", "annotations": mark}
    await site.bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": "green"}})
    site.bed.source.commit(FILES)
    await site.settle()


def test_the_list_that_the_plan_shows_is_approved_and_recorded_on_the_application() -> None:
    async def story(site: Site) -> None:
        await arrange(site)
        ann = await site.as_("ann")
        waiting = (await ann.get(f"{APP}/plan")).json["adoption"]
        assert [(one["object"]["name"], one["app"]) for one in waiting["objects"]] == [("settings", "elsewhere")]
        other = await ann.post(f"{APP}/adopt", {"digest": "another"})
        assert (other.status, "would take over other objects" in other.json["message"]) == (409, True)
        answer = await ann.post(f"{APP}/adopt", {"digest": waiting["digest"]})
        assert answer.status == 200, answer.body
        assert answer.json["metadata"]["annotations"][names.ADOPTED]
        await site.settle()
        assert (await ann.get(f"{APP}/plan")).json["adoption"] == {"digest": "", "objects": []}
        again = await ann.post(f"{APP}/adopt", {})
        assert (again.status, "waits for no approval" in again.json["message"]) == (400, True)

    on_site(story, policy=MAY_UPDATE)


def test_nobody_approves_without_the_right_to_update_the_application() -> None:
    async def story(site: Site) -> None:
        await arrange(site)
        for name in ("ann", "ben", "eve"):
            assert (await (await site.as_(name)).post(f"{APP}/adopt", {})).status == 403, name
        app = await site.bed.app("shop")
        assert names.ADOPTED not in (app["metadata"].get("annotations") or {})

    on_site(story)
