"""Turns an answer of the API server that says no into `ApiError`.

Called by `syncline.adapters.kube.client` with status code and body. An API server answers with a Status
object, what stands between may answer with anything. A refusal may quote the object that was sent, so for
Secrets everything that was sent and every quoted value is taken out of message and details.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model.masking import MASK
from syncline.ports.kube import ApiError

_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
_MAX_PLAIN = 200
_QUOTED_VALUE = re.compile(r'(Invalid value: )(?:"(?:[^"\\]|\\.)*"|map\[[^\n]*?\]|\{[^\n]*?\})')
# The decoder of the API server prints the bytes around a fault, whatever they are.
_QUOTED_BYTES = re.compile(r"error found in #.*|, bigger context .*", re.DOTALL)


def error_from(code: int, body: bytes, *, asked: str, sent: Object | None = None) -> ApiError:
    """Build the error for a refused request; `asked` is method and path, `sent` the body if it was a Secret."""
    status = _status_object(body)
    if status is None:
        reason = _REASONS.get(code, "Unknown")
        return ApiError(code, reason, _plain_message(code, body, asked, hide=sent is not None))
    return error_from_status(status, code=code, sent=sent)


def error_from_status(status: Object, *, code: int = 500, sent: Object | None = None) -> ApiError:
    """Build the error from a Status object; `code` counts where the object has none."""
    code = status["code"] if isinstance(status.get("code"), int) and status["code"] else code
    reason = str(status.get("reason") or _REASONS.get(code, "Unknown"))
    message = str(status.get("message") or f"the API server answered {code} {reason}")
    details = status.get("details")
    details = details if isinstance(details, dict) else {}
    if sent is not None:
        secrets = sorted(set(_values_of(sent)), key=len, reverse=True)
        message, details = _hide(message, secrets), _hide_all(details, secrets)
    return ApiError(code, reason, message, details)


def _status_object(body: bytes) -> Object | None:
    try:
        status = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return status if isinstance(status, dict) and status.get("kind") == "Status" else None


def _plain_message(code: int, body: bytes, asked: str, *, hide: bool) -> str:
    reason = _REASONS.get(code, "Unknown")
    text = "" if hide else " ".join(body[:4096].decode("utf-8", "replace").split())
    if not text or text.startswith(("<", "{", "[")):
        return f"{asked} was answered {code} {reason}, but not by a Kubernetes API server"
    shown = text if len(text) <= _MAX_PLAIN else text[: _MAX_PLAIN - 1] + "…"
    return f"{asked} was answered {code} {reason}: {shown}"


def _values_of(obj: Object) -> Iterator[str]:
    """Yield every text of a Secret, of a patch of one or of what its annotations repeat, encoded and decoded."""
    pending: list[Any] = [
        obj.get("data"),
        obj.get("stringData"),
        meta.metadata(obj).get("annotations"),
        obj.get("patch"),
    ]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
        elif value is not None and not isinstance(value, bool):
            yield from _spellings(str(value))


def _spellings(text: str) -> Iterator[str]:
    candidates = [text]
    try:
        candidates.append(base64.b64decode(text, validate=True).decode())
    except (binascii.Error, ValueError):
        candidates.append(base64.b64encode(text.encode("utf-8", "replace")).decode())
    for candidate in candidates:
        if len(candidate) > 2:
            yield candidate
            yield orjson.dumps(candidate.encode("utf-8", "replace").decode()).decode()[1:-1]


def _hide(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MASK)
    text = _QUOTED_VALUE.sub(rf'\1"{MASK}"', text)
    return _QUOTED_BYTES.sub("(quoted bytes left out)", text)


def _hide_all(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, dict):
        return {key: _hide_all(member, secrets) for key, member in value.items()}
    if isinstance(value, list):
        return [_hide_all(member, secrets) for member in value]
    return _hide(value, secrets) if isinstance(value, str) else value
