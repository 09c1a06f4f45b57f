"""Where a browser may be sent after a login: to a page of ours, nowhere else.

Used by the routes of SSO. What is not a plain path of this server is refused, however it is spelt.
"""

from __future__ import annotations

from syncline.server.requests.failures import INVALID, Failure

_LONGEST = 2048


def own_path(wanted: str, url: str) -> str:
    """Return the path of a page of ours; `url` is what this server is known as. Raises for anything else."""
    base = url.rstrip("/")
    path = wanted
    if base and (wanted == base or wanted.startswith(f"{base}/")):
        path = wanted[len(base) :] or "/"
    bad = (
        not path.startswith("/")
        or path.startswith(("//", "/\\"))
        or "\\" in path
        or len(path) > _LONGEST
        or not path.isprintable()
        or not path.isascii()
        or " " in path
    )
    if bad:
        raise Failure(INVALID, "return_url has to be a page of this server")
    return path
