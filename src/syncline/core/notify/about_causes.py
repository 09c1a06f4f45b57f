"""Says which notifications about causes are due: one when a cause is found, one when it has been gone for a while.

Called by `syncline.controller.notify` with the published diagnosis. What was told is remembered beside it, in an
annotation of the Diagnosis, by the id that a cause keeps while its incident lasts; so neither hundred Applications
behind one cause, nor a cause that comes and goes within minutes, are told more than once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.notify.causes import FOUND, GONE
from syncline.core.notify.due import Due, judged
from syncline.core.notify.subscriptions import subscribed
from syncline.core.notify.variables import variables
from syncline.model import names
from syncline.model.notifications import NotificationSettings, Recipient
from syncline.model.published import PublishedCause, PublishedStatus, plain_words

GONE_AFTER = 120
"""A cause that is away for so many seconds is gone; one that comes back earlier was never away."""
MOST = 100
"""Causes that are remembered; those that are gone longest go first."""
_LONGEST = 200
_NAMED = 20

Annotations = Callable[[str], Sequence[Mapping[str, str]]]
"""The annotations of an Application, by namespace and name, and of its project."""
ReadsAll = Callable[[str], bool]
"""Whether those who see an Application, by namespace and name, may read everything that its causes say."""


class Remembered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A cause that somebody was told of: what it said, to whom and when, and since when it is away."""

    cause: dict[str, Any]
    told: dict[str, int] = {}
    gone_since: int = 0


class CauseDue(msgspec.Struct, frozen=True, kw_only=True):
    """One notification about a cause."""

    cause: dict[str, Any]
    due: Due
    whole: bool = True
    """Whether the recipient may read what the cause says; else it is kind, name and reason."""


class JudgedCauses(msgspec.Struct, frozen=True, kw_only=True):
    """What is due, what is remembered besides, and in how many seconds something may be due without a change."""

    due: tuple[CauseDue, ...] = ()
    remembered: dict[str, Remembered] = {}
    evaluated: tuple[tuple[str, bool], ...] = ()
    problems: tuple[str, ...] = ()
    look_again: int | None = None


def read(diagnosis: Object) -> dict[str, Remembered]:
    """Return what is remembered; nothing where somebody wrote something else there."""
    text = str(meta.annotations(diagnosis).get(names.TOLD_CAUSES) or "{}")
    try:
        return msgspec.json.decode(text, type=dict[str, Remembered])
    except msgspec.DecodeError:
        return {}


def write(remembered: Mapping[str, Remembered]) -> str | None:
    """Return the text of the annotation; None where there is nothing to remember."""
    told = {name: one for name, one in remembered.items() if one.told}
    kept = sorted(told, key=lambda name: (told[name].gone_since, name))[:MOST]
    return msgspec.json.encode({name: told[name] for name in sorted(kept)}).decode() if kept else None


def about_causes(
    diagnosis: Object,
    annotations: Annotations,
    settings: NotificationSettings,
    now: dt.datetime,
    reads_all: ReadsAll = lambda _app: True,
) -> JudgedCauses:
    """Return what is due about the causes of a diagnosis.

    `reads_all` tells whether those who subscribe through an Application may read everything that causes say.
    """
    try:
        status = msgspec.convert(diagnosis.get("status") or {}, PublishedStatus)
    except msgspec.ValidationError:
        return JudgedCauses(remembered=read(diagnosis))
    return _Judging(diagnosis, status, annotations, settings, now, reads_all).result()


