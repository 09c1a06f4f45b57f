"""Which Applications have yet to be looked at: since they appeared, or since their source moved on.

Told by `syncline.controller.deliver.applications`, asked by `syncline.controller.deliver.observe`. Until then nobody
knows what they desire, so what another app would prune may be theirs: one commit can move an object from one app to the
next. Only apps of the same lane (one destination cluster) count: one that hangs must not keep the others from pruning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import islice

from syncline.controller.app_key import AppKey

_NAMED = 3


class Lookout:
    """The Applications of one controller that are still to be looked at."""

    def __init__(self, lane_of: Callable[[AppKey], str] = lambda _app: "") -> None:
        self._lane_of = lane_of
        self._expected: dict[AppKey, str] = {}
        self._busy: dict[AppKey, str] = {}
        self._known: set[AppKey] = set()
        # In the order they were expected: asked in every pass, so nothing is sorted or searched for it.
        self._waiting: dict[str, dict[AppKey, None]] = defaultdict(dict)

    def heard_of(self, app: AppKey) -> None:
        """Expect a look at an Application that was never looked at."""
        if app not in self._known:
            self.moved_on(app)

    def moved_on(self, app: AppKey) -> None:
        """Expect another look, because the source has something new."""
        if app not in self._expected:
            lane = self._expected[app] = self._lane_of(app)
            self._waiting[lane][app] = None

    def begin(self, app: AppKey) -> None:
        """Note that an Application is being looked at; what comes up meanwhile needs another look."""
        if app in self._expected:
            self._busy[app] = self._expected.pop(app)

    def end(self, app: AppKey, *, gone: bool = False) -> None:
        """Note that an Application was looked at, with whatever result; one that is gone may come back as another."""
        lane = self._busy.pop(app, None)
        if lane is not None and self._expected.get(app) != lane:
            self._waiting[lane].pop(app, None)
        (self._known.discard if gone else self._known.add)(app)

    def pass_over(self, app: AppKey) -> None:
        """Note that nobody has to wait for an Application: what it desires is known, or another process's concern."""
        self.begin(app)
        self.end(app)

    def knows(self, app: AppKey) -> bool:
        """Whether an Application was ever looked at."""
        return app in self._known

    def awaits(self, app: AppKey) -> bool:
        """Whether an Application has yet to be looked at, or is being looked at."""
        return app in self._expected or app in self._busy

    def unseen(self, app: AppKey) -> tuple[str, ...]:
        """Return some of the other Applications that have yet to be looked at."""
        waiting = self._waiting.get(self._lane_of(app), {})
        return tuple(str(other) for other in islice((other for other in waiting if other != app), _NAMED))
