"""Answers: JSON without logins in addresses, and the headers that every answer carries.

Used by `syncline.server.requests.dispatch` and by routes that answer something else than JSON. The page is the only
thing that runs script, and it is ours: nothing from elsewhere may run, frame it, or be sent its address.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import orjson
from starlette.responses import Response

from syncline.model.logins import without_logins

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-XSS-Protection": "1",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer says to browsers."""


def encoded(value: Any) -> bytes:
    """Return a value as JSON without logins in addresses."""
    made = orjson.dumps(value, default=msgspec.to_builtins)
    return without_logins(made.decode()).encode() if b"@" in made else made


def json_answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer with a value as JSON."""
    return Response(encoded(value), status, headers=headers, media_type="application/json")
