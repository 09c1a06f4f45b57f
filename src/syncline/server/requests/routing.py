"""The table of routes as values: one `Endpoint` for each method and path, with all that a client has to know.

Each file of `syncline.server.routes` holds the endpoints of one group; `syncline.server.table` puts them together.
`syncline.server.requests.dispatch` enforces their permissions and serves them, `syncline.server.requests.openapi`
describes them, and tests walk over them. An endpoint that does not declare who may use it cannot be made, so the
program does not start with one.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec

from syncline.server.requests.permissions import Also, Open, Permission, check_declaration, declared

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

    `permission` is enforced before the handler runs; `also` names the rights that the handler asks for itself.
    `answer` is a type of JSON, or one of `syncline.server.answers.kinds`. A `stream` is never over by a deadline.
    `body` is the type of a JSON body, of at most `limit` bytes; a `raw` body is left to the handler. An `early` one
    answers before the cluster was read.
    """

    method: str
    path: str
    handler: Handler
    about: str
    permission: Permission
    answer: Any
    also: tuple[Also, ...] = ()
    query: tuple[Query, ...] = ()
    body: Any = None
    stream: bool = False
    raw: bool = False
    early: bool = False
    limit: int = 2 * 1024 * 1024

    def __post_init__(self) -> None:
        """Raise `TypeError` unless the permission is one that policies can grant."""
        try:
            check_declaration(self.permission, self.also)
        except TypeError as error:
            raise TypeError(f"{self.method} {self.path}: {error}") from None

    @property
    def open(self) -> bool:
        """Whether it answers without a session."""
        return isinstance(self.permission, Open)

    @property
    def rights(self) -> frozenset[tuple[str, str]]:
        """All rights that a request may be asked for, as resource and verb."""
        return declared(self.permission, self.also)

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
