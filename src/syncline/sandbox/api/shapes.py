"""Encodes rows in the shape a client asked for: whole objects, tables, or metadata alone.

Called by `syncline.sandbox.api.requests`; the columns of tables come from `syncline.sandbox.tables`.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import reads
from syncline.sandbox.api.options import ReadOptions
from syncline.sandbox.api.reads import ListPage
from syncline.sandbox.api.watches import Encode
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds.schedules import TEMPLATE_GENERATION
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Row

_META: Final = "meta.k8s.io/v1"


def encode_one(backend: Backend, resource: Resource, row: Row, options: ReadOptions) -> bytes:
    """Return one object."""
    if options.shape == "table":
        version = {"resourceVersion": str(row.version)} if row.version else {}
        return orjson.dumps(_table(backend, resource, [row], version, options))
    if options.shape == "metadata-list":
        if resource.custom is not None:
            raise errors.StatusError(500, "", "content is not a list")
        named = "PartialObjectMetadataList, but the requested object is not a list"
        raise errors.no_such_shape(f"you requested {named} (*{_go_type(resource)})")
    if options.shape == "metadata":
        return orjson.dumps(_partial(row))
    return resource.encode(row)


def encode_page(backend: Backend, resource: Resource, page: ListPage, options: ReadOptions) -> bytes:
    """Return a list."""
    if options.shape == "table":
        return orjson.dumps(_table(backend, resource, page.rows, page.metadata(), options))
    if options.shape == "metadata":
        named = "PartialObjectMetadata, but the requested object is a list"
        raise errors.no_such_shape(f"you requested {named} (*{_go_type(resource)}List)")
    if options.shape == "metadata-list":
        partial = {
            "kind": "PartialObjectMetadataList",
            "apiVersion": _META,
            "metadata": page.metadata(),
            "items": [_partial(row) for row in page.rows] or None,
        }
        return orjson.dumps(partial)
    return reads.encode_list(resource, page)


def encoder(backend: Backend, resource: Resource, options: ReadOptions) -> Encode:
    """Return how the objects of a watch are encoded."""
    if options.shape == "object":
        return resource.encode
    if options.shape == "metadata-list":
        return lambda row: orjson.dumps(_partial(row))
    return lambda row: encode_one(backend, resource, row, options)


def _go_type(resource: Resource) -> str:
    """Return what Go calls an object of a kind."""
    if resource.custom is not None:
        return "unstructured.Unstructured"
    return f"{resource.group.partition('.')[0] or 'core'}.{resource.kind}"


def _partial(row: Row) -> Object:
    return {"kind": "PartialObjectMetadata", "apiVersion": _META, "metadata": _for_table(row.decode())["metadata"]}


def _table(
    backend: Backend, resource: Resource, rows: list[Row], metadata: dict[str, Any], options: ReadOptions
) -> Object:
    from syncline.sandbox import tables

    stored = backend.registry.of_bucket(resource.bucket) if resource.converted is not None else resource
    resource = stored or resource  # tables show what is stored, whatever the version that was asked for
    objects = [resource.decode(row) for row in rows]
    printed = tables.render(resource, objects, now=backend.clock.now())
    return {
        "kind": "Table",
        "apiVersion": _META,
        "metadata": metadata,
        "columnDefinitions": printed.columns,
        "rows": [
            {"cells": cells, **_row_object(obj, options)}
            for cells, obj in zip(printed.cells, map(_for_table, objects), strict=True)
        ]
        or ([] if tables.has_own_columns(resource) else None),
    }


def _for_table(obj: Object) -> Object:
    """Leave out what a real server adds to an object only when it is converted, which tables never are."""
    annotations = obj["metadata"].get("annotations") or {}
    if TEMPLATE_GENERATION not in annotations:
        return obj
    metadata = {**obj["metadata"]}
    metadata["annotations"] = {key: value for key, value in annotations.items() if key != TEMPLATE_GENERATION}
    if not metadata["annotations"]:
        del metadata["annotations"]
    return {**obj, "metadata": metadata}


def _row_object(obj: Object, options: ReadOptions) -> dict[str, Any]:
    match options.include_object:
        case "None":
            return {"object": None}
        case "Object":
            return {"object": obj}
    return {"object": {"kind": "PartialObjectMetadata", "apiVersion": _META, "metadata": obj["metadata"]}}
