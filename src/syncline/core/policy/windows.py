"""Sync windows: whether a project lets an Application sync now, which windows say so, and when that changes.

Called by `syncline.core.holding` before a sync starts and while one runs. Active denies
block; without one an active allow permits; without that, inactive allows block. The odd fact: a window is open between
its start and its end by the wall clock of its time zone as that clock runs now, so a window across a clock change is an
hour shorter or longer, and one that begins in the skipped hour is open as if that hour had been there.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec

from syncline.apimachinery import duration, times
from syncline.apimachinery.globs import matches
from syncline.core.policy import cron
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.look_again import LookAgain
from syncline.model.project import SyncWindow

_LONGEST = 366 * 24 * 3600 * 10**9
_TURNS = 200
_MINUTE = timedelta(minutes=1)


class InvalidWindow(ValueError):
    """A window that cannot be used; the message says why."""


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether syncs are allowed; if not, a sentence for each window that forbids them, and the windows in short.

    `changes_after` is when a window of the app begins or ends next, in seconds; 0 when none does.
    """

    allowed: bool
    forbidding: tuple[str, ...] = ()
    changes_after: float = 0.0
    windows: tuple[str, ...] = ()

    @property
    def look_again(self) -> LookAgain:
        """When the answer may be another."""
        return LookAgain.after(self.changes_after) if self.changes_after else LookAgain.on_change()


class WindowState(msgspec.Struct, frozen=True):
    """A window at one time: open or not, the seconds until it begins or ends, and when that is."""

    rule: SyncWindow
    open: bool
    left: float
    turns: str

    @property
    def words(self) -> str:
        """The window for people: kind, schedule, zone, description."""
        zone = f" {self.rule.time_zone}" if self.rule.time_zone else ""
        note = f" ({self.rule.description})" if self.rule.description else ""
        return f"{self.rule.kind} window '{self.rule.schedule}'{zone} for {self.rule.duration}{note}"


def standing(
    app: str, destination: Destination, rules: Iterable[SyncWindow], *, as_of: str, manual: bool, started_at: str = ""
) -> Standing:
    """Return whether an app may sync at a time; `started_at` is when the operation in question began."""
    chosen = [rule for rule in rules if concerns(rule, app, destination)]
    if not chosen:
        return Standing(allowed=True)
    try:
        windows = [_at(rule, times.parse(as_of)) for rule in chosen]
        blocking = _blocking(windows, manual=manual)
        overrun = blocking and started_at and all(window.rule.sync_overrun for window in blocking)
        if overrun and not _blocking([_at(rule, times.parse(started_at)) for rule in chosen], manual=manual):
            blocking = []
    except InvalidWindow as error:
        return Standing(allowed=False, forbidding=(str(error),))
    changes = min(window.left for window in windows)
    short = tuple(window.words.replace(" window", "", 1) for window in blocking)
    return Standing(not blocking, tuple(_sentence(window) for window in blocking), changes, short)


def opens(app: str, destination: Destination, rules: Iterable[SyncWindow], *, as_of: str, manual: bool) -> str:
    """Return when an app may sync again, as far as the next turns of its windows tell; empty where they do not."""
    chosen = [rule for rule in rules if concerns(rule, app, destination)]
    moment = times.parse(as_of)
    if any(problem(rule) for rule in chosen):
        return ""
    for _ in range(_TURNS if chosen else 0):
        windows = [_at(rule, moment) for rule in chosen]
        if not _blocking(windows, manual=manual):
            return times.format_time(moment)
        moment += timedelta(seconds=min(window.left for window in windows))
    return ""


def held(found: Standing, project: str, opens_at: str) -> str:
    """Return what holds syncs, for people: the windows, whose they are, and when syncs may start again."""
    if found.allowed:
        return ""
    rules = ", ".join(found.windows) or "; ".join(found.forbidding)
    return f"held by window {rules} of project {project}, " + (f"opens {opens_at}" if opens_at else "no end in sight")


def problem(rule: SyncWindow) -> str:
    """Return why a window cannot be used; empty where it can."""
    try:
        _length(rule)
        cron.check(rule.schedule)
    except InvalidWindow as error:
        return str(error).partition("so nothing is synced: ")[2]
    except cron.InvalidSchedule as error:
        return f"schedule {error}"
    return ""


