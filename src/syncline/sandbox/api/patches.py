"""Turns a patch of any of the four types into a write.

Called by `syncline.sandbox.api.requests`; the arithmetic is `syncline.apimachinery.patch`, the writing
`syncline.sandbox.api.writes`. Strategic merge is for built-in kinds only, as on a real server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import decoding, identity, strictness, writes
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.api.writes import WriteResult
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import RowKey

JSON: Final = "application/json-patch+json"
MERGE: Final = "application/merge-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
_OPERATION: Final = frozenset({"op", "path", "from", "value"})


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
    media = check_type(resource, content_type)
    if media == APPLY:
        config = decoding.whole_numbers(decoding.yaml_body(content))
        odd = _twice(content, config, options)
        return writes.apply(backend, resource, place, config, _noting(options, odd=odd), subresource)
    row = backend.store.at(place)
    if row is None:
        raise errors.not_found(resource.plural, resource.group, place.name)
    given = decode(content)
    patched = change(resource, resource.decode(row), given, media)
    if options.field_validation != "Ignore":
        repeated = strictness.repeated(content, given)
        options = _noting(options, odd=_in_operations(given, repeated)) if media == JSON else options
        options = options if media == JSON else _noting(options, repeated=repeated)
    _check_version(resource, patched, place.name)
    if isinstance(patched, dict) and isinstance(patched.get("metadata"), dict):
        identity.check_uid(resource, row, patched["metadata"], patched=True)
    try:
        return writes.update(backend, resource, row, patched, options, subresource)
    except errors.StatusError as error:
        detail = decoding.misfit(resource, error, mapped=media not in (JSON, MERGE))
        if error.code == 400 and detail:
            raise errors.invalid("", "", "", [errors.invalid_value("patch", '"{…}"', detail)]) from None
        raise


def check_type(resource: Resource, content_type: str) -> str:
    """Return the type of a patch; raises for one that a kind does not take."""
    media = content_type.partition(";")[0].strip().lower()
    accepted = _accepted(resource)
    if media not in accepted:
        known = resource.custom is not None or media in (JSON, MERGE, STRATEGIC, APPLY)
        raise errors.unsupported_media_type(accepted) if known else errors.unknown_patch_type()
    return media


def _check_version(resource: Resource, patched: Any, name: str) -> None:
    """Refuse to patch a custom object into another version of its kind, in the words for that."""
    given = patched.get("apiVersion") if isinstance(patched, dict) else None
    if resource.custom is not None and given in resource.custom.others:
        told = f"must be {resource.gvk.api_version}"
        cause = errors.invalid_value("apiVersion", f'"{given}"', told)
        raise errors.invalid(resource.kind, resource.group, name, [cause])


def _noting(options: WriteOptions, *, repeated: Sequence[str] = (), odd: Sequence[str] = ()) -> WriteOptions:
    if not repeated and not odd:
        return options
    return msgspec.structs.replace(options, repeated=tuple(repeated), odd=tuple(odd))


def _twice(content: bytes, config: Any, options: WriteOptions) -> list[str]:
    """Return the keys that an applied configuration gives twice; where that is not allowed, it is refused."""
    if options.field_validation == "Ignore" or not content.lstrip().startswith(b"{"):
        return []
    told = [
        f'line 1: key "{path.rpartition(".")[2]}" already set in map' for path in strictness.repeated(content, config)
    ]
    if told and options.field_validation == "Strict":
        lines = "\n  ".join(told)
        before = "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors"
        raise errors.bad_request(f"{before}:\n  {lines}")
    return told


def _in_operations(given: Any, repeated: Sequence[str]) -> list[str]:
    """Return what is odd about the operations of a JSON patch."""
    told = [f'json patch duplicate field "{path}"' for path in repeated]
    for index, one in enumerate(given if isinstance(given, list) else ()):
        unknown = set(one) - _OPERATION if isinstance(one, dict) else ()
        told += [f'json patch unknown field "[{index}].{name}"' for name in sorted(unknown)]
    return told


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
        return strategic.apply(live, decoding.whole_numbers(patch_body), resource.node())
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
