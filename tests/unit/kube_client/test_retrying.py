"""What is tried again, how often, and how long it waits."""

from datetime import UTC, datetime

import pytest

from syncline.adapters.kube.retry import RetryBackoff, Retrying
from syncline.ports.transport import Request, TransportError
from tests.unit.kube_client.scripted import Answer, Script, Scripted, json

CUT = TransportError("cannot reach scripted: the connection was reset")
GET = Request(method="GET", path="/api")


class Waits:
    """A clock that notes how long it was asked to wait, and chance that always gives the longest."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    def now(self) -> datetime:
        return datetime(2030, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return sum(self.waited)

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)

    def uniform(self, low: float, high: float) -> float:
        assert low == high / 2
        return high


def busy(status: int, retry_after: str = "") -> Answer:
    return Answer(status, b"busy", headers={"retry-after": retry_after} if retry_after else {})


def patient(*script: Script) -> tuple[Retrying, Waits, Scripted]:
    waits, transport = Waits(), Scripted(*script)
    return Retrying(transport, clock=waits, chance=waits, backoff=RetryBackoff(attempts=4)), waits, transport


@pytest.mark.parametrize(
    ("method", "script", "status", "waited"),
    [
        ("GET", [json({})], 200, []),
        ("GET", [CUT, busy(503), json({})], 200, [0.2, 0.4]),
        ("GET", [busy(429, "2"), json({})], 200, [2.0]),
        ("GET", [busy(429, "3600"), json({})], 200, [30.0]),
        ("GET", [busy(429, "Wed, 21 Oct 2026 07:28:00 GMT"), json({})], 200, [0.2]),
        ("GET", [Answer(200, b"half", cut=True), json({})], 200, [0.2]),
        ("GET", [busy(503)] * 4, 503, [0.2, 0.4, 0.8]),
        ("GET", [busy(500)], 500, []),
        ("GET", [busy(404)], 404, []),
        ("POST", [busy(429), json({})], 200, [0.2]),
        ("PATCH", [busy(503, "1"), json({})], 200, [1.0]),
        ("PUT", [busy(503)], 503, []),
        ("DELETE", [busy(504)], 504, []),
    ],
)
async def test_attempts(method: str, script: list[Script], status: int, waited: list[float]) -> None:
    retrying, waits, transport = patient(*script)
    answer = await retrying.send(Request(method=method, path="/api"), timeout=5)
    assert (answer.status, waits.waited) == (status, waited)
    assert len(transport.requests) == len(script)
    assert transport.timeouts == [5] * len(script)
    assert all(given.closed for given in transport.given[:-1])


@pytest.mark.parametrize(("method", "attempts"), [("GET", 4), ("POST", 1), ("PATCH", 1), ("DELETE", 1)])
async def test_lost_connections_are_tried_again_for_reads_only(method: str, attempts: int) -> None:
    retrying, _, transport = patient(*[CUT] * 4)
    with pytest.raises(TransportError):
        await retrying.send(Request(method=method, path="/api"), timeout=5)
    assert len(transport.requests) == attempts


async def test_a_watch_is_handed_on_as_it_arrives() -> None:
    retrying, waits, _ = patient(busy(429), Answer(200, b"a", b"b", cut=True))
    answer = await retrying.send(GET)
    pieces = answer.chunks()
    assert [await anext(pieces), await anext(pieces)] == [b"a", b"b"]
    with pytest.raises(TransportError):
        await anext(pieces)
    assert waits.waited == [0.2]


async def test_where_nothing_listens_a_read_is_tried_twice() -> None:
    refused = TransportError("cannot reach scripted: connection refused", refused=True)
    transport, waits, scripted = patient(*[refused] * 4)
    with pytest.raises(TransportError, match="connection refused"):
        await transport.send(GET)
    assert (len(scripted.requests), waits.waited) == (2, [0.2])
