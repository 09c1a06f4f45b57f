"""The real clock, real names and real chance.

Handed by `syncline.wiring` to everything that takes `syncline.ports.clock`; tests hand in their own.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import uuid
from datetime import UTC, datetime

from syncline.apimachinery.names import SUFFIX_ALPHABET


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        """Return the wall time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class SystemIds:
    """Names from the machine's source of randomness."""

    def uid(self) -> str:
        """Return a new UUID text."""
        return str(uuid.uuid4())

    def suffix(self, length: int = 5) -> str:
        """Return a random name ending."""
        return "".join(secrets.choice(SUFFIX_ALPHABET) for _ in range(length))


class SystemChance:
    """Chance from the machine's source of randomness."""

    def uniform(self, low: float, high: float) -> float:
        """Return a number between low and high."""
        return low + (high - low) * secrets.randbelow(2**53) / (2**53 - 1)
