"""Makes the request of a route out of a message: what is in the path, what in the query, what in the body.

Used by `syncline.server.grpcweb.service`; the rules are those by which Argo CD's gateway goes the other way. A cookie
is not carried over: a browser would add it to what another site sends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final
from urllib.parse import urlencode

import orjson
from starlette.requests import Request

from syncline.server.grpcweb.methods import PARAMETER, Method
from syncline.server.requests.routing import Endpoint

_NOT_CARRIED: Final = frozenset(
    (b"accept", b"connection", b"content-encoding", b"content-length", b"content-type", b"cookie", b"transfer-encoding")
)


def request_of(original: Request, method: Method, endpoint: Endpoint, message: Mapping[str, Any]) -> Request:
    """Return the request that the endpoint of a method is asked with."""
    values = [_first(message, name, *method.instead) for name in method.parameters]
    names = [name.partition(":")[0] for name in PARAMETER.findall(endpoint.path)]
    body = b"" if not method.body else orjson.dumps(message if method.body == "*" else message.get(method.body))
    headers = [(name, value) for name, value in original.scope["headers"] if name not in _NOT_CARRIED]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())] if body else []
    scope = {
        **original.scope,
        "method": endpoint.method,
        "path": method.path,
        "raw_path": method.path.encode(),
        "query_string": urlencode(list(_query(method, endpoint, message))).encode(),
        "headers": headers,
        "path_params": dict(zip(names, values, strict=True)),
    }
    return Request(scope, _Received(body, original))


class _Received:
    """Hands out a body, then what comes of the connection."""

    def __init__(self, body: bytes, original: Request) -> None:
        self._body: bytes | None = body
        self._original = original

    async def __call__(self) -> MutableMapping[str, Any]:
        if self._body is None:
            return await self._original.receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _query(method: Method, endpoint: Endpoint, message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what goes into the query: of a message that is the body only what the endpoint looks for there."""
    told = {one.name for one in endpoint.query}
    for name, value in _flat(message):
        top = name.partition(".")[0]
        if name in method.parameters or top == method.body or (method.body == "*" and name not in told):
            continue
        yield name, value


def _flat(message: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in message.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
            continue
        for one in value if isinstance(value, list) else [value]:
            yield f"{prefix}{name}", str(one).lower() if isinstance(one, bool) else str(one)


def _first(message: Mapping[str, Any], *paths: str) -> str:
    """Return the first of these that a message has."""
    return str(next(filter(None, (_at(message, path) for path in paths)), ""))


def _at(message: Mapping[str, Any], path: str) -> Any:
    """Return what a message has at a path of names; an empty text where it has nothing."""
    found: Any = message
    for name in path.split("."):
        found = found.get(name, "") if isinstance(found, Mapping) else ""
    return found
