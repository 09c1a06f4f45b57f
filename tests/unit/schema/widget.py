"""A CRD with one of everything a structural schema can say, and objects of it with what the API server stores.

The answers are those of kube-apiserver 1.37.1; tests/real/test_custom_schemas.py asks it again.
"""

from __future__ import annotations

from typing import Any

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "default": {"size": 3},
            "properties": {
                "size": {"type": "integer", "default": 1},
                "name": {"type": "string", "default": "x", "nullable": True},
                "color": {"type": "string", "default": "red", "enum": ["red", "green"]},
                "plain": {"type": "string", "pattern": "^[a-z]+$"},
                "port": {"x-kubernetes-int-or-string": True},
                "free": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": True,
                    "properties": {
                        "known": {"type": "object", "properties": {"a": {"type": "string", "default": "A"}}}
                    },
                },
                "closed": {"type": "object"},
                "labels": {"type": "object", "additionalProperties": {"type": "string", "default": "d"}},
                "texts": {"type": "object", "additionalProperties": {"type": "string"}},
                "anything": {
                    "type": "object",
                    "additionalProperties": {"x-kubernetes-preserve-unknown-fields": True},
                },
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "port": {"type": "integer", "default": 80}},
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                },
                "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "pod": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "properties": {"spec": {"type": "object", "properties": {"a": {"type": "integer"}}}},
                },
                "template": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                },
                "nullables": {"type": "array", "nullable": True, "items": {"type": "string", "nullable": True}},
                "deep": {
                    "type": "object",
                    "x-kubernetes-map-type": "atomic",
                    "properties": {
                        "inner": {
                            "type": "object",
                            "default": {},
                            "properties": {"on": {"type": "boolean", "default": True}},
                        }
                    },
                },
                "amount": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            },
        },
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}

CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.syncline-test.example"},
    "spec": {
        "group": "syncline-test.example",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}},
        ],
    },
}

FILLED = {"size": 1, "name": "x", "color": "red"}
POD_META = {"apiVersion": "v1", "kind": "Pod"}

ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a default is itself filled in": ({}, {"spec": {"size": 3, "name": "x", "color": "red"}}),
    "an empty object is filled in": ({"spec": {}}, {"spec": FILLED}),
    "a null object takes its default": ({"spec": None}, {"spec": {"size": 3, "name": "x", "color": "red"}}),
    "nulls take defaults, go, or stay where nullable": (
        {"spec": {"size": None, "name": None, "color": None, "plain": None, "port": None}},
        {"spec": {**FILLED, "name": None}},
    ),
    "unknown fields go, except where they are preserved": (
        {"spec": {"unknown": 1, "free": {"x": {"y": [{"z": 1}]}, "known": {"b": 1}}, "closed": {"a": 1}}, "more": 1},
        {"spec": {**FILLED, "free": {"x": {"y": [{"z": 1}]}, "known": {"a": "A"}}, "closed": {}}},
    ),
    "nulls in maps take the default of the values": (
        {"spec": {"labels": {"a": "b", "c": None}}},
        {"spec": {**FILLED, "labels": {"a": "b", "c": "d"}}},
    ),
    "nulls in maps without such a default go": (
        {"spec": {"texts": {"a": "b", "c": None}, "anything": {"x": {"y": 1}, "n": None}}},
        {"spec": {**FILLED, "texts": {"a": "b"}, "anything": {"x": {"y": 1}}}},
    ),
    "nulls in preserved places stay": (
        {"spec": {"free": {"x": None}}, "status": {"a": None}},
        {"spec": {**FILLED, "free": {"x": None}}, "status": {"a": None}},
    ),
    "items of lists are pruned and filled in": (
        {"spec": {"items": [{"name": "1", "bad": 2}, {"name": "2", "port": None}]}},
        {"spec": {**FILLED, "items": [{"name": "1", "port": 80}, {"name": "2", "port": 80}]}},
    ),
    "embedded resources keep their own metadata": (
        {"spec": {"pod": {**POD_META, "metadata": {"name": "a", "nope": 1}, "spec": {"a": 1, "b": 2}, "status": {}}}},
        {"spec": {**FILLED, "pod": {**POD_META, "metadata": {"name": "a"}, "spec": {"a": 1}}}},
    ),
    "preserved embedded resources lose unknown metadata only": (
        {"spec": {"template": {**POD_META, "metadata": {"name": "x", "bad": 1}, "spec": {"containers": []}}}},
        {"spec": {**FILLED, "template": {**POD_META, "metadata": {"name": "x"}, "spec": {"containers": []}}}},
    ),
    "a nullable list may be null": ({"spec": {"nullables": None}}, {"spec": {**FILLED, "nullables": None}}),
    "nullable items may be null": (
        {"spec": {"nullables": [None, "a"]}},
        {"spec": {**FILLED, "nullables": [None, "a"]}},
    ),
    "defaults below a default are filled in": (
        {"spec": {"deep": {}}},
        {"spec": {**FILLED, "deep": {"inner": {"on": True}}}},
    ),
    "a null object below takes its default": (
        {"spec": {"deep": {"inner": None}}},
        {"spec": {**FILLED, "deep": {"inner": {"on": True}}}},
    ),
}


def widget(content: dict[str, Any]) -> dict[str, Any]:
    """Build a whole object."""
    return {"apiVersion": "syncline-test.example/v1", "kind": "Widget", "metadata": {"name": "a"}, **content}
