"""The stream of Applications: what is there first, then what changes; slow readers get the newest state."""

from collections.abc import AsyncIterator

import orjson

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import Object
from syncline.controller.live.cluster import LiveCluster
from syncline.sandbox.server import Sandbox
from syncline.server.feed import Feed
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops.simulated import run_simulated
from tests.support.objects import SETTINGS, application_object, config_map


def app(version: int, name: str = "shop") -> Object:
    made = application_object(name)
    return {**made, "metadata": {**made["metadata"], "resourceVersion": str(version)}}


async def next_line(lines: AsyncIterator[bytes]) -> tuple[str, str]:
    result = orjson.loads(await anext(lines))["result"]
    return result["type"], result["application"]["metadata"]["resourceVersion"]


def test_changes_follow_what_is_there_and_the_newest_state_wins() -> None:
    async def main() -> None:
        clock = LoopClock()
        cluster = KubeCluster(Sandbox(clock, SeededIds()).transport())
        live = LiveCluster(cluster, SETTINGS, clock, on_change=lambda _obj: None)
        live.note_write(app(1))
        feed = Feed(live)
        lines = feed.lines()
        assert await next_line(lines) == ("ADDED", "1")
        live.note_write(app(2))
        live.note_write(app(3))
        live.note_write({**config_map(), "metadata": {"name": "x", "resourceVersion": "4"}})
        assert await next_line(lines) == ("MODIFIED", "3")
        feed.close()
        assert [line async for line in lines] == []
        assert live.listeners == []

    run_simulated(main)


def test_the_login_in_an_address_is_not_shown() -> None:
    async def main() -> None:
        clock = LoopClock()
        cluster = KubeCluster(Sandbox(clock, SeededIds()).transport())
        live = LiveCluster(cluster, SETTINGS, clock, on_change=lambda _obj: None)
        made = app(1)
        made["spec"]["source"]["repoURL"] = "https://ada:ca@nary@git.example/shop"
        live.note_write(made)
        feed = Feed(live)
        line = await anext(feed.lines())
        assert b"nary" not in line
        assert orjson.loads(line)["result"]["application"]["spec"]["source"]["repoURL"] == "https://git.example/shop"
        feed.close()

    run_simulated(main)
