"""What streams tell when an object moves to where its reader may not look, or the reader loses a right meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from syncline import tasks
from syncline.apimachinery.keys import Object
from syncline.model import crds
from tests.support.stories import FILES
from tests.support.web import POLICY, Site, on_site

API = "argoproj.io/v1alpha1"
CANARY = "c4n4ry-of-the-hidden-project"
APPS = "/api/v1/stream/applications"
SETS = "/api/v1/stream/applicationsets"
FLEET = "/api/v1/syncline/stream/fleet"
RULES = f"{POLICY}p, role:team, applicationsets, get, team/*, allow\n"


async def move(site: Site, project: str, **labels: str) -> None:
    change = {"metadata": {"labels": {"canary": CANARY, **labels}}, "spec": {"project": project}}
    await site.bed.patch("Application", "shop", change, API, site.bed.control)


def named(line: Any, member: str = "application") -> Any:
    return line["result"]["type"], line["result"][member]


@pytest.mark.parametrize("path", [APPS, f"{APPS}?name=shop", f"{APPS}?projects=team"])
def test_an_application_that_moves_to_a_hidden_project_goes_with_its_name_alone(path: str) -> None:
    async def story(site: Site) -> None:
        lines = (await site.as_("ann")).lines(path)
        assert named(await anext(lines))[0] == "ADDED"
        await move(site, "other")
        line = await anext(lines)
        kind, app = named(line)
        assert kind == "DELETED"
        assert set(app["metadata"]) == {"name", "namespace", "uid"}
        assert (app["metadata"]["name"], app["spec"]["project"]) == ("shop", "")
        assert CANARY not in str(line)
        await lines.aclose()

    on_site(story)


def test_an_application_that_moves_and_is_deleted_before_its_reader_reads_goes_with_its_name_alone() -> None:
    async def story(site: Site) -> None:
        lines = (await site.as_("ann")).lines(APPS)
        await anext(lines)
        admin = await site.as_("admin")
        await move(site, "other")
        assert (await admin.delete("/api/v1/applications/shop?cascade=false")).status == 200
        await site.settle()
        line = await anext(lines)
        assert named(line)[0] == "DELETED"
        assert CANARY not in str(line)
        await lines.aclose()

    on_site(story)


def test_one_that_is_deleted_where_its_reader_sees_it_goes_whole() -> None:
    async def story(site: Site) -> None:
        lines = (await site.as_("ann")).lines(APPS)
        await anext(lines)
        admin = await site.as_("admin")
        assert (await admin.delete("/api/v1/applications/shop?cascade=false")).status == 200
        kind, app = named(await anext(lines))
        assert (kind, app["spec"]["project"]) == ("DELETED", "team")
        await lines.aclose()

    on_site(story)


def test_the_reader_of_the_hidden_project_gets_it_whole_at_the_same_time() -> None:
    async def story(site: Site) -> None:
        hidden, seen = (await site.as_("ann")).lines(APPS), (await site.as_("admin")).lines(f"{APPS}?projects=team")
        await anext(hidden)
        await anext(seen)
        await move(site, "other")
        assert CANARY not in str(await anext(hidden))
        assert CANARY in str(await anext(seen))
        await hidden.aclose()
        await seen.aclose()

    on_site(story)


def test_the_stream_of_the_page_says_only_which_row_is_gone() -> None:
    async def story(site: Site) -> None:
        lines = (await site.as_("ann")).lines(f"{FLEET}?resourceVersion=1")
        await anext(lines)
        await move(site, "other")
        line = await anext(lines)
        assert line["result"] == {"type": "GONE", "row": {"namespace": site.bed.control, "name": "shop"}}
        await lines.aclose()

    on_site(story)


def the_set(project: str, namespace: str) -> Object:
    template = {
        "metadata": {"name": "{{name}}"},
        "spec": {"project": project, "source": {"repoURL": CANARY}, "destination": {}},
    }
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": "many", "namespace": namespace},
        "spec": {"generators": [{"list": {"elements": []}}], "template": template},
    }


def test_a_set_that_moves_to_a_hidden_project_goes_with_its_name_alone() -> None:
    async def story(site: Site) -> None:
        await site.bed.apply(crds.applicationset_crd())
        await site.bed.until(lambda: site.bed.served("applicationsets"), "ApplicationSets to be served")
        await site.bed.apply(the_set("team", site.bed.control))
        await site.bed.clock.sleep(60)
        lines = (await site.as_("ann")).lines(SETS)
        assert named(await anext(lines), "applicationSet")[0] == "ADDED"
        await site.bed.apply(the_set("other", site.bed.control))
        kind, gone = named(await anext(lines), "applicationSet")
        assert (kind, gone["metadata"]["name"], "spec" in gone) == ("DELETED", "many", False)
        await lines.aclose()

    on_site(story, policy=RULES)


def test_a_policy_that_is_taken_away_takes_what_is_shown_at_once_and_gives_it_back() -> None:
    async def story(site: Site) -> None:
        lines = (await site.as_("ann")).lines(APPS)
        await anext(lines)
        for policy, kind in (("", "DELETED"), (POLICY, "ADDED")):
            await site.bed.patch(
                "ConfigMap", "argocd-rbac-cm", {"data": {"policy.csv": policy}}, "v1", site.bed.control
            )
            line = await anext(lines)
            assert named(line)[0] == kind
            assert bool(named(line)[1]["spec"]["project"]) == (kind == "ADDED")
        await lines.aclose()

    on_site(story)


async def _all(lines: AsyncIterator[Any]) -> list[Any]:
    return [line async for line in lines]


@pytest.mark.parametrize("how", ["policy", "project"])
def test_logs_and_trees_that_are_followed_end_with_the_right_to_them(how: str) -> None:
    async def story(site: Site) -> None:
        site.bed.source.commit(FILES)
        admin, ann = await site.as_("admin"), await site.as_("ann")
        assert (await admin.post("/api/v1/applications/shop/sync", {})).status == 200
        await site.bed.clock.sleep(60)
        tree = ann.lines("/api/v1/stream/applications/shop/resource-tree")
        logs = ann.lines("/api/v1/applications/shop/logs?follow=true&kind=Deployment&group=apps&resourceName=web")
        assert "result" in await anext(tree)
        reading = tasks.start(_all(logs), name="logs")
        await site.bed.clock.sleep(20)
        assert not reading.done()
        if how == "policy":
            await site.bed.patch("ConfigMap", "argocd-rbac-cm", {"data": {"policy.csv": ""}}, "v1", site.bed.control)
        else:
            await move(site, "other")
        for last in ((await _all(tree))[-1], (await reading)[-1]):
            assert last["error"]["grpc_code"] == 7, last

    on_site(story, delivered=True)
