"""A watch gives the same events however the network cuts them, and ends loudly when it is too old."""

from contextlib import aclosing
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.adapters.kube.client import KubeCluster
from syncline.ports.kube import ApiError, EventType, WatchEvent
from syncline.ports.transport import TransportError
from tests.unit.kube_client.driving import run
from tests.unit.kube_client.scripted import CONFIG_MAPS, Answer, Scripted, config_map, refusal

EVENTS = [
    WatchEvent(EventType.ADDED, config_map("a", data={"text": "line\nbreak, “quotes” and \u2028"})),
    WatchEvent(EventType.MODIFIED, config_map("a", data={"text": "x" * 300})),
    WatchEvent(EventType.BOOKMARK, {"kind": "ConfigMap", "metadata": {"resourceVersion": "12"}}),
    WatchEvent(EventType.DELETED, config_map("a")),
]


def line(event: WatchEvent) -> bytes:
    return orjson.dumps({"type": event.type.value, "object": event.obj}) + b"\n"


async def collect(transport: Scripted, version: str = "5") -> list[WatchEvent]:
    return [event async for event in KubeCluster(transport).watch(CONFIG_MAPS, resource_version=version)]


@given(st.lists(st.integers(min_value=0, max_value=900), max_size=12))
def test_events_do_not_depend_on_where_the_stream_is_cut(cuts: list[int]) -> None:
    stream = b"".join(line(event) for event in EVENTS)
    edges = sorted({0, len(stream), *(cut % len(stream) for cut in cuts)})
    pieces = [stream[start:end] for start, end in pairwise(edges)]
    assert run(collect(Scripted(Answer(200, *pieces)))) == EVENTS


async def test_a_watch_asks_for_bookmarks_and_has_no_timeout_of_its_own() -> None:
    transport = Scripted(Answer(200))
    assert await collect(transport, "42") == []
    query = {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "42",
        "timeoutSeconds": "290",
    }
    assert transport.asked() == [("GET", "/api/v1/configmaps", query)]
    assert transport.timeouts == [None]
    assert transport.given[0].closed


EXPIRED = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version: 5 (90)"}


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, orjson.dumps({"type": "ERROR", "object": EXPIRED}) + b"\n"),
        refusal(410, "Expired", "too old resource version: 5 (90)"),
    ],
    ids=["as an event", "as a status"],
)
async def test_a_version_that_is_too_old_is_an_error_with_code_410(answer: Answer) -> None:
    with pytest.raises(ApiError, match=r"too old resource version: 5 \(90\)") as caught:
        await collect(Scripted(answer))
    assert (caught.value.code, caught.value.reason) == (410, "Expired")
    assert answer.closed


async def test_an_event_cut_off_by_the_end_of_the_stream_is_left_for_the_next_watch() -> None:
    stream = line(EVENTS[0]) + line(EVENTS[1])[:-20]
    assert await collect(Scripted(Answer(200, stream))) == EVENTS[:1]


async def test_a_connection_cut_between_events_raises_after_the_events() -> None:
    transport = Scripted(Answer(200, line(EVENTS[0]), cut=True))
    events = KubeCluster(transport).watch(CONFIG_MAPS, resource_version="1")
    assert await anext(events) == EVENTS[0]
    with pytest.raises(TransportError):
        await anext(events)


async def test_a_watch_left_early_gives_its_connection_back() -> None:
    transport = Scripted(Answer(200, *(line(event) for event in EVENTS)))
    events = KubeCluster(transport).watch(CONFIG_MAPS, resource_version="1")
    async with aclosing(events):
        async for event in events:
            assert event == EVENTS[0]
            break
    assert transport.given[0].closed
