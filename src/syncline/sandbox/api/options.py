"""Reads what a request asks for besides the object: paging, selectors, dry run, preconditions, wanted format.

`syncline.sandbox.server` parses once per request and hands frozen values to the modules that read and write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from syncline.sandbox import errors

_TRUE: Final = frozenset({"true", "1", "True", "t", "T", "TRUE"})
_POLICIES: Final = ("Orphan", "Background", "Foreground")
Shape = Literal["object", "table", "metadata", "metadata-list"]


class ReadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What get, list and watch are asked for."""

    label_selector: str = ""
    field_selector: str = ""
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    """None when the request does not speak of it."""
    timeout_seconds: int = 0
    shape: Shape = "object"
    include_object: str = "Metadata"


class WriteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a create, update or patch is carried out."""

    manager: str = "unknown"
    dry_run: bool = False
    force: bool = False
    field_validation: str = "Warn"
    repeated: tuple[str, ...] = ()
    """Keys that the body gives more than once."""
    odd: tuple[str, ...] = ()
    """What else is wrong about the writing of the body."""


class DeleteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a delete is carried out."""

    uid: str = ""
    resource_version: str = ""
    propagation: str = ""
    grace_seconds: int | None = None
    dry_run: bool = False


def read(query: Mapping[str, str], accept: str) -> ReadOptions:
    """Parse the query of a get, list or watch."""
    return ReadOptions(
        label_selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        limit=max(_number(query, "limit"), 0),
        continue_token=query.get("continue", ""),
        resource_version=query.get("resourceVersion", ""),
        resource_version_match=query.get("resourceVersionMatch", ""),
        bookmarks=_flag(query, "allowWatchBookmarks"),
        send_initial_events=_flag(query, "sendInitialEvents") if "sendInitialEvents" in query else None,
        timeout_seconds=_number(query, "timeoutSeconds"),
        shape=shape(accept),
        include_object=query.get("includeObject", "Metadata") or "Metadata",
    )


def write(query: Mapping[str, str], user_agent: str, kind: str = "CreateOptions") -> WriteOptions:
    """Parse the query of a write; without fieldManager the program's name is used, as the real server does."""
    manager = query.get("fieldManager", "")
    if len(manager) > 128:
        cause = errors.too_long("fieldManager", 128)
        raise errors.invalid(kind, "meta.k8s.io", "", [cause])
    validation = query.get("fieldValidation", "Warn") or "Warn"
    if validation not in ("Ignore", "Warn", "Strict"):
        allowed = ("", "Ignore", "Strict", "Warn")
        cause = errors.not_supported("fieldValidation", validation, allowed)
        raise errors.invalid(kind, "meta.k8s.io", "", [cause])
    return WriteOptions(
        manager=manager or user_agent.split("/", 1)[0] or "unknown",
        dry_run=_dry_run(query.get("dryRun"), kind),
        force=_flag(query, "force"),
        field_validation=validation,
    )


def delete(query: Mapping[str, str], body: Any) -> DeleteOptions:
    """Parse the query and body of a delete; the body wins."""
    given: dict[str, Any] = body if isinstance(body, dict) else {}
    preconditions = given.get("preconditions") or {}
    propagation = given.get("propagationPolicy") or query.get("propagationPolicy", "")
    if given.get("orphanDependents") is not None:
        if propagation:
            text = "orphanDependents and deletionPropagation cannot be both set"
            cause = errors.invalid_value("propagationPolicy", f'"{propagation}"', text)
            raise errors.invalid("DeleteOptions", "meta.k8s.io", "", [cause])
        propagation = "Orphan" if given["orphanDependents"] else "Background"
    if propagation and propagation not in _POLICIES:
        allowed = ("Foreground", "Background", "Orphan", "nil")
        raise errors.invalid(
            "DeleteOptions", "meta.k8s.io", "", [errors.not_supported("propagationPolicy", propagation, allowed)]
        )
    grace = given.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
    dry_run = given.get("dryRun")
    return DeleteOptions(
        uid=str(preconditions.get("uid") or ""),
        resource_version=str(preconditions.get("resourceVersion") or ""),
        propagation=propagation,
        grace_seconds=None if grace is None else int(grace),
        dry_run=_dry_run(dry_run[0] if isinstance(dry_run, list) and dry_run else query.get("dryRun"), "DeleteOptions"),
    )