class _Judging:
    """One look at a diagnosis."""

    def __init__(
        self,
        diagnosis: Object,
        status: PublishedStatus,
        annotations: Annotations,
        settings: NotificationSettings,
        now: dt.datetime,
        reads_all: ReadsAll,
    ) -> None:
        self._reads_all = reads_all
        self._diagnosis = diagnosis
        self._status = status
        self._annotations = annotations
        self._settings = settings
        self._now = now
        self._seconds = int(now.timestamp())
        self._due: list[CauseDue] = []
        self._evaluated: list[tuple[str, bool]] = []
        self._problems: list[str] = []

    def result(self) -> JudgedCauses:
        """Return what is due about those that are there, and those that are not any more."""
        before = read(self._diagnosis)
        kept: dict[str, Remembered] = {}
        for cause in self._status.causes:
            known = before.pop(cause.id, None)
            kept[cause.id] = self._found(cause, known.told if known is not None else {})
        again: int | None = None
        for name, one in before.items():
            if self._may_be_hidden(one):
                kept[name] = one
                continue
            since = one.gone_since or self._seconds
            left = since + GONE_AFTER - self._seconds
            one = msgspec.structs.replace(one, gone_since=since)
            if left > 0:
                kept[name], again = one, left if again is None else min(left, again)
            elif self._gone(one):
                kept[name] = one
        return JudgedCauses(
            due=tuple(self._due),
            remembered=kept,
            evaluated=tuple(self._evaluated),
            problems=tuple(dict.fromkeys(self._problems)),
            look_again=again,
        )

    def _may_be_hidden(self, one: Remembered) -> bool:
        """Whether a cause may last though it is not listed: the list is cut, or its cluster could not be read."""
        cluster = str(one.cause.get("cluster") or "")
        return self._status.omitted > 0 or bool(cluster and any(cluster in text for text in self._status.unread))

    def _found(self, cause: PublishedCause, told: Mapping[str, int]) -> Remembered:
        obj: dict[str, Any] = {"affected": 0, "applications": [], **msgspec.to_builtins(cause)}
        kept = self._judge(FOUND, obj, told)
        short = {**obj, "message": cause.message[:_LONGEST], "applications": list(cause.applications[:_NAMED])}
        for field in ("evidence", "fix"):
            short.pop(field, None)
        return Remembered(cause=short, told=kept)

    def _gone(self, one: Remembered) -> bool:
        """Whether somebody has still to be told that a cause is gone."""
        before = len(self._due)
        self._judge(GONE, one.cause, one.told)
        return len(self._due) > before

    def _judge(self, trigger: str, cause: dict[str, Any], told: Mapping[str, int]) -> dict[str, int]:
        apps = [text for name in cause["applications"] for text in self._annotations(str(name))]
        around = (meta.annotations(self._diagnosis), *apps)
        recipients = subscribed(meta.labels(self._diagnosis), around, self._settings).get(trigger, [])
        if not recipients:
            return dict(told)
        objects = {"cause": cause, "diagnosis": dict(self._diagnosis)}
        given = variables(self._settings, self._now, objects=objects, commits={})
        found = judged({trigger: recipients}, self._settings, given, told)
        readers = self._readers(trigger, cause)
        self._due += [_due(cause, one, whole=one.to in readers) for one in found.due]
        self._evaluated += found.evaluated
        self._problems += found.problems
        return found.told

    def _readers(self, trigger: str, cause: dict[str, Any]) -> list[Recipient]:
        """Return the recipients who may read everything: the operator's, and those of Applications without bounds."""
        apps = [
            text
            for name in cause["applications"]
            if self._reads_all(str(name))
            for text in self._annotations(str(name))
        ]
        around = (meta.annotations(self._diagnosis), *apps)
        return subscribed(meta.labels(self._diagnosis), around, self._settings).get(trigger, [])


def _due(cause: dict[str, Any], due: Due, *, whole: bool) -> CauseDue:
    if whole:
        return CauseDue(cause=cause, due=due)
    told = msgspec.convert(cause, PublishedCause)
    plain = PublishedCause(id=told.id, code=told.code, name=told.name, message=plain_words(told), since=told.since)
    shown = {"affected": 0, "applications": [], **msgspec.to_builtins(plain)}
    return CauseDue(cause=shown, due=due, whole=False)
