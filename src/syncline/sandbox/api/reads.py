"""Reads objects and lists, straight from stored bytes wherever nobody asks for another shape.

Called by `syncline.sandbox.api.requests`. A later page of a list shows the objects as they were when the first page was
read, for as long as the changes since then are not compacted away.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

import orjson

from syncline.sandbox import errors
from syncline.sandbox.api.options import ReadOptions
from syncline.sandbox.api.selection import RowSelector
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Row, RowKey

_EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


class ListPage:
    """The rows of a list answer and what its metadata says."""

    __slots__ = ("continue_token", "remaining", "rows", "version")

    def __init__(self, rows: list[Row], version: int, continue_token: str = "", remaining: int | None = None) -> None:
        self.rows = rows
        self.version = version
        self.continue_token = continue_token
        self.remaining = remaining

    def metadata(self) -> dict[str, Any]:
        """Return the ListMeta."""
        metadata: dict[str, Any] = {"resourceVersion": str(self.version)}
        if self.continue_token:
            metadata["continue"] = self.continue_token
        if self.remaining is not None:
            metadata["remainingItemCount"] = self.remaining
        return metadata


def get(backend: Backend, resource: Resource, place: RowKey) -> Row:
    """Return one row; raises NotFound."""
    row = backend.store.at(place)
    if row is None:
        raise errors.not_found(resource.plural, resource.group, place.name)
    return row


def list_page(backend: Backend, resource: Resource, namespace: str, options: ReadOptions) -> ListPage:
    """Return the rows a list request asks for."""
    selection = RowSelector(resource, options.label_selector, options.field_selector)
    version, after = backend.store.version, None
    if options.resource_version_match == "Exact":
        version = int(options.resource_version)
    if options.continue_token:
        version, after = _read_token(options.continue_token)
    rows = _rows(backend, resource, namespace, version, after)
    picked = rows if selection.everything else [row for row in rows if selection.picks(row)]
    full = options.limit and len(picked) == options.limit and not selection.everything
    if full and picked[-1] is not rows[-1]:
        # The real server stops at a full page and does not look whether what follows would be picked, too.
        return ListPage(picked, version, _token(version, picked[-1]))
    if not options.limit or len(picked) <= options.limit:
        return ListPage(picked, version)
    page = picked[: options.limit]
    remaining = len(picked) - options.limit if selection.everything else None
    return ListPage(page, version, _token(version, page[-1]), remaining)


def _rows(
    backend: Backend, resource: Resource, namespace: str, version: int, after: tuple[str, str] | None
) -> list[Row]:
    if version == backend.store.version:
        return list(backend.store.rows(resource.bucket, namespace, after=after))
    try:
        rows = backend.store.rows_at(version, resource.bucket, namespace)
    except errors.StatusError:
        raise errors.expired(_EXPIRED) from None
    return [row for row in rows if after is None or (row.place.namespace, row.place.name) > after]


def _token(version: int, last: Row) -> str:
    content = {"v": "meta.k8s.io/v1", "rv": version, "start": [last.place.namespace, last.place.name]}
    return base64.urlsafe_b64encode(orjson.dumps(content)).decode().rstrip("=")


def _read_token(token: str) -> tuple[int, tuple[str, str]]:
    decoded = b""
    try:
        decoded = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        content = orjson.loads(decoded)
        namespace, name = content["start"]
        return int(content["rv"]), (str(namespace), str(name))
    except (binascii.Error, ValueError, KeyError, TypeError):
        first = decoded[:1].decode("latin-1")
        told = first if first.isprintable() else f"\\u{ord(first or chr(0)):04x}"
        shown = f"'{told}' " if decoded else ""
        text = f"continue key is not valid: invalid character {shown}looking for beginning of value"
        raise errors.bad_request(f"invalid continue token: {text}") from None


def encode_list(resource: Resource, page: ListPage) -> bytes:
    """Return a list as it is sent; items of built-in kinds leave out kind and apiVersion, as the real server does."""
    metadata = page.metadata()
    if resource.custom is not None:
        metadata.setdefault("continue", "")
    head = orjson.dumps({"kind": resource.list_kind, "apiVersion": resource.gvk.api_version, "metadata": metadata})
    if resource.custom is None:
        items = b",".join([resource.encode_item(row) for row in page.rows])
    else:
        items = b",".join([resource.encode(row) for row in page.rows])
    return b'%b,"items":[%b]}' % (head[:-1], items)
