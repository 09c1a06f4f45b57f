"""What other Applications have to do with the objects of one: who they are, and which objects they desire.

Put into a `Snapshot` by `syncline.controller.deliver.claims`; `syncline.core.compare.owners` decides from it to whom an
object belongs.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.errors import Place


class Standing(StrEnum):
    """What is known of another Application."""

    KNOWN = "known"
    """It was rendered: it desires what it claims, and nothing else."""
    UNSEEN = "unseen"
    """It has yet to be looked at, which will be soon."""
    UNKNOWN = "unknown"
    """What it desires cannot be told: it cannot be rendered, is denied or paused."""
    GONE = "gone"
    """There is no such Application."""


class OtherApp(msgspec.Struct, frozen=True, omit_defaults=True):
    """Another Application."""

    namespace: str
    name: str
    standing: Standing
    created: str = ""

    @property
    def title(self) -> str:
        """Its name for people."""
        return f"{self.namespace}/{self.name}"


class Claim(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object that another Application (by its title) desires, and where that is written."""

    key: ObjectKey
    app: str
    place: Place | None = None
