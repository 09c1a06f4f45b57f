"""Streams: Argo CD's framing, events for browsers, signs of life, and an end when the session ends."""

from __future__ import annotations

from typing import Any

from syncline import tasks
from syncline.controller.app_key import APPLICATION
from syncline.server.lists.feed import FROM_NOW
from tests.support.web import Site, on_site

STREAM = "/api/v1/stream/applications"


async def edit(site: Site, value: str) -> None:
    change = {"metadata": {"labels": {"edit": value}}}
    await site.bed.patch("Application", "shop", change, "argoproj.io/v1alpha1", site.bed.control)


def told(line: Any) -> tuple[str, str]:
    return line["result"]["type"], line["result"]["application"]["metadata"]["name"]


def test_a_stream_tells_what_is_there_what_changes_and_what_goes() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        lines = admin.lines(f"{STREAM}?projects=team")
        assert told(await anext(lines)) == ("ADDED", "shop")
        await edit(site, "1")
        changed = await anext(lines)
        assert told(changed) == ("MODIFIED", "shop")
        assert changed["result"]["application"]["metadata"]["labels"]["edit"] == "1"
        assert (await admin.delete("/api/v1/applications/shop?cascade=false")).status == 200
        assert told(await anext(lines)) == ("DELETED", "shop")
        await lines.aclose()
        assert len(site.backend.feed) == 0

    on_site(story)


def test_a_version_that_is_not_a_number_is_refused_before_anything_is_sent() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        for path in (STREAM, "/api/v1/syncline/stream/fleet"):
            answer = await admin.get(f"{path}?resourceVersion=abc")
            assert answer.status == 400
            assert "resourceVersion is a number" in answer.json["message"]

    on_site(story)


def test_fields_are_chosen_and_a_browser_gets_events() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        fields = "fields=result.type,result.application.metadata.name"
        lines = admin.lines(f"{STREAM}?{fields}&name=shop")
        first = {"result": {"type": "ADDED", "application": {"metadata": {"name": "shop"}}}}
        assert await anext(lines) == first
        await lines.aclose()
        raw = admin.using(accept="text/event-stream")._exchange("GET", f"{STREAM}?name=shop", b"", {})
        start, body = await anext(raw), await anext(raw)
        kinds = dict(start["headers"])[b"content-type"]
        assert kinds.startswith(b"text/event-stream")
        assert body["body"].startswith(b'data: {"result":{"type":"ADDED"')
        assert body["body"].endswith(b"\n\n")
        sign = await anext(raw)
        assert sign["body"] == b":\n\n"
        await raw.aclose()

    on_site(story)


def test_a_stream_ends_with_the_session() -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        lines = ann.lines(STREAM)
        await anext(lines)
        assert (await ann.delete("/api/v1/session")).status == 200
        await site.bed.clock.sleep(10)
        await edit(site, "2")
        ended = await anext(lines)
        assert ended["error"]["http_code"] == 401
        assert [line async for line in lines] == []

    on_site(story)


def test_a_right_that_is_taken_away_ends_what_is_shown() -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        lines = ann.lines(STREAM)
        await anext(lines)
        change = {"data": {"policy.csv": ""}}
        await site.bed.patch("ConfigMap", "argocd-rbac-cm", change, "v1", site.bed.control)
        await site.settle()
        await edit(site, "3")
        gone = await anext(lines)
        assert told(gone) == ("DELETED", "shop")
        await lines.aclose()

    on_site(story)


def test_a_stream_that_dropped_goes_on_from_the_version_of_a_list() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        listed = (await admin.get("/api/v1/applications")).json
        version = listed["metadata"]["resourceVersion"]
        # Somebody changes one of them before the stream is back.
        await edit(site, "meanwhile")
        await site.settle()
        lines = admin.lines(f"{STREAM}?resourceVersion={version}")
        missed = await anext(lines)
        assert told(missed) == ("MODIFIED", "shop")
        assert missed["result"]["application"]["metadata"]["labels"]["edit"] == "meanwhile"
        # The other one has not changed, so it is not told again: the next line is the next change.
        await edit(site, "after")
        assert (await anext(lines))["result"]["application"]["metadata"]["labels"]["edit"] == "after"
        await lines.aclose()
        assert len(site.backend.feed) == 0

    on_site(story)


