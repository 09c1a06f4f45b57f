"""When an Application is looked at as if nothing were known of it: rendered, fetched and compared again.

Asked by `syncline.controller.deliver.reconcile` in every pass. People ask for it with an annotation, which is consumed
elsewhere; settings (`timeout.hard.reconciliation`) ask for it now and then. The first time is one whole interval after
an Application was first seen, and a random part of `timeout.reconciliation.jitter` keeps a fleet from doing it at once.
"""

from __future__ import annotations

import msgspec

from syncline.controller.app_key import AppKey
from syncline.controller.world import World
from syncline.model.look_again import LookAgain


class _Plan(msgspec.Struct, frozen=True):
    """When the next one is due, and the interval it was planned with."""

    at: float
    interval: float


class HardRefreshes:
    """The next hard refresh of every Application."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._plans: dict[AppKey, _Plan] = {}

    def due(self, key: AppKey) -> bool:
        """Whether it is time; stays true until `done`."""
        plan = self._plan(key)
        return plan is not None and self._world.clock.monotonic() >= plan.at

    def done(self, key: AppKey) -> None:
        """Say that an Application was just refreshed so; the next time is an interval from now."""
        self._plans.pop(key, None)
        self._plan(key)

    def next_look(self, key: AppKey) -> LookAgain:
        """Return when the next one is due."""
        plan = self._plan(key)
        if plan is None:
            return LookAgain.on_change()
        return LookAgain.after(max(plan.at - self._world.clock.monotonic(), 0.01))

    def forget(self, key: AppKey) -> None:
        """Drop an Application that is gone."""
        self._plans.pop(key, None)

    def _plan(self, key: AppKey) -> _Plan | None:
        interval = self._world.settings.hard_refresh_interval
        if interval <= 0:
            self._plans.pop(key, None)
            return None
        plan = self._plans.get(key)
        if plan is None or plan.interval != interval:
            jitter = self._world.chance.uniform(0.0, self._world.settings.refresh_jitter)
            plan = self._plans[key] = _Plan(self._world.clock.monotonic() + interval + jitter, interval)
        return plan
