"""What signing in needs of the outside: slow hashes of passwords, and texts that nobody can guess.

Implemented by `syncline.adapters.auth`; handed to `syncline.server`.
"""

from __future__ import annotations

from typing import Protocol


class Passwords(Protocol):
    """Hashes of passwords as Argo CD keeps them; both take a while on purpose."""

    async def matches(self, password: str, hashed: str) -> bool:
        """Whether a password is the one that was hashed; a hash that cannot be read matches nothing."""
        ...

    async def hashed(self, password: str) -> str:
        """Return the hash of a new password."""
        ...


class Unguessable(Protocol):
    """Texts from the machine's source of randomness."""

    def text(self, size: int = 32) -> str:
        """Return so many random bytes, as a text for addresses."""
        ...
