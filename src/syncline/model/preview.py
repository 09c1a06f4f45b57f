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


class LiveNote(StrEnum):
    """What a field that is not on the cluster as Git has it means for the pull request."""

    REVERTED = "reverted by the next sync"
    """The pull request does not touch it, and a sync writes what Git says."""
    WRITTEN_DOWN = "this change writes down what is live"
    """It was changed by hand, and the pull request says the same."""
    OVERWRITTEN = "this change overwrites what is live"
    """It was changed by hand, and the pull request says something else than both."""
    OF_THE_CHANGE = "of this change"
    """It is live as Git had it, and the pull request changes it."""


class LiveField(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One field that is live otherwise than Git says: both values, who wrote it last and when."""

    path: str
    git: Any = msgspec.UNSET
    live: Any = msgspec.UNSET
    manager: str = ""
    time: str = ""
    note: LiveNote | None = None


class LiveChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One object that is live otherwise than Git says, and what a sync would do with it."""

    key: ObjectKey
    action: ObjectAction
    fields: tuple[LiveField, ...] = ()
    note: LiveNote | None = None


class LiveApp(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One app of the change beside what is live.

    `drift` is how the cluster differs from the base, before this change; `net` how it differs from the head: what a
    sync does after the merge. `unread` are the kinds that could not be compared, `unknown` why nothing could.
    """

    name: str
    drift: tuple[LiveChange, ...] = ()
    net: tuple[LiveChange, ...] = ()
    unread: tuple[str, ...] = ()
    unknown: str = ""


class LiveView(msgspec.Struct, frozen=True, kw_only=True):
    """The apps of the change beside what is live, and where that was read."""

    origin: str
    as_of: str
    apps: tuple[LiveApp, ...]


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
    live: LiveView | None = None
    """What is live beside it, where a cluster or a dump was named."""
    files: Mapping[str, bytes] = {}
    """Texts of the files that new findings point into."""

    def count(self, action: AppAction) -> int:
        """Return how many apps have this action."""
        return sum(one.action is action for one in self.apps)

    def of(self, kind: EffectKind) -> tuple[Effect, ...]:
        """Return the consequences of one kind."""
        return tuple(one for one in self.effects if one.kind is kind)
