"""Whether container images are there to be pulled.

Asked by the rules that look at images before they are delivered; implemented by `syncline.adapters.images`. An answer
may be that it cannot be told: the look-up is switched off, the registry is silent, or it does not let us in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class ImageNote(msgspec.Struct, frozen=True):
    """Whether an image exists; None where it cannot be told, and then the reason says why."""

    image: str
    exists: bool | None
    reason: str = ""


class Images(Protocol):
    """Looks images up in their registries."""

    async def look_up(self, image: str, pull_secrets: Sequence[str] = ()) -> ImageNote:
        """Say whether an image is there; `pull_secrets` are texts of `.dockerconfigjson`."""
        ...

    async def tags(self, image: str, pull_secrets: Sequence[str] = ()) -> tuple[str, ...] | None:
        """Return the tags of an image's repository, none where there is no such repository; None if nobody can tell."""
        ...
