"""OpenAPI documents, version 2 and 3, as far as kubectl needs them.

Called by `syncline.sandbox.server` for /openapi paths. Built from the packed definitions of the built-in kinds and from
the schemas of custom ones, one group version at a time, when somebody asks; descriptions are not kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import definitions
from syncline.sandbox import errors
from syncline.sandbox.api import answers
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.served.resources import Resource, ServedKinds

_GVK: Final = "x-kubernetes-group-version-kind"
_V3_PREFIX: Final = "#/components/schemas/"
_V2_PREFIX: Final = "#/definitions/"
# The first is what clients ask for, the second what servers call their answer.
_PROTOBUF: Final = (
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
)
# Words of version 3 that version 2 does not have, and those that servers leave out of it.
_NOT_IN_V2: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "nullable", "default"})
_OBJECT_META: Final = definitions.OBJECT_META
_PARAMETERS: Final = ("dryRun", "fieldManager", "fieldValidation", "force", "pretty")


class OpenApi:
    """The OpenAPI documents of one sandbox."""

    def __init__(self, registry: ServedKinds, version: str) -> None:
        self._registry = registry
        self._version = version
        self._made: dict[str, bytes] = {}
        self._made_for = -1

    def answer(self, path: str, accept: str) -> ServerResponse:
        """Answer a request below /openapi."""
        if self._made_for != self._registry.generation:
            self._made.clear()
            self._made_for = self._registry.generation
        if path == "/openapi/v3":
            return answers.json(self._index())
        if path == "/openapi/v2":
            return self._second(accept)
        group_version = path.removeprefix("/openapi/v3/")
        found = self._group_versions().get(group_version)
        if found is None:
            return ServerResponse(404, content_type="")
        return ServerResponse(200, self._cached(path, found))

    def _second(self, accept: str) -> ServerResponse:
        """Answer with the document of version 2, in the first form that the client asks for and we have."""
        for media in (part.split(";")[0].strip() for part in (accept or answers.JSON).split(",")):
            if media in (answers.JSON, "application/*", "*/*"):
                return ServerResponse(200, self._cached("/openapi/v2", None))
            if media in _PROTOBUF:
                return ServerResponse(200, self._protobuf(), content_type=_PROTOBUF[-1])
        raise errors.not_acceptable()

    def _protobuf(self) -> bytes:
        made = self._made.get(_PROTOBUF[0])
        if made is None:
            # Most clients never ask for it, and the library takes time to load.
            from syncline.sandbox.served import gnostic

            document = orjson.loads(self._cached("/openapi/v2", None))
            made = self._made[_PROTOBUF[0]] = gnostic.encode(document)
        return made

    def _group_versions(self) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = {}
        for resource in self._registry.all():
            prefix = "apis" if resource.group else "api"
            found.setdefault(f"{prefix}/{resource.gvk.api_version}", []).append(resource)
        return found

    def _index(self) -> Object:
        paths = {
            name: {"serverRelativeURL": f"/openapi/v3/{name}?hash={self._hash(found)}"}
            for name, found in sorted(self._group_versions().items())
        }
        return {"paths": paths}

    def _hash(self, resources: Iterable[Resource]) -> str:
        digest = hashlib.sha256(self._version.encode())
        for resource in resources:
            schema = resource.custom.schema if resource.custom is not None else {}
            digest.update(f"{resource.gvk}{resource.plural}".encode() + orjson.dumps(schema))
        return digest.hexdigest().upper()

    def _cached(self, path: str, resources: list[Resource] | None) -> bytes:
        made = self._made.get(path)
        if made is None:
            prefix = _V2_PREFIX if resources is None else _V3_PREFIX
            chosen = list(self._registry.all()) if resources is None else resources
            schemas = _schemas(chosen, prefix)
            paths = {path: item for resource in chosen for path, item in _paths(resource, prefix)}
            about = {"title": "Kubernetes", "version": self._version}
            document: Object = {"info": about, "paths": paths}
            if resources is None:
                document = {"swagger": "2.0", **document, "definitions": schemas}
            else:
                document = {"openapi": "3.0.0", **document, "components": {"schemas": schemas}}
            made = self._made[path] = orjson.dumps(document)
        return made


def _schemas(resources: Iterable[Resource], prefix: str) -> dict[str, Any]:
    known = definitions.of_version(None)
    schemas: dict[str, Any] = {}
    open_names: list[str] = [_OBJECT_META]
    for resource in resources:
        if resource.custom is not None:
            schemas[_name(resource)] = _custom_schema(resource, prefix)
        else:
            open_names.append(known.names_by_kind[resource.gvk])
    kinds: dict[str, list[dict[str, str]]] = {}
    for gvk, name in known.names_by_kind.items():
        kinds.setdefault(name, []).append({"group": gvk.group, "version": gvk.version, "kind": gvk.kind})
    while open_names:
        name = open_names.pop()
        if name in schemas:
            continue
        schemas[name] = _referring(known.body(name), prefix, open_names)
        if name in kinds:
            schemas[name][_GVK] = kinds[name]
    return dict(sorted(schemas.items()))


def _referring(schema: Any, prefix: str, names: list[str]) -> Any:
    """Return a schema with its bare references as JSON pointers; collects what it refers to."""
    if isinstance(schema, Mapping):
        name = schema.get("$ref")
        if isinstance(name, str):
            names.append(name)
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            pointer = {"$ref": prefix + name}
            return {**rest, "allOf": [pointer]} if rest and prefix == _V3_PREFIX else {**rest, **pointer}
        return {key: _referring(value, prefix, names) for key, value in schema.items()}
    if isinstance(schema, list):
        return [_referring(item, prefix, names) for item in schema]
    return schema


def _name(resource: Resource) -> str:
    reversed_group = ".".join(reversed(resource.group.split(".")))
    return f"{reversed_group}.{resource.gvk.version}.{resource.kind}"


def _custom_schema(resource: Resource, prefix: str) -> dict[str, Any]:
    schema = dict(resource.custom.schema) if resource.custom is not None else {}
    if prefix == _V2_PREFIX:
        schema = _second_schema(schema)
    reference: dict[str, Any] = {"$ref": prefix + _OBJECT_META}
    properties = {
        **(schema.get("properties") or {}),
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"allOf": [reference]} if prefix == _V3_PREFIX else reference,
    }
    gvk = {"group": resource.group, "version": resource.gvk.version, "kind": resource.kind}
    return {**schema, "type": "object", "properties": properties, _GVK: [gvk]}


def _second_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a custom schema as servers tell it in version 2: what may be null or anything has no type there."""
    left = set(_NOT_IN_V2)
    if schema.get("nullable") or schema.get("x-kubernetes-preserve-unknown-fields"):
        left |= {"type", "items", "properties"}
    found = {key: value for key, value in schema.items() if key not in left}
    if "properties" in found:
        found["properties"] = {name: _second_schema(value) for name, value in found["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(found.get(key), Mapping):
            found[key] = _second_schema(found[key])
    return found


def _paths(resource: Resource, prefix: str) -> Iterable[tuple[str, Any]]:
    group, version = resource.group, resource.gvk.version
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    scope = f"{root}/namespaces/{{namespace}}" if resource.namespaced else root
    gvk = {"group": group, "version": version, "kind": resource.kind}
    known = definitions.of_version(None)
    name = _name(resource) if resource.custom is not None else known.names_by_kind[resource.gvk]
    schema = {"$ref": prefix + name}
    content = {"application/json": {"schema": schema}} if prefix == _V3_PREFIX else {}
    ok: dict[str, Any] = {"description": "OK", **({"content": content} if content else {"schema": schema})}
    parameters = [_parameter(word, prefix) for word in _PARAMETERS]
    actions = {"get": "get", "put": "put", "patch": "patch", "delete": "delete"}
    item = {
        method: {"parameters": parameters, "responses": {"200": ok}, "x-kubernetes-action": action, _GVK: gvk}
        for method, action in actions.items()
    }
    post = {"parameters": parameters, "responses": {"201": ok}, "x-kubernetes-action": "post", _GVK: gvk}
    if resource.verbs != ("create",):
        yield f"{scope}/{resource.plural}/{{name}}", item
    yield f"{scope}/{resource.plural}", {"post": post}


def _parameter(name: str, prefix: str) -> dict[str, Any]:
    kind = "boolean" if name == "force" else "string"
    typed: dict[str, Any] = {"schema": {"type": kind}} if prefix == _V3_PREFIX else {"type": kind}
    return {"name": name, "in": "query", **typed}