def test_a_page_does_not_miss_what_changes_between_its_list_and_its_stream() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        fleet = (await admin.get("/api/v1/syncline/fleet")).json
        before = {row["name"]: int(row["version"]) for row in fleet["rows"]}
        await edit(site, "meanwhile")
        await site.settle()
        lines = admin.lines(f"/api/v1/syncline/stream/fleet?resourceVersion={fleet['version']}")
        missed = (await anext(lines))["result"]
        assert (missed["type"], missed["row"]["name"]) == ("ROW", "shop")
        assert int(missed["row"]["version"]) > max(before.values())
        await lines.aclose()

    on_site(story)


def test_a_reader_that_lags_gets_the_newest_state_and_not_every_step() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        lines = admin.lines(f"{STREAM}?name=shop")
        assert told(await anext(lines)) == ("ADDED", "shop")
        changes = site.backend.feed.changes(
            APPLICATION, lambda key: key.name == "shop", lambda _obj: True, since=FROM_NOW
        )
        waiting = tasks.start(anext(changes), name="the first change")
        await site.settle()
        await edit(site, "0")
        assert (await waiting).obj["metadata"]["labels"]["edit"] == "0"
        for step in range(1, 6):
            await edit(site, str(step))
        await site.settle()
        # It did not read all this time; what it gets is how things are.
        assert (await anext(changes)).obj["metadata"]["labels"]["edit"] == "5"
        await changes.aclose()
        await lines.aclose()
        assert len(site.backend.feed) == 0

    on_site(story)


def test_a_fleet_says_when_its_rows_are_told_otherwise() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")

        async def marked() -> tuple[str, list[int]]:
            await admin.get("/api/v1/syncline/diagnosis?refresh=true")
            found = (await admin.get("/api/v1/syncline/fleet")).json
            return found["told"], [cause["apps"] for cause in found["causes"]]

        quiet = await marked()
        assert await marked() == quiet, "nothing has changed"
        status = {"status": {"sync": {"status": "OutOfSync"}, "health": {"status": "Healthy"}}}
        marks = {quiet[0]}
        for wrong, right in (("shop", "vault"), ("vault", "shop")):
            api, control = "argoproj.io/v1alpha1", site.bed.control
            await site.bed.patch("Application", right, {"status": None}, api, control)
            await site.bed.patch("Application", wrong, status, api, control)
            await site.settle()
            mark, apps = await marked()
            assert apps == [1]
            marks.add(mark)
        assert len(marks) == 3, "one cause of one app, but not of the same"

    on_site(story)


def test_a_row_that_became_well_after_the_diagnosis_has_left_its_cause_behind() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")

        async def shop() -> tuple[list[str], list[str]]:
            rows = (await admin.get("/api/v1/syncline/fleet")).json["rows"]
            why = (await admin.get("/api/v1/applications/shop/why")).json
            return next(row["causes"] for row in rows if row["name"] == "shop"), [one["id"] for one in why["causes"]]

        async def become(sync: str) -> None:
            status = {"status": {"sync": {"status": sync}, "health": {"status": "Healthy"}}}
            await site.bed.patch("Application", "shop", status, "argoproj.io/v1alpha1", site.bed.control)
            await site.settle()

        await become("OutOfSync")
        await admin.get("/api/v1/syncline/diagnosis?refresh=true")
        causes, same = await shop()
        assert len(causes) == 1
        assert same == causes
        await become("Synced")
        assert await shop() == ([], [])
        await become("OutOfSync")
        assert await shop() == (causes, causes)

    on_site(story)
