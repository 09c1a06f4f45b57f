"""Describes all routes as an OpenAPI document, from the table and the types of bodies and answers.

Served at `/openapi.json` and `/swagger.json`; `tools` writes it into the reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from syncline.server.answers.kinds import OneOf, Redirect, Stream, Text, types_of
from syncline.server.requests.permissions import Chosen, Filtered, Open, SignedIn, needs_of
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
_STREAM_ERROR: dict[str, Any] = {
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
    bodies = {one.body for one in known if one.body not in (None, dict, str)}
    typed = bodies | {kind for one in known for kind in types_of(one.answer)}
    ordered = tuple(sorted(typed, key=lambda kind: str(kind.__name__)))
    schemas, components = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    by_type = dict(zip(ordered, schemas, strict=True))
    for component in components.values():
        # Members may be added to answers: clients must not refuse what they do not know.
        component.pop("additionalProperties", None)
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
    failed = "StreamError" if one.stream else "Error"
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
            **_answer(one.answer, by_type),
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
    found["x-permissions"] = _permissions(one)
    return found


def _answer(answer: Any, by_type: dict[Any, Any]) -> dict[str, Any]:
    if isinstance(answer, Redirect):
        return {"303": {"description": "The browser is sent on."}}
    if isinstance(answer, Text):
        return {"200": {"description": "Done.", "content": {answer.media: {"schema": {"type": "string"}}}}}
    schema = _schema(answer, by_type)
    described = str(schema.get("description") or "Done.")
    return {"200": {"description": described, "content": {"application/json": {"schema": schema}}}}


def _schema(answer: Any, by_type: dict[Any, Any]) -> dict[str, Any]:
    if isinstance(answer, Stream):
        of_line = {"result": _schema(answer.of, by_type), "error": _STREAM_ERROR["properties"]["error"]}
        return {"description": "Lines, each a result or an error.", "type": "object", "properties": of_line}
    if isinstance(answer, OneOf):
        return {"anyOf": [by_type[kind] for kind in answer.types]}
    found: dict[str, Any] = by_type[answer]
    return found


def _permissions(one: Endpoint) -> list[dict[str, str]]:
    """Return what a caller needs, as docs/reference/permissions.md has it."""
    permission = one.permission
    if isinstance(permission, Open | SignedIn):
        return [{"needs": "nothing" if one.open else "a session", "why": permission.why}]
    if isinstance(permission, Filtered):
        found = [{"resource": permission.resource, "verb": permission.verb, "of": "each row", "rows": permission.rows}]
    else:
        found = [
            {"resource": need.resource, "verb": _verb(verb), "of": need.of.shown, "remark": need.remark}
            for need in needs_of(permission)
            for verb in need.each
        ]
    return found + [{"resource": also.resource, "verb": also.verb, "remark": also.remark} for also in one.also]


def _verb(verb: str | Chosen) -> str:
    return " or ".join(verb.shown) if isinstance(verb, Chosen) else verb


def _query(one: Query) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": one.type}
    if one.many:
        schema = {"type": "array", "items": schema}
    found = {"name": one.name, "in": "query", "schema": schema}
    return {**found, "description": one.about} if one.about else found
