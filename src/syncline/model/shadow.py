"""What is recorded beside a living Argo CD: verdict and decision of both, each time one of them changes.

Made by `syncline.controller.coexistence.observing`, kept as lines of JSON by `syncline shadow record`, read by
`syncline.core.shadow`. Fields may come, none may change or go: files of older versions are read too.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Opinion(msgspec.Struct, frozen=True, rename="camel"):
    """What one of the two says about an Application."""

    sync: str
    health: str
    revision: str = ""


class OurMove(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What Syncline would do next, and why."""

    kind: str
    reason: str
    detail: str = ""


class TheirMove(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The last operation that Argo CD recorded; `automated` where nobody asked for it."""

    started_at: str
    phase: str
    revision: str = ""
    automated: bool = False


class Seen(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag="seen", kw_only=True):
    """One Application as both see it from this time on; `why` is empty where the verdicts are equal."""

    time: str
    app: str
    ours: Opinion
    theirs: Opinion
    why: tuple[str, ...] = ()
    decision: OurMove
    operation: TheirMove | None = None

    @property
    def equal(self) -> bool:
        """Whether both say the same."""
        return (self.ours.sync, self.ours.health) == (self.theirs.sync, self.theirs.health)


class Unwatched(msgspec.Struct, frozen=True, rename="camel", tag="unwatched", kw_only=True):
    """An Application that is no longer compared: it was deleted, or taken over."""

    time: str
    app: str


class Mark(msgspec.Struct, frozen=True, rename="camel", tag="mark", kw_only=True):
    """Watching began, went on until now, or ended; between an end and a beginning nothing is known."""

    time: str
    what: str


class RefusedObject(msgspec.Struct, frozen=True, rename="camel"):
    """A set or a Secret that would be refused after a move from Argo CD, and why."""

    kind: str
    name: str
    why: str


class Refusals(msgspec.Struct, frozen=True, rename="camel", tag="refusals", kw_only=True):
    """Everything that would be refused from this time on; it replaces what was recorded before."""

    time: str
    objects: tuple[RefusedObject, ...] = ()


Record: TypeAlias = Seen | Unwatched | Mark | Refusals
BEGAN, ALIVE, ENDED = "began", "alive", "ended"