def shape(accept: str) -> Shape:
    """Tell from the Accept header in which shape objects are wanted; the first one we know wins."""
    for part in accept.split(","):
        media, _, rest = part.strip().partition(";")
        if media not in ("application/json", "*/*", "application/*", ""):
            continue
        wanted = dict(item.strip().split("=", 1) for item in rest.split(";") if "=" in item)
        name = wanted.get("as", "")
        if name == "Table" and wanted.get("v") == "v1":
            return "table"
        if name == "PartialObjectMetadata" and wanted.get("v") == "v1":
            return "metadata"
        if name == "PartialObjectMetadataList" and wanted.get("v") == "v1":
            return "metadata-list"
        if not name:
            return "object"
    return "object"


def _dry_run(value: Any, kind: str) -> bool:
    if not value:
        return False
    if value != "All":
        text = f'Unsupported value: ["{value}"]: supported values: "All"'
        cause = errors.FieldCause("dryRun", "FieldValueNotSupported", text)
        raise errors.invalid(kind, "meta.k8s.io", "", [cause])
    return True


def _flag(query: Mapping[str, str], name: str) -> bool:
    return query.get(name, "") in _TRUE


def _number(query: Mapping[str, str], name: str) -> int:
    text = query.get(name, "") or "0"
    try:
        return int(text)
    except ValueError:
        raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


def check_list(asked: ReadOptions) -> None:
    """Refuse combinations that make no sense for a list."""
    _check_version(asked, 400, "BadRequest", "invalid resource version: ")
    if asked.continue_token and asked.resource_version not in ("", "0"):
        raise errors.bad_request("specifying resource version is not allowed when using continue")
    match = asked.resource_version_match
    if not match:
        return
    field = "resourceVersionMatch"
    if not asked.resource_version:
        cause = errors.forbidden_field(field, f"{field} is forbidden unless resourceVersion is provided")
    elif match not in ("Exact", "NotOlderThan"):
        cause = errors.not_supported(field, match, ("Exact", "NotOlderThan", ""))
    elif match == "Exact" and asked.resource_version == "0":
        cause = errors.forbidden_field(field, f'{field} "exact" is forbidden for resourceVersion "0"')
    else:
        return
    raise errors.invalid("ListOptions", "meta.k8s.io", "", [cause])


def check_get(asked: ReadOptions) -> None:
    """Refuse a version that is not a number."""
    _check_version(asked, 500, "", "")


def check_watch(asked: ReadOptions) -> None:
    """Refuse combinations that make no sense for a watch."""
    field = "resourceVersionMatch"
    if asked.resource_version_match and asked.send_initial_events is None:
        cause = errors.forbidden_field(field, f"{field} is forbidden for watch unless sendInitialEvents is provided")
        raise errors.invalid("ListOptions", "meta.k8s.io", "", [cause])
    if asked.send_initial_events is not None and asked.resource_version_match != "NotOlderThan":
        text = f"sendInitialEvents requires setting {field} to NotOlderThan"
        causes = [errors.forbidden_field(field, text)]
        if asked.resource_version_match:
            causes.append(errors.not_supported(field, asked.resource_version_match, ("NotOlderThan",)))
        raise errors.invalid("ListOptions", "meta.k8s.io", "", causes)
    _check_version(asked, 500, "", "")


def check_not_ahead(asked: ReadOptions, newest: int) -> None:
    """Refuse a version that is not there yet; the real server waits three seconds for it first."""
    if asked.resource_version and int(asked.resource_version) > newest:
        raise errors.ahead(int(asked.resource_version), newest)


def _check_version(asked: ReadOptions, code: int, reason: str, before: str) -> None:
    text = asked.resource_version
    if text and not text.isdigit():
        told = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        raise errors.StatusError(code, reason, before + told)
