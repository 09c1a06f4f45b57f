"""Watches: where they start, what they report, how they end."""

import asyncio
import json
from typing import Any

from syncline.ports.transport import Request
from syncline.sandbox.cluster.settings import SandboxSettings
from tests.unit.sandbox.driving import CONFIG_MAPS, Kube, config_map, play

BARE = SandboxSettings(simulate=False)


class Watching:
    """One open watch and what it has told so far."""

    def __init__(self, kube: Kube, path: str) -> None:
        self._kube = kube
        self._path = path
        self.seen: list[dict[str, Any]] = []
        self.ended = False
        self._task = asyncio.ensure_future(self._follow())

    async def _follow(self) -> None:
        response = await self._kube.transport.send(Request(method="GET", path=self._path))
        try:
            rest = b""
            async for chunk in response.chunks():
                *lines, rest = (rest + chunk).split(b"\n")
                self.seen += [json.loads(line) for line in lines]
        finally:
            await response.close()
        self.ended = True

    def told(self) -> list[tuple[str, str]]:
        return [(event["type"], event["object"]["metadata"].get("name", "")) for event in self.seen]

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def quiet(kube: Kube) -> None:
    await kube.clock.sleep(0.01)


def test_a_watch_reports_what_happens_after_its_version() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CONFIG_MAPS, config_map("early"))
        version = (await kube.get(CONFIG_MAPS))["metadata"]["resourceVersion"]
        await kube.create(CONFIG_MAPS, config_map("between"))
        watching = Watching(kube, f"{CONFIG_MAPS}?watch=true&resourceVersion={version}")
        await quiet(kube)
        await kube.merge(f"{CONFIG_MAPS}/early", {"data": {"a": "1"}})
        await kube.delete(f"{CONFIG_MAPS}/between")
        await kube.create("/api/v1/namespaces/kube-public/configmaps", config_map("elsewhere"))
        await quiet(kube)
        await watching.stop()
        assert kube.sandbox.watches.count() == 0
        return watching.told()

    assert play(story, BARE) == [
        ("ADDED", "between"),
        ("MODIFIED", "early"),
        ("DELETED", "between"),
    ]


def test_a_selector_turns_changes_into_coming_and_going() -> None:
    async def story(kube: Kube) -> Any:
        version = (await kube.get(CONFIG_MAPS))["metadata"]["resourceVersion"]
        watching = Watching(kube, f"{CONFIG_MAPS}?watch=true&labelSelector=on%3Dyes&resourceVersion={version}")
        await quiet(kube)
        await kube.create(CONFIG_MAPS, config_map("a"))
        await kube.merge(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"on": "yes"}}})
        await kube.merge(f"{CONFIG_MAPS}/a", {"data": {"x": "1"}})
        await kube.merge(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"on": "no"}}})
        await kube.delete(f"{CONFIG_MAPS}/a")
        await quiet(kube)
        await watching.stop()
        return watching.told()

    assert play(story, BARE) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


def test_initial_events_end_with_an_annotated_bookmark() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CONFIG_MAPS, config_map("a"))
        query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
        watching = Watching(kube, f"{CONFIG_MAPS}?{query}")
        await quiet(kube)
        await watching.stop()
        return watching.seen

    first, last = play(story, BARE)
    assert (first["type"], first["object"]["metadata"]["name"]) == ("ADDED", "a")
    assert last["type"] == "BOOKMARK"
    assert last["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_a_bookmark_tells_quiet_watchers_how_far_the_world_is() -> None:
    async def story(kube: Kube) -> Any:
        version = (await kube.get(CONFIG_MAPS))["metadata"]["resourceVersion"]
        watching = Watching(kube, f"{CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&resourceVersion={version}")
        await kube.clock.sleep(61)
        written = await kube.create("/api/v1/namespaces", {"metadata": {"name": "other"}})
        await quiet(kube)
        await watching.stop()
        return watching.seen, written["metadata"]["resourceVersion"]

    seen, version = play(story, BARE)
    assert [(event["type"], event["object"]["metadata"]["resourceVersion"]) for event in seen] == [
        ("BOOKMARK", version)
    ]


def test_a_compacted_version_is_gone() -> None:
    async def story(kube: Kube) -> Any:
        version = (await kube.get(CONFIG_MAPS))["metadata"]["resourceVersion"]
        await kube.create(CONFIG_MAPS, config_map("a"))
        kube.sandbox.compact()
        watching = Watching(kube, f"{CONFIG_MAPS}?watch=true&resourceVersion={version}")
        await quiet(kube)
        assert watching.ended
        return watching.seen

    (event,) = play(story, BARE)
    assert event["type"] == "ERROR"
    assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")


def test_a_watch_ends_when_its_time_is_over() -> None:
    async def story(kube: Kube) -> Any:
        watching = Watching(kube, f"{CONFIG_MAPS}?watch=true&timeoutSeconds=30")
        await kube.clock.sleep(29)
        early = watching.ended
        await kube.clock.sleep(2)
        return early, watching.ended, kube.sandbox.watches.count()

    assert play(story, BARE) == (False, True, 0)


def test_pages_show_the_list_as_it_was_at_the_first_page() -> None:
    async def story(kube: Kube) -> Any:
        for name in "abcd":
            await kube.create(CONFIG_MAPS, config_map(name))
        first = await kube.get(CONFIG_MAPS, limit=2)
        await kube.create(CONFIG_MAPS, config_map("bb"))
        await kube.delete(f"{CONFIG_MAPS}/d")
        second = await kube.get(CONFIG_MAPS, limit=5, **{"continue": first["metadata"]["continue"]})
        kube.sandbox.compact()
        await kube.create(CONFIG_MAPS, config_map("e"))
        token = {"continue": first["metadata"]["continue"]}
        expired = await kube.refusal("GET", CONFIG_MAPS, limit=5, **token)
        return first, second, expired

    first, second, expired = play(story, BARE)
    assert [item["metadata"]["name"] for item in first["items"]] == ["a", "b"]
    assert first["metadata"]["remainingItemCount"] == 2
    assert [item["metadata"]["name"] for item in second["items"]] == ["c", "d"]
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    assert expired[:2] == (410, "Expired")
