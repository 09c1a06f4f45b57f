"""One sync with waves and hooks, whose controller dies at one request and is succeeded by another.

Played on the sandbox and on a real API server. What must hold: the operation ends Succeeded, one history entry, each
hook object created exactly once, the hook with HookSucceeded gone, no failure in either controller.
"""

from collections.abc import Sequence
from typing import Literal

from syncline.ports.transport import Request
from tests.support import manifests
from tests.support.kill import Incarnation, Interceptor
from tests.support.stories import AUTO
from tests.support.world import Bed

Moment = Literal["before", "after"]

FILES = {
    "apps/web/config.yaml": manifests.CONFIG,
    "apps/web/before.yaml": manifests.hook("before", "PreSync"),
    "apps/web/web.yaml": manifests.deployment(),
    "apps/web/later.yaml": manifests.deployment("later", wave=1),
    "apps/web/after.yaml": manifests.hook("after", "PostSync", policy="HookSucceeded"),
}


def is_write(request: Request) -> bool:
    """Whether a request changes anything; the points that matter most where every point costs a second."""
    return request.method != "GET"


def points(requests: Sequence[Request], moment: Moment) -> list[int]:
    """Return the requests at which a death leaves something behind that no other death does.

    Reads change nothing: of those between two writes the first stands for all, and one whose answer is lost was as good
    as not sent.
    """
    writes = [is_write(request) for request in requests]
    fresh = [number == 0 or written for number, written in enumerate([False, *writes[:-1]])]
    wanted = writes if moment == "after" else [one or other for one, other in zip(writes, fresh, strict=True)]
    return [number for number, chosen in enumerate(wanted, start=1) if chosen]


def is_anything(_request: Request) -> bool:
    """Count every request."""
    return True


async def deliver_with_death(
    bed: Bed, *, die_at: int | None, moment: Moment, only_writes: bool = False
) -> list[Request]:
    """Deliver the app; return the (counted) requests that the first controller made."""
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    first = Incarnation("first")
    counted = is_write if only_writes else is_anything
    wire = Interceptor(bed.transport(), first, die_at=die_at, moment=moment, counted=counted)
    first.start(bed.controller(wire).start())

    async def over() -> bool:
        return first.dead or await delivered(bed)

    await bed.until(over, "the first controller died or finished")
    if first.dead:
        successor = bed.controller()
        await successor.start()
        await bed.until_delivered()
        await check(bed, f"killed {moment} request {die_at}")
        await successor.stop()
    else:
        await check(bed, f"nobody died ({moment} request {die_at})")
        first.kill()
    return wire.requests


async def delivered(bed: Bed) -> bool:
    app = await bed.app()
    return await bed.status() == ("Synced", "Healthy") and await bed.phase() == "Succeeded" and "operation" not in app


async def check(bed: Bed, when: str) -> None:
    created = [write for write in bed.writes if write.startswith("POST") and f"/namespaces/{bed.target}/jobs" in write]
    assert len(created) == 2, f"{when}: hooks created {len(created)} times"
    assert len((await bed.app_status())["history"]) == 1, when
    assert not bed.failures, f"{when}: {bed.failures}"
    assert not bed.violations, f"{when}: {bed.violations}"

    async def gone() -> bool:
        return await bed.get("Job", "after", "batch/v1") is None

    await bed.until(gone, f"{when}: the PostSync hook is deleted")
