"""Links that sign in once: printed by `demo` and `up` to whoever started them, and good for one use.

Whoever can read the terminal owns the cluster already; a page elsewhere cannot guess the code.
"""

from __future__ import annotations

from syncline.ports.auth import Unguessable
from syncline.ports.clock import Clock

_GOOD_FOR = 24 * 3600.0
_AT_MOST = 100


class LoginLinks:
    """The codes that were given out and not used yet."""

    def __init__(self, clock: Clock, secrets: Unguessable) -> None:
        self._clock = clock
        self._secrets = secrets
        self._codes: dict[str, float] = {}

    def new(self) -> str:
        """Return a code for one use."""
        while len(self._codes) >= _AT_MOST:
            del self._codes[next(iter(self._codes))]
        code = self._secrets.text(32)
        self._codes[code] = self._clock.monotonic() + _GOOD_FOR
        return code

    def use(self, code: str) -> bool:
        """Whether a code is good; it is no longer, after this."""
        return self._codes.pop(code, -1.0) > self._clock.monotonic()
