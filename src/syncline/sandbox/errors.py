"""Refusals in Kubernetes' own words.

Raised anywhere below `syncline.sandbox.server`, which turns them into Status objects. The texts are part of the
contract: clients and people match on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from syncline.apimachinery.keys import Object

MODIFIED: Final = "the object has been modified; please apply your changes to the latest version and try again"


class FieldCause(msgspec.Struct, frozen=True):
    """One field that is wrong: where, which sort of wrong, and in which words."""

    field: str
    reason: str
    message: str

    def text(self) -> str:
        """Print as the API server does inside a longer message."""
        return f"{self.field}: {self.message}" if self.field else self.message


def invalid_value(field: str, value: str, detail: str) -> FieldCause:
    """Describe a value that is not allowed; `value` is already printed."""
    return FieldCause(field, "FieldValueInvalid", f"Invalid value: {value}: {detail}")


def required(field: str, detail: str = "") -> FieldCause:
    """Describe a value that is missing."""
    return FieldCause(field, "FieldValueRequired", f"Required value: {detail}" if detail else "Required value")


def forbidden_field(field: str, detail: str) -> FieldCause:
    """Describe a value that may not be there."""
    return FieldCause(field, "FieldValueForbidden", f"Forbidden: {detail}")


def not_supported(field: str, value: str, allowed: Sequence[str]) -> FieldCause:
    """Describe a value outside an enumeration."""
    words = ", ".join(f'"{word}"' for word in allowed)
    return FieldCause(field, "FieldValueNotSupported", f'Unsupported value: "{value}": supported values: {words}')


def too_long(field: str, most: int) -> FieldCause:
    """Describe a text that is longer than it may be."""
    return FieldCause(
        field, "FieldValueTooLong", f"Too long: may not be more than {most} byte{'' if most == 1 else 's'}"
    )


class StatusError(Exception):
    """A request that is refused; `status` gives the Status object."""

    def __init__(
        self, code: int, reason: str, message: str, details: dict[str, Any] | None = None, *, retry_after: int = 0
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.retry_after = retry_after
        self.warnings: Sequence[str] = ()
        """What the answer says besides the refusal."""

    def status(self) -> Object:
        """Return the Status object for the body."""
        status: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = self.details
        status["code"] = self.code
        return status


class NobodyAnswers(Exception):
    """The group is served by a program behind a Service, and no such program runs."""


class PathNotFound(Exception):
    """No resource is served under this path; answered with plain text, as the real server does."""


def qualified(plural: str, group: str) -> str:
    """Print a resource the way messages name it: `deployments.apps`, `configmaps`."""
    return f"{plural}.{group}" if group else plural


def _details(plural: str, group: str, name: str) -> dict[str, Any]:
    details = {"name": name, "group": group, "kind": plural}
    return {key: value for key, value in details.items() if value}


def not_found(plural: str, group: str, name: str) -> StatusError:
    """The object is not there."""
    message = f'{qualified(plural, group)} "{name}" not found'
    return StatusError(404, "NotFound", message, _details(plural, group, name))


def already_exists(plural: str, group: str, name: str, *, deleting: bool = False) -> StatusError:
    """The name is taken."""
    while_deleting = "object is being deleted: " if deleting else ""
    message = f'{while_deleting}{qualified(plural, group)} "{name}" already exists'
    return StatusError(409, "AlreadyExists", message, _details(plural, group, name))


def conflict(plural: str, group: str, name: str, detail: str = MODIFIED) -> StatusError:
    """Somebody else was faster, or a precondition does not hold."""
    message = f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": {detail}'
    return StatusError(409, "Conflict", message, _details(plural, group, name))


def forbidden(plural: str, group: str, name: str, detail: str, causes: Sequence[FieldCause] = ()) -> StatusError:
    """Admission or authorization says no."""
    named = f' "{name}"' if name else ""
    details = _details(plural, group, name)
    if causes:
        details["causes"] = [_cause(cause) for cause in causes]
    return StatusError(403, "Forbidden", f"{qualified(plural, group)}{named} is forbidden: {detail}", details)


def invalid(kind: str, group: str, name: str, causes: Sequence[FieldCause]) -> StatusError:
    """The object breaks the rules of its kind."""
    texts = list(dict.fromkeys(cause.text() for cause in causes))
    told = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details: dict[str, Any] = {**_details(kind, group, name), "causes": [_cause(cause) for cause in causes]}
    message = f'{qualified(kind, group)} "{name}" is invalid: {told}'
    return StatusError(422, "Invalid", message, details)


def _cause(cause: FieldCause) -> dict[str, str]:
    told = {"reason": cause.reason, "message": cause.message, "field": cause.field}
    return {key: value for key, value in told.items() if value}


def resource_not_found() -> StatusError:
    """The group version exists, but nothing of that name in it."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", {})


