"""A CRD that fixes fields once they are set, changes to an object of it, and the API server's refusals."""

from __future__ import annotations

from typing import Any

SAME = {"rule": "self == oldSelf"}
SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "x-kubernetes-validations": [SAME]},
        "told": {"type": "string", "x-kubernetes-validations": [{**SAME, "message": "it stays"}]},
        "part": {
            "type": "object",
            "properties": {"x": {"type": "integer"}},
            "x-kubernetes-validations": [{**SAME, "message": "part cannot change"}],
        },
        "items": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "value": {
                        "type": "string",
                        "maxLength": 10,
                        "x-kubernetes-validations": [
                            {"rule": " self==oldSelf ", "message": "fixed", "reason": "FieldValueForbidden"}
                        ],
                    },
                },
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
        "map": {
            "type": "object",
            "maxProperties": 5,
            "additionalProperties": {"type": "string", "maxLength": 5, "x-kubernetes-validations": [SAME]},
        },
        "number": {"type": "integer", "default": 5, "x-kubernetes-validations": [SAME]},
        "loose": {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
    },
}
CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "fixeds.syncline-test.example"},
    "spec": {
        "group": "syncline-test.example",
        "scope": "Namespaced",
        "names": {"plural": "fixeds", "kind": "Fixed"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}},
            }
        ],
    },
}
OLD: dict[str, Any] = {
    "text": "1",
    "told": "1",
    "part": {"x": 1},
    "items": [{"name": "a", "value": "1"}],
    "map": {"k": "1"},
    "loose": "1",
}

REFUSALS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"text": "2"}, {"spec.text": 'Invalid value: "2": failed rule: self == oldSelf'}),
    ({"told": "2"}, {"spec.told": 'Invalid value: "2": it stays'}),
    ({"text": None, "part": None}, {}),
    ({"part": {"x": 2}}, {"spec.part": "Invalid value: part cannot change"}),
    ({"items": [{"name": "b", "value": "2"}]}, {}),
    (
        {"items": [{"name": "b", "value": "2"}, {"name": "a", "value": "2"}]},
        {"spec.items[1].value": "Forbidden: fixed"},
    ),
    ({"map": {"k": "2"}}, {"spec.map[k]": 'Invalid value: "2": failed rule: self == oldSelf'}),
    ({"map": {"k": "1", "l": "2"}}, {}),
    ({"number": 5}, {}),
    ({"number": 6}, {"spec.number": "Invalid value: 6: failed rule: self == oldSelf"}),
    ({"loose": "2"}, {}),
]

DUPLICATES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"tags": ["a", "b"]}, {}),
    ({"tags": ["a", "b", "a"]}, {"spec.tags[2]": 'Duplicate value: "a"'}),
    (
        {"items": [{"name": "1"}, {"name": "1"}, {"name": "2"}]},
        {"spec.items[1]": 'Duplicate value: {"name":"1"}'},
    ),
]


def fixed(spec: dict[str, Any]) -> dict[str, Any]:
    """Build a whole object."""
    return {"apiVersion": "syncline-test.example/v1", "kind": "Fixed", "metadata": {"name": "a"}, "spec": spec}
