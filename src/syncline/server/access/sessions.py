"""Signing in with a name and a password.

Whatever is wrong, the answer and the time it takes are the same: an unknown name, a wrong password, an account that is
locked, disabled or not for logins. `syncline.server.access.throttle` counts.
"""

from __future__ import annotations

import asyncio
from typing import Final

from syncline.ports.auth import Passwords
from syncline.server.access.accounts import LOGIN, LONGEST_NAME, Accounts, LocalAccount
from syncline.server.access.throttle import Throttle
from syncline.server.access.tokens import Tokens
from syncline.server.requests.failures import EXHAUSTED, INVALID, Failure, NotSignedIn

WRONG: Final = "Invalid username or password"
_AT_ONCE = 50
_CHECKED_AT_ONCE = 2
# The hash of a text that was thrown away: something to compare with for names that nobody has.
_NOBODY: Final = "$2a$10$uG6vdVVqhm7QCVXVOBdo9eg8pkA2AdYN4RXCVPlfrh2aSbMWvoJ5a"


class Sessions:
    """Gives out tokens to those who know a password."""

    def __init__(self, accounts: Accounts, tokens: Tokens, throttle: Throttle, passwords: Passwords) -> None:
        self._accounts = accounts
        self._tokens = tokens
        self._throttle = throttle
        self._passwords = passwords
        self._waiting = 0
        self._turn = asyncio.Semaphore(_CHECKED_AT_ONCE)
        self.counts = {"success": 0, "failed": 0}
        """How many logins there were, for metrics."""

    async def sign_in(self, username: str, password: str) -> str:
        """Return a token; raises `NotSignedIn` with the same words whatever is wrong."""
        if not username or not password:
            raise NotSignedIn("no credentials supplied")
        if len(username.encode()) > LONGEST_NAME:
            raise Failure(INVALID, f"a user name has at most {LONGEST_NAME} bytes")
        if self._waiting >= _AT_ONCE:
            raise Failure(EXHAUSTED, "too many logins at the same time", hint="try again in a moment")
        self._waiting += 1
        try:
            async with self._turn:
                account = await self._proven(username, password)
        finally:
            self._waiting -= 1
        self.counts["success" if account else "failed"] += 1
        if account is None:
            raise NotSignedIn(WRONG)
        return self.session_of(account.name)

    def session_of(self, name: str) -> str:
        """Return a token for the session of an account that was proven otherwise."""
        return self._tokens.issue(f"{name}:{LOGIN}", seconds=self._accounts.session_seconds())[0]

    async def proves(self, name: str, password: str) -> bool:
        """Whether a password is that of an account, under the same limits as a login."""
        async with self._turn:
            return await self._proven(name, password) is not None

    async def _proven(self, username: str, password: str) -> LocalAccount | None:
        account = self._accounts.find(username)
        if account is None or not account.can(LOGIN) or not account.hashed or self._throttle.is_locked(username):
            await self._passwords.matches(password, _NOBODY)
            return None
        self._throttle.guess(username)
        if not await self._passwords.matches(password, account.hashed):
            await self._throttle.failed(username)
            return None
        await self._throttle.succeeded(username)
        return account
