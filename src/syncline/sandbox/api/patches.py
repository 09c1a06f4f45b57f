"""Turns a patch of any of the four types into a write.

Called by `syncline.sandbox.api.requests`; the arithmetic is `syncline.apimachinery.patch`, the writing
`syncline.sandbox.api.writes`. Strategic merge is for built-in kinds only, as on a real server.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import decoding, identity, writes
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.api.writes import WriteResult
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import RowKey

JSON: Final = "application/json-patch+json"
MERGE: Final = "application/merge-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"


def patch(
    backend: Backend,
    resource: Resource,
    place: RowKey,
    content: bytes,
    content_type: str,
    options: WriteOptions,
    subresource: str = "",
) -> WriteResult:
    """Carry out one patch request."""
    media = content_type.partition(";")[0].strip().lower()
    accepted = _accepted(resource)
    if media not in accepted:
        known = media in (JSON, MERGE, STRATEGIC, APPLY)
        raise errors.unsupported_media_type(accepted) if known else errors.unknown_patch_type()
    if media == APPLY:
        config = decoding.yaml_body(content)
        return writes.apply(backend, resource, place, config, options, subresource)
    row = backend.store.at(place)
    if row is None:
        raise errors.not_found(resource.plural, resource.group, place.name)
    patched = change(resource, resource.decode(row), decode(content), media)
    if isinstance(patched, dict) and isinstance(patched.get("metadata"), dict):
        identity.check_uid(resource, row, patched["metadata"], patched=True)
    try:
        return writes.update(backend, resource, row, patched, options, subresource)
    except errors.StatusError as error:
        _, found, _ = error.message.partition(" cannot be handled as a ")
        if error.code == 400 and found:
            detail = error.message.partition(f" cannot be handled as a {resource.kind}: ")[2]
            raise errors.invalid("", "", "", [errors.invalid_value("patch", '"{…}"', detail)]) from None
        raise


def decode(content: bytes) -> Any:
    """Read the JSON of a patch."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        raise errors.bad_request("invalid JSON patch") from None


def change(resource: Resource, live: Object, patch_body: Any, media: str) -> Any:
    """Return the live object as the patch changes it."""
    from syncline.apimachinery.patch import json_merge, json_patch, strategic
    from syncline.apimachinery.patch.errors import PatchError

    try:
        if media == JSON:
            return json_patch.apply(live, patch_body)
        if media == MERGE:
            return json_merge.apply(live, patch_body)
        return strategic.apply(live, patch_body, resource.node())
    except PatchError as error:
        raise _refusal(error.status, str(error)) from None


def _refusal(status: int, message: str) -> errors.StatusError:
    reasons = {400: "BadRequest", 413: "RequestEntityTooLarge", 422: "Invalid", 409: "Conflict"}
    if status == 422:
        return errors.unpatchable()
    return errors.StatusError(status, reasons.get(status, ""), message)


def _accepted(resource: Resource) -> tuple[str, ...]:
    if resource.custom is not None:
        return (JSON, MERGE, APPLY)
    return (JSON, MERGE, STRATEGIC, APPLY)