def concerns(rule: SyncWindow, app: str, destination: Destination) -> bool:
    """Whether a window is about an app: by any of its lists, or with `andOperator` by all that are not empty."""
    found = [
        any(matches(value, pattern) for pattern in patterns for value in values)
        for patterns, values in (
            (rule.applications, (app,)),
            (rule.clusters, _names_of(destination)),
            (rule.namespaces, (destination.namespace,)),
        )
        if patterns
    ]
    return all(found) and bool(found) if rule.and_operator else any(found)


def _names_of(destination: Destination) -> tuple[str, ...]:
    own = (names.IN_CLUSTER_NAME, names.IN_CLUSTER_SERVER)
    given = tuple(text for text in (destination.name, destination.server) if text)
    return own if set(given) & set(own) else given


def _blocking(windows: Sequence[WindowState], *, manual: bool) -> list[WindowState]:
    """Return the windows that forbid a sync; a manual one passes where all of them let it."""
    denies = [window for window in windows if window.rule.kind == "deny" and window.open]
    allows = [window for window in windows if window.rule.kind == "allow"]
    found = denies or ([] if any(window.open for window in allows) else allows)
    return [] if manual and all(window.rule.manual_sync for window in found) else found


def states(rules: Iterable[SyncWindow], as_of: str) -> list[WindowState | None]:
    """Return how each window stands at a time; None for one that cannot be used."""
    moment = times.parse(as_of)
    return [None if problem(rule) else _at(rule, moment) for rule in rules]


def _at(rule: SyncWindow, moment: datetime) -> WindowState:
    length, zone = _length(rule), _zone(rule)
    is_open, turn = _open(rule, length, zone, moment)
    change = _clock_change(zone, moment, turn)
    if change is not None:
        # The clock of the zone is changed before then: what it shows afterwards decides.
        open_then, turn_then = _open(rule, length, zone, change)
        turn = turn_then if open_then is is_open else change
    return WindowState(rule, is_open, (turn - moment).total_seconds(), times.format_time(turn))


def _open(rule: SyncWindow, length: timedelta, zone: zoneinfo.ZoneInfo, moment: datetime) -> tuple[bool, datetime]:
    """Return whether a window is open, and when that ends if nobody changes the clocks."""
    now = moment.astimezone(zone).replace(tzinfo=None)
    try:
        last, following = cron.start_by(rule.schedule, now), cron.start_after(rule.schedule, now)
    except cron.InvalidSchedule as error:
        raise InvalidWindow(f"a sync window is invalid, so nothing is synced: schedule {error}") from None
    is_open = last + length > now
    # A window that starts again before it ends stays open.
    return is_open, moment + ((last + length if is_open else following) - now)


def _clock_change(zone: zoneinfo.ZoneInfo, begin: datetime, end: datetime) -> datetime | None:
    """Return when the clock of a zone is changed between two times; None where it shows the same difference at both."""
    offset = begin.astimezone(zone).utcoffset()
    if end.astimezone(zone).utcoffset() == offset:
        return None
    while end - begin > _MINUTE:
        middle = begin + (end - begin) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            begin = middle
        else:
            end = middle
    return end.replace(second=0, microsecond=0)


def _length(rule: SyncWindow) -> timedelta:
    if rule.kind not in ("allow", "deny"):
        raise InvalidWindow(f"a sync window is invalid, so nothing is synced: kind '{rule.kind}' is unknown")
    try:
        nanoseconds = duration.parse(rule.duration)
    except duration.InvalidDuration as error:
        raise InvalidWindow(f"a sync window is invalid, so nothing is synced: {error}") from None
    return timedelta(microseconds=min(nanoseconds, _LONGEST) / 1000)


def _zone(rule: SyncWindow) -> zoneinfo.ZoneInfo:
    """Return the zone of a window; an unknown one counts as UTC, as with Argo CD."""
    try:
        return zoneinfo.ZoneInfo(rule.time_zone or "UTC")
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return zoneinfo.ZoneInfo("UTC")


def _sentence(window: WindowState) -> str:
    # A time and no duration: what is written into the Application must not change by itself.
    return f"the {window.words} is {'open until' if window.open else 'closed until'} {window.turns}"
