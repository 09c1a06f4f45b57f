"""From an error to what a client reads: HTTP status, the number that Argo CD sends with it, one sentence, what to do.

Used by `syncline.server.requests.dispatch` for everything that a route raises. Sentences come from
`syncline.verbs.errors` and from clusters; the latter may quote an object, so they are scrubbed. The odd fact: who may
not see something is told the same bytes whether it exists or not, which is why `PermissionDenied` has no words of its
own.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model.errors import SynclineError
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError
from syncline.verbs import errors as verbs

INVALID: Final = 3
DEADLINE: Final = 4
NOT_FOUND: Final = 5
DENIED: Final = 7
EXHAUSTED: Final = 8
REFUSED: Final = 9
CONFLICT: Final = 10
INTERNAL: Final = 13
UNAVAILABLE: Final = 14
UNAUTHENTICATED: Final = 16

STATUS: Final = {
    INVALID: 400,
    DEADLINE: 504,
    NOT_FOUND: 404,
    DENIED: 403,
    EXHAUSTED: 429,
    REFUSED: 400,
    CONFLICT: 409,
    INTERNAL: 500,
    UNAVAILABLE: 503,
    UNAUTHENTICATED: 401,
}
"""HTTP status by number."""

_OF_CLUSTER: Final = {400: INVALID, 404: NOT_FOUND, 409: CONFLICT, 410: CONFLICT, 422: INVALID, 429: EXHAUSTED}


_PHRASES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    408: "Request Timeout",
    409: "Conflict",
    413: "Request Entity Too Large",
    415: "Unsupported Media Type",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}


class Failure(Exception):
    """An answer that is not what was asked for. `status` is that of the number, unless said otherwise."""

    def __init__(self, code: int, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status or STATUS[code]

    def body(self) -> dict[str, Any]:
        """Return the JSON of the answer, in Argo CD's shape."""
        found: dict[str, Any] = {"error": self.message, "code": self.code, "message": self.message}
        return {**found, "hint": self.hint} if self.hint else found

    def stream_body(self) -> dict[str, Any]:
        """Return the same as Argo CD answers it where a stream was asked for."""
        words = _PHRASES.get(self.status, "")
        told = {"grpc_code": self.code, "http_code": self.status, "message": self.message, "http_status": words}
        return {**self.body(), "error": told}


class PermissionDenied(Failure):
    """Whoever asks has no right to it, or it does not exist; nobody is told which."""

    def __init__(self) -> None:
        super().__init__(DENIED, "permission denied")


class NotSignedIn(Failure):
    """Nobody, or somebody whose token is not good."""

    def __init__(self, message: str = "no session information") -> None:
        super().__init__(UNAUTHENTICATED, message)


def failure_of(error: Exception) -> Failure | None:
    """Return the answer to an error that is meant for people; None for a bug."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, ApiError):
        return _of_cluster(error)
    if isinstance(error, TransportError):
        return Failure(UNAVAILABLE, f"the cluster does not answer: {without_secrets(str(error))}")
    if isinstance(error, TimeoutError):
        return Failure(DEADLINE, "this took too long, and was given up")
    if isinstance(error, msgspec.ValidationError):
        # msgspec names the field and the type, never the value.
        return Failure(INVALID, f"the request cannot be read: {error}")
    if isinstance(error, SynclineError):
        return _of_request(error)
    return None


def _of_request(error: SynclineError) -> Failure:
    codes: tuple[tuple[type[SynclineError], int], ...] = (
        (verbs.NotFound, NOT_FOUND),
        (verbs.Denied, DENIED),
        (verbs.Refused, REFUSED),
        (verbs.Conflict, CONFLICT),
    )
    code = next((code for kind, code in codes if isinstance(error, kind)), INVALID)
    where = f"{error.place}: " if error.place else ""
    return Failure(code, without_secrets(f"{where}{error.what}"), hint=without_secrets(error.hint))


def _of_cluster(error: ApiError) -> Failure:
    """Return the answer to a refusal by an API server, whose words may quote a whole object where one is invalid."""
    quotes = error.code in (400, 422) and str(error.details.get("kind", "")).lower() in ("secret", "secrets", "")
    if error.code in (401, 403):
        return Failure(DENIED, f"the cluster does not permit it to this server: {without_secrets(error.message)}")
    code = _OF_CLUSTER.get(error.code, UNAVAILABLE if error.code >= 500 else INTERNAL)
    said = f"the cluster refused it: {error.reason or 'Invalid'}" if quotes else without_secrets(error.message)
    return Failure(code, said)
