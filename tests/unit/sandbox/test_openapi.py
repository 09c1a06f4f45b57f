"""OpenAPI documents: what Go clients ask for first, and what version 2 leaves out."""

from typing import Any

from syncline.sandbox.served import gnostic
from tests.unit.sandbox.driving import DEFINITIONS, Kube, definition, play

PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def words(schema: Any) -> set[str]:
    """Return the words of a schema, without the names of fields."""
    found = set(schema) - {"properties"}
    for part in (schema.get("properties") or {}).values():
        found |= words(part)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            found |= words(schema[key])
    return found


def test_the_document_of_version_two_is_whole_and_has_no_words_of_version_three() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        return await kube.get("/openapi/v2")

    told = play(story)
    assert "io.example.v1.Widget" in told["definitions"]
    assert references(told) <= {f"#/definitions/{name}" for name in told["definitions"]}
    found = set().union(*map(words, told["definitions"].values()))
    assert not found & {"anyOf", "oneOf", "not", "nullable", "allOf"}


def test_whoever_asks_for_protobuf_gets_it() -> None:
    async def story(kube: Kube) -> Any:
        response = await kube.ask("/openapi/v2", f"{PROTOBUF}, application/json")
        return response.headers["content-type"], await response.read()

    kind, content = play(story)
    assert kind == "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
    document = gnostic.message("Document")
    document.ParseFromString(content)
    names = {entry.name for entry in document.definitions.additional_properties}
    assert "io.k8s.api.apps.v1.Deployment" in names
