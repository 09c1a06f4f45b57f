"""Where a browser may be sent after a login: to a page of ours, nowhere else.

Used by the routes of SSO. Browsers drop tabs and line breaks out of addresses and take a backslash for a slash, so an
address is not cleaned here but held to a grammar that leaves nothing to drop: one slash between parts, printable ASCII
alone. The page has the same rule for its own login (`web/src/lib/target.ts`); a test compares the two.
"""

from __future__ import annotations

import re
from typing import Final

from syncline.server.requests.failures import INVALID, Failure

_LONGEST = 2048
OWN: Final = re.compile(
    r"^\/(?!\/|%2[Ff])(?:[A-Za-z0-9_~!$&'()*+,;=:@.-]|%(?![01]|5[Cc]|7[Ff])[0-9A-Fa-f]{2}|\/(?!\/|%2[Ff]))*(?:[?#][!-[\]-~]*)?$"
)
"""A path with no empty part, no backslash and no hidden control character; then a query or fragment, all in ASCII."""


def own_path(wanted: str, url: str) -> str:
    """Return the path of a page of ours; `url` is what this server is known as. Raises for anything else."""
    base = url.rstrip("/")
    path = wanted
    if base and (wanted == base or wanted.startswith(f"{base}/")):
        path = wanted[len(base) :] or "/"
    if len(path) > _LONGEST or OWN.fullmatch(path) is None:
        raise Failure(INVALID, "return_url has to be a page of this server")
    return path
