"""Sends messages, and leaves a receiver that did not take one alone for a while: longer each time, ten minutes at most.

Used by `syncline.controller.notify.applications` and `syncline.controller.notify.causes`. The pause is the receiver's
and not the Application's: where a chat is down, a thousand Applications that wait for it ask it once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable

from syncline.controller.deliver.report import Reporter
from syncline.controller.world import World
from syncline.core.notify.due import Due
from syncline.core.notify.errors import NotifyError
from syncline.model.notifications import Message, Recipient
from syncline.ports.notify import Messenger, NotDelivered

TROUBLE = "/notifications"
"""Stands for notifications where progress names an Application."""
_FIRST_PAUSE = 5.0
LONGEST_PAUSE = 600.0
_MOST = 1_000
"""Receivers that are remembered; where there are more, all of them may be asked again."""


class Tally:
    """What was sent and evaluated so far, for `/metrics`. Bounded by the triggers and services there are."""

    def __init__(self) -> None:
        self.deliveries: Counter[tuple[str, str, bool]] = Counter()
        """By trigger, service and whether it succeeded."""
        self.evaluations: Counter[tuple[str, bool]] = Counter()
        """By trigger and whether it held."""


class Outbox:
    """Hands messages to a messenger."""

    def __init__(self, world: World, messenger: Messenger, reporter: Reporter) -> None:
        self._world = world
        self._messenger = messenger
        self._reporter = reporter
        self._paused: dict[Recipient, tuple[int, float]] = {}
        """How often a receiver failed in a row, and until when it is left alone."""
        self.tally = Tally()

    async def send(self, due: Due, make: Callable[[], Awaitable[Message]]) -> float | None:
        """Send one notification; return None where that is done, else after how many seconds to try again."""
        clock = self._world.clock
        failures, until = self._paused.get(due.to, (0, 0.0))
        if (left := until - clock.monotonic()) > 0:
            return left
        try:
            await self._messenger.deliver(await make())
        except NotDelivered as error:
            pause = min(_FIRST_PAUSE * 2.0**failures, LONGEST_PAUSE) if error.again else LONGEST_PAUSE
            return self._failed(due, failures, min(max(pause, error.pause), LONGEST_PAUSE), str(error))
        except NotifyError as error:
            # The message, not the receiver, is at fault: others are sent to it all the same.
            self._count(due, succeeded=False)
            self._say(due.to, str(error))
            return LONGEST_PAUSE
        self._paused.pop(due.to, None)
        self._count(due, succeeded=True)
        self._say(due.to, "")
        return None

    def forgive(self) -> None:
        """Ask every receiver again: settings changed."""
        for to in self._paused:
            self._say(to, "")
        self._paused.clear()

    def say(self, what: str, words: str) -> None:
        """Tell people that something needs them, or (without words) no longer does."""
        self._reporter.trouble(f"{TROUBLE}/{what}", words)

    def _failed(self, due: Due, failures: int, pause: float, words: str) -> float:
        self._count(due, succeeded=False)
        if len(self._paused) >= _MOST:
            self._paused.clear()
        self._paused[due.to] = (min(failures + 1, 20), self._world.clock.monotonic() + pause)
        self._say(due.to, words)
        return pause

    def _count(self, due: Due, *, succeeded: bool) -> None:
        self.tally.deliveries[due.trigger, due.to.service, succeeded] += 1

    def _say(self, to: Recipient, words: str) -> None:
        self.say(str(to), f"a notification was not sent: {words}" if words else "")
