"""What a change of a repository does: apps, objects, fields, and what follows from them on the clusters.

Made by `syncline.core.preview` from two snapshots of a repository; printed by `syncline preview` and put into comments
on pull requests. Values of Secrets are masked before they get in here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.errors import Place
from syncline.model.finding import Finding


class AppAction(StrEnum):
    """What becomes of an Application."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    MOVED = "moved"
    """Its objects go to another cluster or namespace."""
    RENAMED = "renamed"
    """Another Application delivers the same objects."""


class ObjectAction(StrEnum):
    """What becomes of an object."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    RENAME = "rename"
    TRANSFER = "transfer"
    """Another app delivers it from now on."""


class FieldEdit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One field with its two values and the line that changes it; an absent side is UNSET.

    `noise` says why nobody need read it, where that is so.
    """

    path: str
    before: Any = msgspec.UNSET
    after: Any = msgspec.UNSET
    place: Place | None = None
    noise: str = ""


class ObjectChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One object that an app delivers otherwise than before.

    `was` is the name it had, `other` the app it comes from.
    """

    key: ObjectKey
    action: ObjectAction
    fields: tuple[FieldEdit, ...] = ()
    place: Place | None = None
    was: ObjectKey | None = None
    other: str = ""
    phase: str = "Sync"
    wave: int = 0


class AppChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One Application that is not as it was; `settings` are the changed fields of the Application itself.

    `unknown` says why its objects could not be compared: nothing is known about them then.
    """

    name: str
    action: AppAction
    was: str = ""
    cluster: str = ""
    place: Place | None = None
    settings: tuple[FieldEdit, ...] = ()
    objects: tuple[ObjectChange, ...] = ()
    children: int = 0
    """How many Applications that are reported on their own it delivers otherwise than before."""
    size: int = 0
    unknown: str = ""
    unsteady: bool = False


class EffectKind(StrEnum):
    """What kind of consequence; the worst first."""

    DANGER = "danger"
    DENIED = "denied"
    ENDPOINTS = "endpoints"
    DRIFT = "drift"
    RESTART = "restart"
    HOOKS = "hooks"
    WINDOW = "window"
    NOTE = "note"


class Effect(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One consequence on the clusters. `short` is for a line of many, `text` a sentence of its own."""

    kind: EffectKind
    short: str
    text: str
    apps: tuple[str, ...] = ()
    key: ObjectKey | None = None
    place: Place | None = None
    pods: int = 0


class WaveStep(msgspec.Struct, frozen=True):
    """What a sync of one app does at one time: phase, wave and the objects that change then."""

    phase: str
    wave: int
    objects: tuple[str, ...]


class Timeline(msgspec.Struct, frozen=True):
    """The order in which a sync of one app makes its changes, where there is more than one step."""

    app: str
    steps: tuple[WaveStep, ...]


class NotLooked(msgspec.Struct, frozen=True):
    """Something that could not be looked at, what would help, and how many Applications it concerns."""

    what: str
    remedy: str
    count: int


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """All that a change does. `apps` of head and base together: those that are reported, `equal` and `unknown` ones."""

    base: str
    head: str
    total: int
    equal: int
    unknown: tuple[str, ...]
    """Apps that could not be rendered on either side, and whose own fields are as they were."""
    objects: int
    apps: tuple[AppChange, ...]
    effects: tuple[Effect, ...]
    timelines: tuple[Timeline, ...]
    new: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    kept: tuple[Finding, ...]
    not_looked: tuple[NotLooked, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, bytes] = {}
    """Texts of the files that new findings point into."""

    def count(self, action: AppAction) -> int:
        """Return how many apps have this action."""
        return sum(one.action is action for one in self.apps)

    def of(self, kind: EffectKind) -> tuple[Effect, ...]:
        """Return the consequences of one kind."""
        return tuple(one for one in self.effects if one.kind is kind)
