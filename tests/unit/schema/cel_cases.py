"""A CRD with CEL rules of every sort, and objects that keep and break them.

The answers of kube-apiserver 1.37.1 are in cel_recorded.json; tests/real/test_cel.py asks it again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def field(schema: dict[str, Any], *rules: dict[str, Any] | str) -> dict[str, Any]:
    """A field's schema with rules; a text is a rule without a message."""
    return {**schema, "x-kubernetes-validations": [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]}


def texts(**more: Any) -> dict[str, Any]:
    return {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 20}, **more}


SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "least": NUMBER,
        "most": NUMBER,
        "replicas": field(
            NUMBER, {"rule": "self >= 0", "message": "may not be negative"}, "self % 2 == 0 || self < 100"
        ),
        "share": field({"type": "number"}, "self <= 1.0", "self * 2.0 < 3.0"),
        "name": field(
            {"type": "string", "maxLength": 30},
            {"rule": "self.matches('^[a-z]+$')", "messageExpression": "'bad name ' + self"},
            {"rule": "self != 'forbidden'", "reason": "FieldValueForbidden", "message": "not this one"},
            {"rule": "self.size() > 1", "reason": "FieldValueRequired", "message": "two letters at least"},
            {"rule": "self != 'double'", "reason": "FieldValueDuplicate", "message": "taken"},
            {"rule": "self != 'invalid'", "reason": "FieldValueInvalid", "message": "no"},
            {"rule": "self.lowerAscii() == self"},
            {"rule": "self.startsWith('x') ? self.endsWith('y') : true"},
        ),
        "fixed": field({"type": "string"}, {"rule": "self == oldSelf", "message": "is fixed"}),
        "grows": field(NUMBER, {"rule": "self >= oldSelf", "message": "may only grow"}),
        "once": field(
            {"type": "string"},
            {"rule": "oldSelf.hasValue() || self == 'new'", "optionalOldSelf": True, "message": "must begin as new"},
            {"rule": "!oldSelf.hasValue() || oldSelf.value() != 'end'", "optionalOldSelf": True},
        ),
        "tags": field(
            texts(),
            "self.all(t, t.size() > 0)",
            {"rule": "self.isSorted()", "message": "must be sorted"},
            "self.exists(t, t == 'must') || self.size() < 3",
            "self.exists_one(t, t == 'one') || !('one' in self)",
            "self.filter(t, t.startsWith('a')).size() <= 2",
            "self.map(t, t.size()).sum() < 40",
        ),
        "sizes": field({"type": "array", "maxItems": 10, "items": NUMBER}, "self.sum() < 100", "self.max() < 60"),
        "ports": {
            "type": "array",
            "maxItems": 5,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": field(
                {
                    "type": "object",
                    "required": ["name"],
                    "properties": {
                        "name": {"type": "string", "maxLength": 10},
                        "port": field(NUMBER, {"rule": "self == oldSelf", "message": "a port stays"}),
                        "protocol": TEXT,
                    },
                },
                {"rule": "has(self.port) || has(self.protocol)", "message": "needs a port or a protocol"},
                {"rule": "!has(self.port) || self.port > 0", "fieldPath": ".port", "message": "must be positive"},
            ),
        },
        "limits": field(
            {
                "type": "object",
                "maxProperties": 5,
                "additionalProperties": field({**NUMBER, "maximum": 1000}, {"rule": "self > 0", "message": "none"}),
            },
            "self.all(key, key.size() < 8)",
            "!('cpu' in self) || self['cpu'] < 50",
        ),
        "odd": field(
            {"type": "object", "properties": {"a-b": TEXT, "c.d": TEXT, "namespace": TEXT, "e__f": TEXT}},
            "!has(self.a__dash__b) || self.a__dash__b == 'x'",
            "!has(self.c__dot__d) || self.c__dot__d == 'x'",
            "!has(self.__namespace__) || self.__namespace__ == 'x'",
            "!has(self.e__underscores__f) || self.e__underscores__f == 'x'",
        ),
        "either": field({"x-kubernetes-int-or-string": True}, "type(self) == int ? self < 10 : self == 'auto'"),
        "maybe": field({"type": "object", "properties": {"x": NUMBER}}, "self.x > 1", "self.?x.orValue(5) != 5"),
        "first": field(texts(), "self[0] == 'a'"),
        "divided": field(NUMBER, "10 / self > 1"),
        "secret": field({"type": "string", "format": "byte"}, "size(self) == 3"),
    },
    "x-kubernetes-validations": [
        {"rule": "!has(self.least) || !has(self.most) || self.least <= self.most", "message": "least exceeds most"},
        {
            "rule": "!has(self.least) || self.least < 50",
            "messageExpression": "'least is %d'.format([self.least])",
            "fieldPath": ".least",
        },
        {"rule": "(has(self.most) ? self.most : 0) < 1000"},
        {"rule": "!has(oldSelf.most) || has(self.most)", "message": "most may not go"},
    ],
}

CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "rulers.syncline-test.example"},
    "spec": {
        "group": "syncline-test.example",
        "scope": "Namespaced",
        "names": {"plural": "rulers", "kind": "Ruler"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": SPEC},
                        "x-kubernetes-validations": [
                            {"rule": "self.metadata.name != 'evil'", "message": "not that name"},
                        ],
                    }
                },
            },
        ],
    },
}

CREATED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "all is well": {
        "least": 1, "most": 2, "replicas": 4, "share": 0.5, "name": "web", "fixed": "a", "grows": 1, "once": "new",
        "tags": ["a", "b"], "sizes": [1, 2], "ports": [{"name": "a", "port": 1}], "limits": {"cpu": 10},
        "odd": {"a-b": "x", "c.d": "x", "namespace": "x", "e__f": "x"}, "either": 5, "maybe": {"x": 7}, "first": ["a"],
        "divided": 2, "secret": "YWJj",
    },
    "least above most": {"least": 3, "most": 2},
    "least too big, told at the field": {"least": 77, "most": 100},
    "most too big": {"most": 1000},
    "negative replicas": {"replicas": -2},
    "odd and many": {"replicas": 101},
    "a share written without a fraction": {"share": 1},
    "a share too big": {"share": 2},
    "a share that breaks one rule": {"share": 1.2},
    "a name with digits": {"name": "web1"},
    "a forbidden name": {"name": "forbidden"},
    "a short name": {"name": "w"},
    "a double name": {"name": "double"},
    "an invalid name": {"name": "invalid"},
    "capitals break two rules": {"name": "Web"},
    "x without y": {"name": "xa"},
    "x with y": {"name": "xy"},
    "not new": {"once": "old"},
    "an empty tag": {"tags": ["", "b"]},
    "tags out of order": {"tags": ["b", "a"]},
    "three tags without the one": {"tags": ["a", "b", "c"]},
    "one twice": {"tags": ["must", "one", "one"]},
    "many a": {"tags": ["a", "ab", "abc", "must"]},
    "long tags": {"tags": ["aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb"]},
    "sizes too big": {"sizes": [50, 55]},
    "a size too big": {"sizes": [60]},
    "a port without anything": {"ports": [{"name": "a", "port": 1}, {"name": "b"}]},
    "a port of zero, told at the field": {"ports": [{"name": "a", "port": 0}]},
    "a limit of zero": {"limits": {"cpu": 0}},
    "a long limit": {"limits": {"verylongname": 5}},
    "much cpu": {"limits": {"cpu": 50, "memory": 900}},
    "a dash": {"odd": {"a-b": "y"}},
    "a dot": {"odd": {"c.d": "y"}},
    "a reserved word": {"odd": {"namespace": "y"}},
    "underscores": {"odd": {"e__f": "y"}},
    "a number that is too big": {"either": 10},
    "the text": {"either": "auto"},
    "another text": {"either": "manual"},
    "a key that is absent": {"maybe": {}},
    "a key that is there": {"maybe": {"x": 1}},
    "an index out of bounds": {"first": []},
    "another first": {"first": ["b"]},
    "a division by zero": {"divided": 0},
    "a division that is too small": {"divided": 9},
    "four bytes": {"secret": "YWJjZA=="},
}  # fmt: skip

UPDATED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing changes": ({"fixed": "a", "grows": 2}, {"fixed": "a", "grows": 2}),
    "a fixed field changes": ({"fixed": "a"}, {"fixed": "b"}),
    "a fixed field goes": ({"fixed": "a"}, {}),
    "a fixed field comes": ({}, {"fixed": "a"}),
    "it grows": ({"grows": 2}, {"grows": 3}),
    "it shrinks": ({"grows": 2}, {"grows": 1}),
    "once was new": ({"once": "new"}, {"once": "later"}),
    "after the end": ({"once": "new"}, {"once": "end"}),
    "most goes": ({"most": 2}, {"least": 1}),
    "a port changes": ({"ports": [{"name": "a", "port": 1}]}, {"ports": [{"name": "a", "port": 2}]}),
    "a port moves": (
        {"ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2}]},
        {"ports": [{"name": "b", "port": 2}, {"name": "a", "port": 1}]},
    ),
    "another port": ({"ports": [{"name": "a", "port": 1}]}, {"ports": [{"name": "c", "port": 9}]}),
    "two at once": ({"fixed": "a", "grows": 5}, {"fixed": "b", "grows": 4, "name": "web1"}),
}

RECORDED: dict[str, list[list[str]]] = json.loads(
    Path(__file__).with_name("cel_recorded.json").read_text(encoding="utf-8")
)
"""Per case: field and message of every cause, sorted."""


def ruler(spec: dict[str, Any], name: str = "a") -> dict[str, Any]:
    return {"apiVersion": "syncline-test.example/v1", "kind": "Ruler", "metadata": {"name": name}, "spec": spec}
