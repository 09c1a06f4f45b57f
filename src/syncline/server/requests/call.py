"""One request as routes see it: who asks, what is in the address and the body, and what they may do.

Made by `syncline.server.requests.dispatch`. Whatever cannot be read is answered with one sentence that names it.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from starlette.requests import Request

from syncline.core.policy.rbac.rights import Who
from syncline.server.access.identify import identify
from syncline.server.backend import Backend
from syncline.server.requests.failures import INVALID, Failure, PermissionDenied
from syncline.server.requests.permissions import Subject, Target, UndeclaredRight, enforce, enforce_for
from syncline.server.requests.routing import Endpoint

_YES = ("true", "1", "t", "yes")
_NO = ("", "false", "0", "f", "no")
T = TypeVar("T")


class Call:
    """A request, the person behind it, and the server."""

    def __init__(
        self, endpoint: Endpoint, request: Request, backend: Backend, who: Who | None, body: Any = None
    ) -> None:
        self.request = request
        self.backend = backend
        self.loaded: dict[Subject[Any], Any] = {}
        self._endpoint = endpoint
        self._rights: frozenset[tuple[str, str]] | None = None
        self._who = who
        self._body = body

    @property
    def who(self) -> Who:
        """Who asks; only open routes are called for nobody."""
        return self._who or Who("")

    @property
    def signed_in(self) -> bool:
        """Whether somebody is known to ask."""
        return self._who is not None

    @property
    def username(self) -> str:
        """The name that operations are noted under."""
        return self.who.subject

    async def enforce(self) -> None:
        """Raise `PermissionDenied` unless the caller has the rights that the endpoint declares; load its subjects."""
        await enforce(self._endpoint.permission, self)

    def enforce_for(self, subject: Subject[T], target: Target[T]) -> None:
        """Raise `PermissionDenied` unless the caller has the rights that the endpoint declares to another target."""
        enforce_for(self._endpoint.permission, subject, target, self)

    def require_still_signed_in(self) -> None:
        """Raise `NotSignedIn` where the token has expired or was revoked since, or its account is gone."""
        if self._who is not None:
            identify(self.request, self.backend.tokens, self.backend.accounts)

    def of(self, subject: Subject[T]) -> T:
        """Return what the declaration of the endpoint loaded, for a caller who has the right to it."""
        value: T = self.loaded[subject]
        return value

    def optional(self, subject: Subject[T]) -> T | None:
        """Return the same, or None where this request did not need the right."""
        return self.loaded.get(subject)

    def path(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params.get(name) or "")

    def text(self, name: str, otherwise: str = "") -> str:
        """Return a parameter of the query."""
        return self.request.query_params.get(name) or otherwise

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return all values of parameters that may be repeated."""
        found = self.request.query_params
        return tuple(value for name in names for value in found.getlist(name) if value)

    def flag(self, name: str, *, otherwise: bool = False) -> bool:
        """Return a parameter that is true or false."""
        value = self.request.query_params.get(name)
        if value is None:
            return otherwise
        if value.lower() in _YES:
            return True
        if value.lower() in _NO:
            return False
        raise Failure(INVALID, f"the parameter {name} is true or false")

    def number(self, name: str, otherwise: int = 0, *, least: int = 0, most: int = 2**53) -> int:
        """Return a parameter that is a whole number."""
        text = self.request.query_params.get(name)
        if not text:
            return otherwise
        digits = text.removeprefix("-")
        if not digits.isascii() or not digits.isdigit() or len(digits) > 18 or not least <= int(text) <= most:
            raise Failure(INVALID, f"the parameter {name} is a number from {least} to {most}")
        return int(text)

    def body(self, kind: type[T]) -> T:
        """Return the body as a typed value."""
        return msgspec.convert(self._body if self._body is not None else {}, kind, strict=False)

    @property
    def raw_body(self) -> Any:
        """The JSON of the body, whatever it is."""
        return self._body

    def may(self, resource: str, action: str, name: str) -> bool:
        """Whether whoever asks may do something that the endpoint declares."""
        if self._rights is None:
            self._rights = self._endpoint.rights
        if (resource, action.partition("/")[0]) not in self._rights:
            raise UndeclaredRight(f"{self._endpoint.method} {self._endpoint.path} does not declare {action} {resource}")
        return self.backend.guard.may(self.who, resource, action, name)

    def require(self, resource: str, action: str, name: str) -> None:
        """Raise `PermissionDenied` unless whoever asks may do something."""
        if not self.may(resource, action, name):
            raise PermissionDenied
