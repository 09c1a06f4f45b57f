"""The table of routes as values: one `Endpoint` for each method and path, with all that a client has to know.

Each file of `syncline.server.routes` holds the endpoints of one group; `syncline.server.table` puts them together.
`syncline.server.requests.dispatch` serves them, `syncline.server.requests.openapi` describes them, and tests walk over
them to see that none can be used without a right.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from syncline.server.requests.call import Call

Handler = Callable[["Call"], Awaitable[Any]]
"""Answers a call: with a value that becomes JSON, or with a response of its own."""


class Query(msgspec.Struct, frozen=True):
    """A parameter of the query: its name, what it is for, its type (string, integer, boolean), whether it repeats."""

    name: str
    about: str = ""
    type: str = "string"
    many: bool = False


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One route.

    An `open` one answers without a session. A `stream` is never over by a deadline. `body` is the type of a JSON body,
    of at most `limit` bytes; a `raw` body is left to the handler. An `early` one answers before the cluster was read.
    """

    method: str
    path: str
    handler: Handler
    about: str
    query: tuple[Query, ...] = ()
    body: Any = None
    answer: str = "object"
    open: bool = False
    stream: bool = False
    raw: bool = False
    early: bool = False
    limit: int = 2 * 1024 * 1024

    @property
    def name(self) -> str:
        """The id of the operation in OpenAPI."""
        words = re.findall(r"[A-Za-z0-9]+", self.path.replace(":path", ""))
        return "_".join([self.method.lower(), *words])

    @property
    def tag(self) -> str:
        """The group of the route: the first word behind the version."""
        parts = [part for part in self.path.split("/") if part and part not in ("api", "v1", "stream")]
        return parts[0].partition("{")[0] if parts else "page"
