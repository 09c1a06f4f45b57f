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


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was seen: on an object, in a file, in a message."""

    kind: EvidenceKind
    text: str
    subject: ObjectKey | None = None
    path: str = ""
    place: Place | None = None
    time: str = ""


class Fix(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What to do about it: a sentence, and a command or patch where there is one."""

    text: str
    command: str = ""
    patch: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong, made by its rule (`syncline rule CODE`). `code` is stable, `name` is its readable twin.

    `count` says how many times the very same was found.
    """

    code: str
    name: str
    severity: Severity
    subject: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = Confidence.DECLARED
    fix: Fix | None = None
    since: str = ""
    count: int = 1
