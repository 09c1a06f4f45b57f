"""Remembers which tokens were signed well: what a signature says does not change, while all else is asked every time.

Used by `syncline.server.access.tokens` and `syncline.server.access.oidc.provider`. Hundreds of streams have their
sessions looked at every few seconds, and each signature takes a while to check. Tokens are remembered by a digest, and
only those that were good, so that made-up ones push nobody out.
"""

from __future__ import annotations

import hashlib
from typing import Generic, TypeVar

T = TypeVar("T")
_AT_MOST = 4_000


class Signed(Generic[T]):
    """What tokens say whose signatures by a key were checked."""

    def __init__(self) -> None:
        self._known: dict[bytes, T] = {}

    def get(self, key: bytes, token: str) -> T | None:
        """Return what a token says; None where its signature was not checked with this key."""
        return self._known.get(_digest(key, token))

    def put(self, key: bytes, token: str, claims: T) -> T:
        """Remember what a token says that was signed with a key; of too many the oldest are forgotten."""
        while len(self._known) >= _AT_MOST:
            del self._known[next(iter(self._known))]
        self._known[_digest(key, token)] = claims
        return claims


def _digest(key: bytes, token: str) -> bytes:
    return hashlib.sha256(hashlib.sha256(key).digest() + token.encode("utf-8", "surrogatepass")).digest()
