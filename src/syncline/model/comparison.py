"""The verdict of a comparison, object by object and field by field.

Made by `syncline.core.compare`; shown by the command line, written to `status.resources`, planned from by
`syncline.core.sync.plan`. Values of Secrets are masked before they get in here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.application import Condition, IgnoreDifference
from syncline.model.errors import Place
from syncline.model.reason import Reason


class Verdict(StrEnum):
    """Argo CD's words; an empty verdict is for rows that do not count (hooks)."""

    SYNCED = "Synced"
    OUT_OF_SYNC = "OutOfSync"
    UNKNOWN = "Unknown"
    NONE = ""


class DifferenceCause(StrEnum):
    """What kind of difference a field has."""

    GIT = "changed in Git"
    LIVE = "changed live"
    REMOVED = "removed from Git"
    MISSING = "missing live"
    EXTRA = "extra live"
    TRACKING = "tracking"
    DEFAULTED = "defaulted"
    """Git does not say it and the server filled it in: never makes an object OutOfSync."""
    SPELLING = "other spelling"
    """Both say the same in other words, or in another order: never makes an object OutOfSync."""


class Difference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One field: what Git says, what is live, who wrote it and when. An absent side is UNSET."""

    path: str
    cause: DifferenceCause
    desired: Any = msgspec.UNSET
    live: Any = msgspec.UNSET
    manager: str = ""
    time: str = ""
    place: Place | None = None


class CompareStrategy(StrEnum):
    """How the object that an apply would leave behind is predicted."""

    STRUCTURED = "structured merge"
    CLIENT_SIDE = "client-side three-way"
    SERVER_SIDE = "server-side dry run"


class StrategyChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """The strategy in force for one object and why; `wanted` is what was asked for where that was not possible."""

    strategy: CompareStrategy
    reason: str
    wanted: CompareStrategy | None = None
    include_webhooks: bool = False
    """Whether what mutating webhooks write counts too (server-side dry run only)."""


class AcceptedDrift(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A difference somebody agreed to live with, why, and until when (a date or time; empty: for good)."""

    entry: IgnoreDifference
    reason: str
    expires: str = ""
    owner: str = ""

    def has_expired(self, as_of: str) -> bool:
        """Whether the time has come; a date ends with its day."""
        return bool(self.expires) and as_of[: len(self.expires)] > self.expires


class AcceptedDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A field that differs and does not count because somebody said so, or counts again because that has expired."""

    path: str
    reason: str
    expires: str = ""
    owner: str = ""
    expired: bool = False


class IgnoreUse(msgspec.Struct, frozen=True):
    """A part of an ignore rule that points at something in an object: where the rule stands, and its text."""

    rule: str
    field: str


class UnusedRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """An ignore rule of the Application, or a part of it (`field`), that has no effect, and why."""

    rule: str
    message: str
    field: str = ""
    reason: Reason = Reason.UNUSED_IGNORE_RULE


class ComparedObject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row: the object, the verdict, why."""

    key: ObjectKey
    version: str
    verdict: Verdict
    reasons: tuple[Reason, ...]
    differences: tuple[Difference, ...] = ()
    desired: bool = True
    live: bool = True
    hook: bool = False
    wave: int = 0
    message: str = ""
    place: Place | None = None
    choice: StrategyChoice | None = None
    """How it was compared, where that is not the default."""
    explained: tuple[Difference, ...] = ()
    """Differences that do not count (defaulted, other spelling), listed only where somebody asked."""
    ignored: tuple[IgnoreUse, ...] = ()
    """What ignore rules of the Application point at in this object."""
    accepted: tuple[AcceptedDifference, ...] = ()

    @property
    def requires_pruning(self) -> bool:
        """Whether the object is live but no longer desired."""
        return self.live and not self.desired

    @property
    def is_permitted(self) -> bool:
        """Whether the project permits the object; of one that it denies nothing is known."""
        return Reason.NOT_PERMITTED not in self.reasons

    @property
    def is_missing(self) -> bool:
        """Whether the object is known not to be in the cluster."""
        return not self.live and self.is_permitted


class Comparison(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All rows of an Application, sorted by key, and what they add up to."""

    verdict: Verdict
    rows: tuple[ComparedObject, ...] = ()
    conditions: tuple[Condition, ...] = ()
    unused_rules: tuple[UnusedRule, ...] = ()

    def row(self, key: ObjectKey) -> ComparedObject | None:
        """Return the row of an object."""
        return next((row for row in self.rows if row.key == key), None)
