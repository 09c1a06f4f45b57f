"""Reads the path of a request: which resource, which object, which verb.

Called by `syncline.sandbox.server` for every request below /api and /apis; discovery paths come back with an empty
resource. Namespaces are special: /api/v1/namespaces/x/status is a subresource of x, not a collection in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, unquote

import msgspec

_NAMESPACE_SUBRESOURCES: Final = frozenset({"status", "finalize"})
_VERBS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


class Route(msgspec.Struct, frozen=True):
    """What a request is about."""

    group: str
    version: str
    plural: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    old_watch: bool = False
    """Whether the path is of the old form that asks for a watch by itself."""


def split(path: str) -> tuple[str, dict[str, str]]:
    """Return the bare path and its query; of a repeated parameter the first counts."""
    bare, _, query = path.partition("?")
    values: dict[str, str] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        values.setdefault(key, value)
    return unquote(bare), values


def parse(path: str) -> Route | None:
    """Read a path below /api or /apis; None when it has no such shape."""
    parts = [part for part in path.split("/") if part]
    if len(parts) >= 2 and parts[0] == "api":
        return _within("", parts[1], parts[2:])
    if len(parts) >= 3 and parts[0] == "apis":
        return _within(parts[1], parts[2], parts[3:])
    return None


def _within(group: str, version: str, rest: list[str]) -> Route | None:
    old_watch = bool(rest) and rest[0] == "watch"
    if old_watch:
        rest = rest[1:]
    namespace = ""
    if len(rest) >= 3 and rest[0] == "namespaces" and rest[2] not in _NAMESPACE_SUBRESOURCES:
        namespace, rest = rest[1], rest[2:]
    if len(rest) > 3 and rest[2] != "proxy":
        return None
    plural, name, subresource = (*rest[:3], "", "", "")[:3]
    return Route(group, version, plural, namespace, name, subresource, old_watch)


def verb(method: str, route: Route, query: Mapping[str, str]) -> str:
    """Return the Kubernetes verb of a request."""
    if method == "GET":
        asked = query.get("watch", "").lower() in ("true", "1") and not route.name
        if asked or route.old_watch:
            return "watch"
        return "get" if route.name else "list"
    found = _VERBS.get(method, method.lower())
    return "deletecollection" if found == "delete" and not route.name else found
