"""What a folder of this machine holds, as it is listed: names and what tells versions of a file apart.

Handed out by `syncline.wiring` to whoever looks through a whole checkout.
"""

from __future__ import annotations

from dataclasses import dataclass

Mark = tuple[int, int, int, int, int]
"""Device, inode, size and both times of a file: another content has another mark."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or link of a folder."""

    name: str
    mark: Mark
    is_link: bool

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.mark[2]


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds, in the order of names; neither what git keeps for itself nor pipes and the like."""

    folders: tuple[str, ...]
    files: tuple[Entry, ...]

    def has(self, name: str) -> bool:
        """Whether a file of this name is there."""
        return any(one.name == name for one in self.files)
