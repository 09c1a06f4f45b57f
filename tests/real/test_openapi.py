"""OpenAPI of version 2: the sandbox's protobuf form and its custom schemas, against the real server."""

import http.client
import json
import ssl
import time
from typing import Any

import yaml

from syncline.sandbox.served import gnostic
from tests.real.api import Api
from tests.unit.sandbox.driving import DEFINITIONS, Kube, play

PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
ANSWER = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
PROPERTIES: dict[str, Any] = {
    "count": {"type": "integer", "format": "int32", "minimum": 1, "exclusiveMinimum": True, "default": 2},
    "text": {"type": "string", "nullable": True, "enum": ["a", "b"], "pattern": "^a"},
    "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
    "anything": {"x-kubernetes-preserve-unknown-fields": True},
    "open": {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"inner": {"type": "string"}},
    },
    "maybe": {"type": "object", "nullable": True, "properties": {"inner": {"type": "string"}}},
    "maybeList": {"type": "array", "nullable": True, "items": {"type": "string"}},
    "maybeMap": {"type": "object", "nullable": True, "additionalProperties": {"type": "string"}},
    "embedded": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "list": {
        "type": "array",
        "maxItems": 9,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string", "maxLength": 9}, "size": {"type": "number", "default": 1.5}},
        },
    },
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
    "flag": {"type": "boolean", "not": {"enum": [False]}},
}
SPEC = {
    "type": "object",
    "required": ["count"],
    "minProperties": 1,
    "anyOf": [{"required": ["count"]}, {"required": ["text"]}],
    "x-kubernetes-validations": [{"rule": "self.count > 0"}],
    "properties": PROPERTIES,
}
SCHEMA = {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {"spec": SPEC}}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.openapi.example.com"},
    "spec": {
        "group": "openapi.example.com",
        "scope": "Namespaced",
        "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": SCHEMA}],
    },
}
NAME = "com.example.openapi.v1.Gadget"


def fetched(api: Api, accept: str) -> tuple[int, str, bytes]:
    where = api.cluster.address.removeprefix("https://")
    context = ssl.create_default_context(cafile=api.cluster.ca_path)
    connection = http.client.HTTPSConnection(where, context=context, timeout=120)
    headers = {"Accept": accept, "Authorization": f"Bearer {api.cluster.tokens['admin']}"}
    connection.request("GET", "/openapi/v2", headers=headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, response.headers.get("content-type") or "", content


def plain(message: Any) -> Any:
    """Return a message as values, with the texts that are YAML read."""
    found: dict[str, Any] = {}
    for field, value in message.ListFields():
        if field.name == "yaml":
            found[field.name] = yaml.safe_load(value)
        elif field.message_type is None:
            found[field.name] = list(value) if field.is_repeated else value
        elif field.is_repeated:
            parts = [plain(part) for part in value]
            named = parts and "name" in parts[0] and "value" in parts[0]
            # Maps have no order.
            found[field.name] = sorted(parts, key=lambda one: str(one["name"])) if named else parts
        else:
            found[field.name] = plain(value)
    return found


def test_a_document_is_encoded_as_the_real_server_encodes_it(api: Api) -> None:
    while True:
        (_, _, before), (status, kind, encoded), (_, _, after) = (
            fetched(api, accept) for accept in ("application/json", PROTOBUF, "application/json")
        )
        # Other tests define kinds meanwhile.
        if before == after:
            break
    assert (status, kind) == (200, ANSWER)
    theirs, ours = gnostic.message("Document"), gnostic.message("Document")
    theirs.ParseFromString(encoded)
    ours.ParseFromString(gnostic.encode(json.loads(before)))
    assert len(theirs.definitions.additional_properties) > 500
    for part in ("info", "paths", "definitions"):
        assert plain(getattr(ours, part)) == plain(getattr(theirs, part)), part


def test_a_custom_schema_is_told_as_the_real_server_tells_it(api: Api) -> None:
    api.ok("POST", DEFINITIONS, DEFINITION)
    deadline = time.monotonic() + 120
    while NAME not in (told := json.loads(fetched(api, "application/json")[2])["definitions"]):
        assert time.monotonic() < deadline, "the real server never told of the kind"
        time.sleep(0.5)

    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, DEFINITION)
        await kube.sandbox.settled()
        return await kube.get("/openapi/v2")

    ours = play(story)["definitions"][NAME]
    assert without_descriptions(ours) == without_descriptions(told[NAME])


def without_descriptions(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: without_descriptions(value) for key, value in schema.items() if key != "description"}
    return schema


def test_what_can_be_asked_for(api: Api) -> None:
    asked = ("", "*/*", "application/json;as=x", PROTOBUF, ANSWER, f"text/html, {PROTOBUF}", "application/yaml")

    async def story(kube: Kube) -> list[tuple[int, str]]:
        found = []
        for accept in asked:
            response = await kube.ask("/openapi/v2", accept)
            found.append((response.status, response.headers["content-type"] if response.status == 200 else ""))
        return found

    theirs = [(status, kind if status == 200 else "") for status, kind, _ in (fetched(api, one) for one in asked)]
    assert play(story) == theirs
