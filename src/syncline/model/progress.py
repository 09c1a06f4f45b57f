"""Progress, as a stream of things that happened.

Emitted by `syncline.controller`, shown by `syncline.cli` and streamed by `syncline.server`. Past tense, frozen, and
without any notion of how they look.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.decision import Wait
from syncline.model.plan import Phase
from syncline.model.reason import Reason


class ProgressEvent(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What every event has: when, and which Application (`namespace/name`)."""

    time: str
    app: str


class SyncStarted(ProgressEvent, frozen=True, kw_only=True):
    """An operation began."""

    revision: str
    reason: Reason
    tasks: int = 0


class WaveStarted(ProgressEvent, frozen=True, kw_only=True):
    """Tasks of one phase and wave were begun."""

    phase: Phase
    wave: int
    keys: tuple[ObjectKey, ...]


class ObjectChanged(ProgressEvent, frozen=True, kw_only=True):
    """One object was applied, created, pruned, or refused."""

    key: ObjectKey
    action: str
    message: str
    failed: bool = False


class Waiting(ProgressEvent, frozen=True, kw_only=True):
    """The operation waits."""

    waits: tuple[Wait, ...]


class SyncFinished(ProgressEvent, frozen=True, kw_only=True):
    """An operation ended."""

    phase: str
    message: str
    revision: str


class StatusChanged(ProgressEvent, frozen=True, kw_only=True):
    """Sync status or health changed, and why."""

    sync: str
    health: str
    previous_sync: str
    previous_health: str
    message: str
    revision: str


class TroubleReported(ProgressEvent, frozen=True, kw_only=True, tag="Trouble"):
    """Something needs attention, or was fixed."""

    message: str
    resolved: bool = False


Progress = SyncStarted | WaveStarted | ObjectChanged | Waiting | SyncFinished | StatusChanged | TroubleReported
