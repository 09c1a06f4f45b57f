"""What is answered about people: accounts, sessions, tokens, rights."""

from __future__ import annotations

from typing import Literal

from syncline.server.answers.kinds import Answer


class TokenAnswer(Answer, frozen=True, kw_only=True):
    """A token, without its secret."""

    id: str
    issued_at: str
    expires_at: str = ""


class AccountAnswer(Answer, frozen=True, kw_only=True):
    """A local account."""

    name: str
    enabled: bool
    capabilities: tuple[str, ...]
    tokens: tuple[TokenAnswer, ...]


class AccountList(Answer, frozen=True, kw_only=True):
    """Local accounts."""

    items: tuple[AccountAnswer, ...]


class CanI(Answer, frozen=True, kw_only=True):
    """Whether the caller may do something."""

    value: Literal["yes", "no"]


class NewlyMade(Answer, frozen=True, kw_only=True):
    """A token that was made, shown this once."""

    token: str


class UserInfo(Answer, frozen=True, kw_only=True):
    """Who asks; nothing where nobody is signed in."""

    logged_in: bool = False
    username: str = ""
    iss: str = ""
    groups: tuple[str, ...] = ()
