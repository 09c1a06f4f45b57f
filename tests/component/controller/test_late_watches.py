"""A watch may be slower than the answer to a write: what a sync writes is taken up all the same."""

import asyncio
from collections.abc import AsyncIterator

import orjson
import pytest

from syncline.ports.transport import Request, Response, Transport
from tests.support import manifests
from tests.support.answers import PassedOn
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO
from tests.support.world import SandboxBed


class Late:
    """A transport whose watches tell everything a while later."""

    def __init__(self, inner: Transport, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        response = await self._inner.send(request, timeout=timeout)
        return LateAnswer(response, self._seconds) if "watch=true" in request.path else response

    async def close(self) -> None:
        await self._inner.close()


class LateAnswer(PassedOn):
    """An answer of which every piece arrives late."""

    def __init__(self, inner: Response, seconds: float) -> None:
        super().__init__(inner)
        self._seconds = seconds

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in super().chunks():
            await asyncio.sleep(self._seconds)
            yield chunk


@pytest.mark.parametrize("seconds", [0.0, 0.3, 3.0])
def test_an_application_that_a_sync_creates_is_delivered_however_late_its_watch_event_comes(seconds: float) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        controller = bed.controller(Late(bed.transport(), seconds))
        await controller.start()
        child = orjson.dumps(bed.application("child", automated=AUTO)).decode()
        bed.source.commit({"apps/web/child.yaml": manifests.deployment(), "apps/all/child.yaml": child})
        parent = bed.application("parent", automated=AUTO)
        parent["spec"]["source"]["path"] = "apps/all"
        parent["spec"]["destination"]["namespace"] = bed.control
        await bed.apply(parent)
        await bed.until(lambda: found(bed), "the child is there")
        await bed.until_delivered("child")
        await bed.until_delivered("parent")
        await controller.stop()
        await bed.stop()

    async def found(bed: SandboxBed) -> bool:
        return await bed.find_app("child") is not None

    run_simulated(main)
