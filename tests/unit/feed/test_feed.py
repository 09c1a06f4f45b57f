"""The feed of Applications: what is there first, then what changes; slow readers get the newest state."""

from collections.abc import AsyncIterator, Callable

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import APPLICATION
from syncline.controller.live.cluster import LiveCluster
from syncline.sandbox.server import Sandbox
from syncline.server.lists.feed import Feed, FeedEvent
from syncline.server.requests.answers import encoded
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops.simulated import run_simulated
from tests.support.objects import SETTINGS, application_object, config_map


def app(version: int, name: str = "shop") -> Object:
    made = application_object(name)
    return {**made, "metadata": {**made["metadata"], "resourceVersion": str(version)}}


async def next_one(events: AsyncIterator[FeedEvent]) -> tuple[str, str]:
    event = await anext(events)
    return event.type, event.obj["metadata"]["resourceVersion"]


def live_view() -> LiveCluster:
    clock = LoopClock()
    cluster = KubeCluster(Sandbox(clock, SeededIds()).transport())
    return LiveCluster(cluster, SETTINGS, clock, on_change=lambda _obj: None)


def followed(feed: Feed, wanted: Callable[[ObjectKey], bool] = lambda _key: True) -> AsyncIterator[FeedEvent]:
    return feed.changes(APPLICATION, wanted, lambda _obj: True)


def test_changes_follow_what_is_there_and_the_newest_state_wins() -> None:
    async def main() -> None:
        live = live_view()
        live.note_write(app(1))
        feed = Feed(live)
        events = followed(feed)
        assert await next_one(events) == ("ADDED", "1")
        live.note_write(app(2))
        live.note_write(app(3))
        live.note_write({**config_map(), "metadata": {"name": "x", "resourceVersion": "4"}})
        assert await next_one(events) == ("MODIFIED", "3")
        feed.close()
        feed.close()
        assert [event async for event in events] == []
        assert (live.listeners, len(feed)) == ([], 0)

    run_simulated(main)


def test_what_is_no_longer_wanted_is_told_as_gone_once() -> None:
    async def main() -> None:
        live = live_view()
        live.note_write(app(1))
        feed = Feed(live)
        events = followed(feed, lambda key: live.index.version(key) in (1, 4))
        assert await next_one(events) == ("ADDED", "1")
        live.note_write(app(2))
        assert await next_one(events) == ("DELETED", "2")
        live.note_write(app(3))
        live.note_write(app(4))
        assert await next_one(events) == ("ADDED", "4")
        feed.close()

    run_simulated(main)


def test_the_login_in_an_address_is_not_shown() -> None:
    shown = encoded({"repoURL": "https://ada:ca@nary@git.example/shop", "mail": "ada@example.org"})
    assert shown == b'{"repoURL":"https://git.example/shop","mail":"ada@example.org"}'
