"""When one thing is looked at again: the only answer a pass gives to the loop.

Made by `syncline.core.decide` (a pause, a window, a time limit) and by `syncline.controller.deliver.act` (there is more
to do right now); the earliest of these goes back to `syncline.controller.runtime`, which puts the key into its queue.
"""

from __future__ import annotations

import msgspec


class LookAgain(msgspec.Struct, frozen=True, omit_defaults=True):
    """Now, after some seconds, or on change: made by the constructors of these names."""

    seconds: float | None = None
    """From now on; 0 is as soon as it has its turn, None is not before something changes."""

    @classmethod
    def now(cls) -> LookAgain:
        """Look as soon as it has its turn: there is more to do."""
        return _NOW

    @classmethod
    def after(cls, seconds: float) -> LookAgain:
        """Look after so many seconds, or earlier if something changes; a time that has passed is now."""
        return cls(seconds) if seconds > 0 else _NOW

    @classmethod
    def on_change(cls) -> LookAgain:
        """Look when something changes, and not before."""
        return ON_CHANGE

    @classmethod
    def earliest(cls, *looks: LookAgain) -> LookAgain:
        """Return the look that comes first."""
        timed = [look.seconds for look in looks if look.seconds is not None]
        return cls.after(min(timed)) if timed else ON_CHANGE


_NOW = LookAgain(0.0)
ON_CHANGE = LookAgain()
"""The default of fields; one value, so that JSON leaves it out."""