def unpatchable() -> StatusError:
    """A JSON patch does not fit; the real server does not say where."""
    message = "the server rejected our request due to an error in our request"
    return StatusError(422, "Invalid", message, {})


def bad_request(message: str) -> StatusError:
    """The request itself makes no sense."""
    return StatusError(400, "BadRequest", message)


def method_not_allowed() -> StatusError:
    """The resource exists, but not with this verb."""
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message, {})


def expired(message: str) -> StatusError:
    """The asked-for resourceVersion is compacted away."""
    return StatusError(410, "Expired", message)


def too_old(wanted: int, oldest: int) -> StatusError:
    """A watch starts before the oldest event that is still known."""
    return expired(f"too old resource version: {wanted} ({oldest})")


def ahead(wanted: int, newest: int) -> StatusError:
    """The asked-for resourceVersion is not there yet."""
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    message = f"Timeout: Too large resource version: {wanted}, current: {newest}"
    return StatusError(504, "Timeout", message, {"causes": [cause], "retryAfterSeconds": 1}, retry_after=1)


def too_large(limit: int) -> StatusError:
    """The body is longer than anybody reads."""
    return StatusError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit}")


def internal(error: Exception) -> StatusError:
    """A bug of the server itself."""
    return StatusError(500, "InternalError", f"Internal error occurred: {type(error).__name__}: {error}")


def unknown_patch_type() -> StatusError:
    """A patch of a type the kind does not take."""
    return StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})


def unsupported_media_type(accepted: Sequence[str]) -> StatusError:
    """The body is in a format nobody reads here."""
    return StatusError(
        415,
        "UnsupportedMediaType",
        f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}",
    )


def no_such_shape(message: str) -> StatusError:
    """What was asked for cannot be shown in the shape that was asked for."""
    return StatusError(406, "NotAcceptable", message)


def not_acceptable(*, protobuf: bool = True, streams: bool = True) -> StatusError:
    """The client reads nothing we can write; one that asks for protobuf is not told that there is some."""
    packed = "application/vnd.kubernetes.protobuf"
    media = ["application/json", "application/yaml", packed]
    media += ["application/json;stream=watch", f"{packed};stream=watch"] if streams else []
    named = [one for one in media if protobuf or packed not in one]
    told = f"406: Not Acceptable\n\nAvailable representations: {', '.join(named)}"
    return StatusError(406, "NotAcceptable", told, {})


def not_among(media: str) -> StatusError:
    """The client reads a shape of objects that nobody writes here."""
    return StatusError(406, "NotAcceptable", f"only the following media types are accepted: {media}")


def forbidden_path(user: str, verb: str, path: str) -> StatusError:
    """A path that is not an object's is not for this user."""
    return StatusError(403, "Forbidden", f'forbidden: User "{user}" cannot {verb} path "{path}"', {})


def apply_conflict(message: str, causes: Sequence[dict[str, str]]) -> StatusError:
    """Server-side apply wants fields that others own."""
    return StatusError(409, "Conflict", message, {"causes": list(causes)})


def unauthorized() -> StatusError:
    """No or a wrong token."""
    return StatusError(401, "Unauthorized", "Unauthorized")
