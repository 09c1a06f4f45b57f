"""Writes docs/reference/permissions.md from the table of routes: who may use each endpoint.

Run as `python tools/build_permission_reference.py` after changing an endpoint; a test fails while the page is stale.
"""

from __future__ import annotations

from pathlib import Path

from syncline.server.requests.permissions import Chosen, Filtered, Needs, Open, SignedIn, needs_of
from syncline.server.requests.routing import Endpoint
from syncline.server.table import ENDPOINTS

TARGET = Path(__file__).parent.parent / "docs/reference/permissions.md"
_HEAD = """\
# Permissions of the HTTP API

Written by `python tools/build_permission_reference.py` from the table of routes; change it there.

The server checks these rights before it runs a route, for [HTTP](api.md) and for grpc-web alike. A right is written as
in `policy.csv`: resource, verb, and what it is about. All rows of an endpoint are needed. Without a right the answer is
403 `permission denied`, the same bytes whether the object exists or not. A token of a project's role has only the
rights of that role. A stream ends within seconds when the right is withdrawn.

| word | means |
|---|---|
| no session | it answers anybody |
| a session | signing in is enough |
| left out | everybody who is signed in gets an answer, without the rows that they have no right to |
| further | the route asks for it itself, because it depends on what it finds |

"""


def page() -> str:
    """Return the whole page."""
    tags = sorted({one.tag for one in ENDPOINTS})
    return _HEAD + "\n".join(_group(tag) for tag in tags)


def _group(tag: str) -> str:
    endpoints = [one for one in ENDPOINTS if one.tag == tag]
    rows = [row for one in endpoints for row in _rows(one)]
    return f"## {tag}\n\n| endpoint | right | of | remarks |\n|---|---|---|---|\n" + "".join(rows)


def _rows(one: Endpoint) -> list[str]:
    name = f"{one.method} `{one.path.replace(':path', '')}`"
    cells = [*_checked(one), *((f"further: {also.resource}, {also.verb}", "", also.remark) for also in one.also)]
    names = [name, *("" for _ in cells[1:])]
    return [_row(first, *cell) for first, cell in zip(names, cells, strict=True)]


def _checked(one: Endpoint) -> list[tuple[str, str, str]]:
    permission = one.permission
    if isinstance(permission, Open):
        return [("no session", "", permission.why)]
    if isinstance(permission, SignedIn):
        return [("a session", "", permission.why)]
    if isinstance(permission, Filtered):
        return [(f"{permission.resource}, {permission.verb}", "each row", f"left out without it: {permission.rows}")]
    return [(_right(need), need.of.shown, need.remark) for need in needs_of(permission)]


def _right(need: Needs) -> str:
    verbs = [" or ".join(verb.shown) if isinstance(verb, Chosen) else verb for verb in need.each]
    return f"{need.resource}, {' and '.join(verbs)}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
