"""Logins that were sent to the provider and have not come back: each good once, for a while, in its own browser.

The state is a random text, and so are the nonce and the verifier of PKCE; the browser keeps another one in a cookie, so
that nobody can have a stranger finish a login that is not theirs.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Final

import msgspec

from syncline.ports.auth import Unguessable
from syncline.ports.clock import Clock

COOKIE: Final = "syncline.login"
GOOD_FOR: Final = 180.0
_AT_MOST = 1000


class PendingLogin(msgspec.Struct, frozen=True, kw_only=True):
    """One login under way."""

    state: str
    nonce: str
    verifier: str
    browser: str
    return_to: str
    until: float

    def __repr__(self) -> str:
        return "PendingLogin()"

    @property
    def challenge(self) -> str:
        """What the provider is shown of the verifier (S256)."""
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()


class PendingLogins:
    """The logins under way; of too many the oldest are given up."""

    def __init__(self, clock: Clock, secrets: Unguessable) -> None:
        self._clock = clock
        self._secrets = secrets
        self._known: dict[str, PendingLogin] = {}

    def begin(self, return_to: str) -> PendingLogin:
        """Return a new login."""
        while len(self._known) >= _AT_MOST:
            del self._known[next(iter(self._known))]
        made = PendingLogin(
            state=self._secrets.text(32),
            nonce=self._secrets.text(32),
            verifier=self._secrets.text(48),
            browser=self._secrets.text(32),
            return_to=return_to,
            until=self._clock.monotonic() + GOOD_FOR,
        )
        self._known[made.state] = made
        return made

    def finish(self, state: str, browser: str) -> PendingLogin | None:
        """Return the login of a state, once; None where it is unknown, over, or of another browser."""
        found = self._known.get(state) if state else None
        if found is None or not browser or not hmac.compare_digest(found.browser, browser):
            return None
        del self._known[state]
        return found if found.until > self._clock.monotonic() else None
