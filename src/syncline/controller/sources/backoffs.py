"""Which renders are not tried again yet: those that ran into a limit of time or output.

Held by `syncline.controller.sources.desired`, asked by `syncline.controller.sources.renders` before it renders. A chart
that loops would else run to its limit in every pass. The pause doubles with each attempt at the same files. Other files
(a new commit) and a person's hard refresh are tried at once. Remembered for as long as the process lives. Commands and
servers have another memory than the controller: they go by what it recorded on the Application (`recorded_failure`).
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from syncline.apimachinery import times
from syncline.apimachinery.times import format_time
from syncline.model.application import Application
from syncline.model.condition import ConditionType
from syncline.model.errors import RenderError
from syncline.ports.clock import Clock
from syncline.ports.source import LOCAL, Tree

FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3_600.0
_MOST = 10_000
_NOT_BEFORE = "not tried again before"
_UNTIL = re.compile(rf"{_NOT_BEFORE} (?P<time>[^;\s]+);")
_PREFIX, _REMARK = "Failed to load target state: ", "; stale: "


class _Attempt(msgspec.Struct, frozen=True):
    """How a render ended, how long it is not tried again, until when on the clock, and how that is written."""

    error: RenderError
    pause: float
    until: float
    shown: str


class RenderBackoffs:
    """Renders that ran into a limit, by what was rendered and from which files."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._attempts: OrderedDict[str, _Attempt] = OrderedDict()

    def check(self, key: str, tree: Tree, refs: Mapping[str, Tree]) -> None:
        """Raise the error of the last attempt where it is too early for another."""
        attempt = self._attempts.get(_place(key, tree, refs))
        if attempt is not None and self._clock.monotonic() < attempt.until:
            raise _told(attempt)

    def failed(self, key: str, tree: Tree, refs: Mapping[str, Tree], error: RenderError) -> RenderError:
        """Note an attempt; return its error with the time of the next one, where it ran into a limit."""
        if not error.over_limit or any(one.revision == LOCAL for one in (tree, *refs.values())):
            return error
        place = _place(key, tree, refs)
        before = self._attempts.pop(place, None)
        pause = FIRST_PAUSE if before is None else min(before.pause * 2, LONGEST_PAUSE)
        until, shown = self._clock.monotonic() + pause, format_time(self._clock.now() + timedelta(seconds=pause))
        attempt = self._attempts[place] = _Attempt(error, pause, until, shown)
        if len(self._attempts) > _MOST:
            self._attempts.popitem(last=False)
        return _told(attempt)

    def waiting(self) -> int:
        """Return how many renders are not tried again yet."""
        now = self._clock.monotonic()
        return sum(now < attempt.until for attempt in self._attempts.values())

    def succeeded(self, key: str, tree: Tree, refs: Mapping[str, Tree]) -> None:
        """Forget what failed before."""
        if self._attempts:
            self._attempts.pop(_place(key, tree, refs), None)


def _told(attempt: _Attempt) -> RenderError:
    # The time of day, not what is left of it: a text that changes in every pass would be written in every pass.
    later = f"{_NOT_BEFORE} {attempt.shown}; push a commit or ask for a hard refresh to try it sooner"
    error = attempt.error
    return RenderError(
        error.what,
        place=error.place,
        hint="; ".join(filter(None, (error.hint, later))),
        missing=error.missing,
        passing=True,
        fetched=error.fetched,
        over_limit=True,
    )


def recorded_failure(app: Application, revisions: Sequence[str], now: datetime) -> RenderError | None:
    """Return the failure that the controller has recorded of these commits, while it does not try them again.

    It counts for the sources that were compared: other ones are to be rendered.
    """
    compared = app.status.sync.compared_to if app.status.sync is not None else None
    if compared is None or (compared.sources or (compared.source,)) != app.spec.all_sources:
        return None
    for condition in app.status.conditions:
        until = _UNTIL.search(condition.message) if condition.type == ConditionType.COMPARISON_ERROR else None
        if until is None or now >= times.parse(until["time"]):
            continue
        if any(f"({one[:7]})" in condition.message for one in revisions if one):
            words = condition.message.removeprefix(_PREFIX).partition(_REMARK)[0]
            return RenderError(words, passing=True, over_limit=True)
    return None


def _place(key: str, tree: Tree, refs: Mapping[str, Tree]) -> str:
    digests = sorted((name, one.digest_of("")) for name, one in {"": tree, **refs}.items())
    return hashlib.sha256(msgspec.json.encode((key, digests))).hexdigest()
