"""Bcrypt, in threads: one check takes a tenth of a second on purpose, and nobody else should wait for it.

The odd fact: bcrypt looks at 72 bytes only, so a longer password is refused rather than cut.
"""

from __future__ import annotations

import asyncio
import secrets

_LONGEST = 72
_COST = 10
"""As Argo CD's own hashes."""


class BcryptPasswords:
    """Checks and makes the hashes that argocd-secret holds."""

    async def matches(self, password: str, hashed: str) -> bool:
        """Whether a password is the one that was hashed."""
        plain = password.encode()
        if len(plain) > _LONGEST or "\0" in password:
            return False
        return await asyncio.to_thread(_matches, plain, hashed.encode())

    async def hashed(self, password: str) -> str:
        """Return the hash of a new password."""
        return await asyncio.to_thread(_hashed, password.encode()[:_LONGEST])


def _matches(plain: bytes, hashed: bytes) -> bool:
    import bcrypt

    try:
        return bcrypt.checkpw(plain, hashed)
    except ValueError:
        return False


def _hashed(plain: bytes) -> str:
    import bcrypt

    return bcrypt.hashpw(plain, bcrypt.gensalt(_COST, prefix=b"2a")).decode()


class SystemSecrets:
    """Texts that nobody can guess."""

    def text(self, size: int = 32) -> str:
        """Return so many random bytes, as a text for addresses."""
        return secrets.token_urlsafe(size)
