"""The breaks of a demo as the page sees them. The demo itself (`syncline.cli.run.demo_breaks`) carries them out."""

from __future__ import annotations

from typing import Protocol

import msgspec


class Break(msgspec.Struct, frozen=True, kw_only=True):
    """One way to break the demo: what happens, the same as a command, and how it stands."""

    name: str
    title: str
    command: str
    app: str
    broken: bool = False
    said: str = ""


class Breaks(Protocol):
    """Breaks the demo and heals it."""

    async def all(self) -> tuple[Break, ...]:
        """Return the breaks, as they stand."""
        ...

    async def start(self, name: str) -> str:
        """Break, and say what was done; raises `KeyError` for a name that is not a break."""
        ...

    async def heal(self, name: str) -> str:
        """Heal, and say what was done; raises `KeyError` for a name that is not a break."""
        ...
