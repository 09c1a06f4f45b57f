"""Asks web services for JSON: code hosts and plugins that generators of ApplicationSets look at.

Implemented by `syncline.adapters.web`; used by `syncline.controller.appsets`, and by `syncline ci` to write comments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec


class WebAnswer(msgspec.Struct, frozen=True):
    """Status, headers in lower case, and the whole body."""

    status: int
    headers: dict[str, str]
    body: bytes


class WebError(Exception):
    """No answer came; the text says why, without credentials."""


class GitHubApp(msgspec.Struct, frozen=True, kw_only=True):
    """An installation of a GitHub App, the key that it signs with, and the API that gives it tokens."""

    base: str
    id: str
    installation: str
    key: str


class WebRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, and whom we trust; a body is posted unless another method is named."""

    url: str
    method: str = ""
    headers: Mapping[str, str] = {}
    authorization: str = ""
    app: GitHubApp | None = None
    """Whose token is shown instead; it is asked for first where it has run out."""
    body: bytes = b""
    seconds: float = 60.0
    certificates: str = ""
    """The only authorities to trust, in PEM; without them those of the system."""
    insecure: bool = False
    leaves_host: bool = True
    """Whether a redirect to another host is followed; credentials never go there."""


class Web(Protocol):
    """One way out to web services."""

    async def ask(self, request: WebRequest) -> WebAnswer:
        """Return the answer, whatever its status; raises `WebError` where there is none."""
        ...
