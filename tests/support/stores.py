"""A store that keeps bytes in memory, for tests of what is kept."""


class MemoryStore:
    """Keeps bytes while the test runs."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        return self._values.get(key)

    async def put(self, key: str, value: bytes) -> None:
        self._values[key] = value

    async def delete(self, key: str) -> None:
        self._values.pop(key, None)
