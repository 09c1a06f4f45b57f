"""Findings: what is wrong, why we think so, and what to do.

Produced by `syncline.core.diagnose` from a snapshot; printed by the command line, published by the controller.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.errors import Place


class Severity(StrEnum):
    """How bad."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Confidence(StrEnum):
    """What a finding rests on, from surest to weakest. Time alone never makes a cause."""

    DECLARED = "declared"
    OWNED = "owned"
    TEXT = "text"
    TIME = "time"


class EvidenceKind(StrEnum):
    """Where a piece of evidence was seen."""

    FIELD = "field"
    EVENT = "event"
    CONDITION = "condition"
    FILE = "file"
    MESSAGE = "message"
    MANAGER = "manager"
    LOG = "log"
    ALERT = "alert"
    METRIC = "metric"
    COMMAND = "command"
    """What shows more of the same."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was seen: on an object, in a file, in a message."""

    kind: EvidenceKind
    text: str
    subject: ObjectKey | None = None
    path: str = ""
    place: Place | None = None
    time: str = ""


class Edit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change of one line of a file: what stands there, and what should.

    With nothing `before` the line is new, and comes after that place; with nothing `after` it is deleted.
    """

    place: Place
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        if not self.before:
            return f"{self.place}: add below: {self.after}"
        return f"{self.place}: {self.before} → {self.after}" if self.after else f"{self.place}: delete {self.before}"


class Fix(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What to do about it: edits and a command where the right ones are known, else a sentence that names the decision.

    A command beside edits is for afterwards, when they are committed. A text beside a command or edits is a remark.
    """

    text: str = ""
    edits: tuple[Edit, ...] = ()
    command: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong, made by its rule (`syncline rule CODE`). `code` is stable, `name` is its readable twin.

    `count` says how many times the very same was found. `options` are other ways out than the fix. `effect_of` names
    the subject of another finding that this one follows from: with that one repaired this one goes away.
    """

    code: str
    name: str
    severity: Severity
    subject: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = Confidence.DECLARED
    fix: Fix | None = None
    options: tuple[Fix, ...] = ()
    since: str = ""
    count: int = 1
    effect_of: str = ""
