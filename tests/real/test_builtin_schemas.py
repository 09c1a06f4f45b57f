"""Our schemas and API names of built-in kinds, compared with what the API server publishes of itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from syncline.apimachinery.keys import GroupVersionKind
from syncline.apimachinery.schema import builtin, definitions
from syncline.apimachinery.schema.node import ANY, UNSET, Node
from tests.real import api as client

pytestmark = pytest.mark.real

# Published as a plain string or object; the server's structured merge treats them otherwise.
SPECIAL = {definitions.QUANTITY, definitions.INT_OR_STRING, definitions.RAW_EXTENSION}


@pytest.fixture(scope="module")
def published(api: client.Api) -> dict[str, Any]:
    """Every definition of the server's OpenAPI v3."""
    found: dict[str, Any] = {}
    for group in api.ok("GET", "/openapi/v3")["paths"].values():
        found.update(api.ok("GET", group["serverRelativeURL"]).get("components", {}).get("schemas", {}))
    return found


@pytest.fixture(scope="module")
def minor(api: client.Api) -> str:
    version = api.ok("GET", "/version")
    return f"{version['major']}.{version['minor'].rstrip('+')}"


def reference(schema: dict[str, Any]) -> str:
    parts = [schema, *schema.get("allOf", [])]
    return next((part["$ref"].rpartition("/")[2] for part in parts if "$ref" in part), "")


def list_words(schema: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Work out list type and keys as the server's structured merge does."""
    kind = schema.get("x-kubernetes-list-type")
    if kind is None and "merge" in schema.get("x-kubernetes-patch-strategy", "").split(","):
        kind = "map" if "x-kubernetes-patch-merge-key" in schema else "set"
    keys = schema.get("x-kubernetes-list-map-keys") or [schema.get("x-kubernetes-patch-merge-key")]
    return kind or "atomic", tuple(keys) if kind == "map" else ()


def said(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a published property says, in the words of a node."""
    words: dict[str, Any] = {
        "merge_key": schema.get("x-kubernetes-patch-merge-key", ""),
        "patch_strategies": tuple(filter(None, schema.get("x-kubernetes-patch-strategy", "").split(","))),
        "enum": sorted(schema.get("enum", [])),
    }
    if schema.get("type") == "array":
        words["list_type"], words["list_keys"] = list_words(schema)
    if schema.get("default") not in (None, "", 0, False, {}):
        words["default"] = schema["default"]
    if "type" in schema:
        words["type"] = schema["type"]
    return words


def known(node: Node, words: dict[str, Any]) -> dict[str, Any]:
    """Return what our node says, of the same words."""
    found = {word: getattr(node, word) for word in words if word != "enum"}
    found["enum"] = sorted(node.source.get("enum", []))
    if found.get("default") is UNSET:
        del found["default"]
    return found


def differences(name: str, published: dict[str, Any], node: Node, seen: set[str]) -> Iterator[str]:
    if name in seen or name in SPECIAL:
        return
    seen.add(name)
    schema = published[name]
    if set(schema.get("properties", {})) != set(node.fields):
        yield f"{name}: fields {sorted(set(schema.get('properties', {})) ^ set(node.fields))}"
    if schema.get("x-kubernetes-map-type", "granular") != node.map_type:
        yield f"{name}: map type {node.map_type}"
    if tuple(schema.get("required", ())) != node.required:
        yield f"{name}: required {node.required}"
    for field, member in schema.get("properties", {}).items():
        inner = node.fields.get(field, ANY)
        words = said(member)
        if words != known(inner, words):
            yield f"{name}.{field}: published {words}, known {known(inner, words)}"
        items = member.get("items") or member.get("additionalProperties")
        target = reference(items if isinstance(items, dict) else member)
        if target:
            yield from differences(target, published, (inner.elements or ANY) if items else inner, seen)


def test_schemas_are_those_the_server_publishes(published: dict[str, Any], minor: str) -> None:
    found: list[str] = []
    compared = 0
    seen: set[str] = set()
    for name, schema in published.items():
        for kind in schema.get("x-kubernetes-group-version-kind", []):
            node = builtin.for_kind(GroupVersionKind(kind["group"], kind["version"], kind["kind"]), minor)
            if node is None:
                continue
            compared += 1
            found.extend(differences(name, published, node, seen))
    assert compared > 100
    assert found == []


def test_names_and_scope_are_those_of_discovery(api: client.Api, minor: str) -> None:
    served = builtin.kinds(minor)
    groups = [("", "v1", "/api/v1")]
    for group in api.ok("GET", "/apis")["groups"]:
        groups += [(group["name"], entry["version"], f"/apis/{entry['groupVersion']}") for entry in group["versions"]]
    compared = 0
    for group_name, version, path in groups:
        for resource in api.ok("GET", path)["resources"]:
            gvk = GroupVersionKind(group_name, version, resource["kind"])
            if "/" in resource["name"] or gvk not in served:
                continue
            compared += 1
            ours = served[gvk]
            assert (ours.plural, ours.singular, ours.namespaced) == (
                resource["name"],
                resource["singularName"],
                resource["namespaced"],
            )
            assert list(ours.short_names) == resource.get("shortNames", [])
            assert sorted(ours.verbs) == sorted(resource["verbs"])
            assert list(ours.categories) == resource.get("categories", [])
    assert compared > 50
