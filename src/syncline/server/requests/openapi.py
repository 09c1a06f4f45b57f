"""Describes all routes as an OpenAPI document, from the table and the types of bodies.

Served at `/openapi.json` and `/swagger.json`; `tools` writes it into the reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from syncline.server.requests.routing import Endpoint, Query

_CONVERTER = re.compile(r"\{(\w+):\w+\}")
_PARAMETER = re.compile(r"\{(\w+)\}")
_ERROR = {
    "type": "object",
    "required": ["error", "code", "message"],
    "properties": {
        "error": {"type": "string"},
        "code": {"type": "integer"},
        "message": {"type": "string"},
        "hint": {"type": "string"},
    },
}
_STREAM_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["grpc_code", "http_code", "message"],
            "properties": {
                "grpc_code": {"type": "integer"},
                "http_code": {"type": "integer"},
                "message": {"type": "string"},
                "http_status": {"type": "string"},
            },
        },
        "code": {"type": "integer"},
        "message": {"type": "string"},
        "hint": {"type": "string"},
    },
}


def document(endpoints: Iterable[Endpoint], version: str) -> dict[str, Any]:
    """Return the OpenAPI document of endpoints."""
    paths: dict[str, dict[str, Any]] = {}
    known = tuple(endpoints)
    typed = tuple({one.body for one in known if one.body not in (None, dict, str)})
    ordered = tuple(sorted(typed, key=lambda kind: str(kind.__name__)))
    schemas, components = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    by_type = dict(zip(ordered, schemas, strict=True))
    for one in known:
        path = _CONVERTER.sub(r"{\1}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = _operation(one, path, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Syncline",
            "version": version,
            "description": "Argo CD's API, and what only Syncline knows, under /api/v1/syncline and applications.",
        },
        "paths": paths,
        "components": {
            "schemas": {**components, "Error": _ERROR, "StreamError": _STREAM_ERROR},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "argocd.token"},
            },
        },
        "security": [{"bearer": []}, {"cookie": []}],
    }


def _operation(one: Endpoint, path: str, by_type: dict[Any, Any]) -> dict[str, Any]:
    kind = "application/json" if one.answer == "object" else one.answer
    failed = "StreamError" if one.stream else "Error"
    schema: dict[str, Any] = {"type": "object"} if one.answer == "object" else {"type": "string"}
    found: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.about,
        "tags": [one.tag],
        "parameters": [
            *(
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in _PARAMETER.findall(path)
            ),
            *map(_query, one.query),
        ],
        "responses": {
            "200": {"description": "Done.", "content": {kind: {"schema": schema}}},
            "default": {
                "description": "It did not work, and why.",
                "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{failed}"}}},
            },
        },
    }
    if one.body is not None:
        plain = {dict: {"type": "object"}, str: {"type": "string"}}
        wanted = plain[one.body] if one.body in plain else by_type[one.body]
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": wanted}}}
    if one.open:
        found["security"] = []
    return found


def _query(one: Query) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": one.type}
    if one.many:
        schema = {"type": "array", "items": schema}
    found = {"name": one.name, "in": "query", "schema": schema}
    return {**found, "description": one.about} if one.about else found
