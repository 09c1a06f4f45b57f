"""An answer that is passed on, for transports of tests which change how its pieces arrive."""

from collections.abc import AsyncIterator

from syncline.ports.transport import Response


class PassedOn:
    """Another answer, piece by piece; who changes something overrides `chunks`."""

    def __init__(self, inner: Response) -> None:
        self._inner = inner
        self.status = inner.status
        self.headers = inner.headers

    async def read(self) -> bytes:
        """Return the whole body."""
        return await self._inner.read()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes."""
        async for chunk in self._inner.chunks():
            yield chunk

    async def close(self) -> None:
        """Give the connection back."""
        await self._inner.close()
