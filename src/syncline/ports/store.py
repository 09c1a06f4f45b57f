"""Bytes kept between runs: caches of renders and the bounded history journal.

Everything in a store can be lost at any time without harm; the Kubernetes API is the only database.
"""

from __future__ import annotations

from typing import Protocol


class Store(Protocol):
    """A small map from text keys to bytes."""

    async def get(self, key: str) -> bytes | None:
        """Return what was put under the key, or None."""
        ...

    async def put(self, key: str, value: bytes) -> None:
        """Keep the bytes, replacing what was there."""
        ...

    async def delete(self, key: str) -> None:
        """Forget the key; a key that is not there is fine."""
        ...
