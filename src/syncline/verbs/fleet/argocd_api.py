"""Argo CD's own API over a transport: the few questions that a diagnosis asks, as plain JSON.

Used by `syncline.verbs.fleet.through_argocd`. What the server refuses is an `ApiError` with its words; the caller's
token decides what may be seen.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model.logins import without_logins
from syncline.ports.kube import ApiError
from syncline.ports.transport import Request, Transport

_TIMEOUT = 60.0
_LONGEST = 300


class ArgoApi:
    """One argocd-server, as one user; counts what it was asked."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.requests = 0

    async def items(self, path: str) -> list[Object]:
        """Return the items of a list."""
        found = (await self.get(path, {})).get("items")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    async def get(self, path: str, query: Mapping[str, str]) -> Object:
        """Return what a path answers."""
        self.requests += 1
        request = Request(method="GET", path=_address(path, query), headers={"Accept": "application/json"})
        response = await self._transport.send(request, timeout=_TIMEOUT)
        try:
            body = await response.read()
        finally:
            await response.close()
        return _object(response.status, body, path)

    async def of_app(self, app: Object, part: str, **query: str) -> Object:
        """Return a part of an Application: its tree, its objects, Events."""
        return await self.get(_app_path(app, part), {**_app_query(app), **query})

    async def log(self, app: Object, query: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yield the lines that a container printed."""
        self.requests += 1
        path = _address(_app_path(app, "logs"), {**_app_query(app), **query})
        response = await self._transport.send(Request(method="GET", path=path), timeout=_TIMEOUT)
        try:
            body = await response.read()
        finally:
            await response.close()
        if response.status != 200:
            _object(response.status, body, path)
        for line in body.splitlines():
            yield _content(line)


def _content(line: bytes) -> bytes:
    """Return the text of one entry of a stream; the last entry has none."""
    try:
        result = orjson.loads(line).get("result") or {}
    except (orjson.JSONDecodeError, AttributeError):
        return b""
    return str(result.get("content") or "").encode()


def _app_path(app: Object, part: str) -> str:
    return f"/api/v1/applications/{quote(meta.name(app), safe='')}/{part}"


def _app_query(app: Object) -> dict[str, str]:
    project = str((app.get("spec") or {}).get("project") or "")
    return {"appNamespace": meta.namespace(app), "project": project}


def _address(path: str, query: Mapping[str, str]) -> str:
    given = {key: value for key, value in query.items() if value}
    return f"{path}?{urlencode(given)}" if given else path


def _object(status: int, body: bytes, path: str) -> Object:
    try:
        found: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = None
    if status == 200 and isinstance(found, dict):
        return found
    said = str(found.get("message") or found.get("error") or "") if isinstance(found, dict) else ""
    if status == 200:
        said = "the answer is not JSON: is this the address of an argocd-server?"
    shown = without_logins(said)[:_LONGEST] or f"HTTP status {status}"
    raise ApiError(status, "ArgoCD", f"GET {path.partition('?')[0]}: {shown}")
