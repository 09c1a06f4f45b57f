"""What signing in needs of the outside: slow hashes of passwords, texts that nobody can guess, and Dex.

Implemented by `syncline.adapters.auth`; handed to `syncline.server`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from syncline.ports.web import WebAnswer, WebRequest


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


class DexError(Exception):
    """Dex does not run or does not answer; the text says why, without values of its configuration."""


class RunningDex(Protocol):
    """A Dex that we started, and that nobody but us reaches."""

    async def ask(self, path: str, request: WebRequest) -> WebAnswer:
        """Return its answer to a request, whose address is this path of its own; redirects are not followed."""
        ...

    async def ended(self) -> str:
        """Wait until it ends, and return its last words."""
        ...

    async def stop(self) -> None:
        """End it, and take its configuration away."""
        ...


class DexProgram(Protocol):
    """The program, where this machine has one."""

    async def start(self, config: Mapping[str, Any]) -> RunningDex:
        """Run it with a configuration that says everything but where to listen; raises `DexError`."""
        ...
