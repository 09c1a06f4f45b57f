"""Stories about CEL rules in definitions: what they refuse, what about changes, and which rules are taken at all."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.custom import DEFINITIONS, definition
from tests.contract.steps import Story, apply, delete, get, merge, post, typed

GADGETS = "/apis/trial.example.io/v1/namespaces/trial/gadgets"
GADGET = f"{DEFINITIONS}/gadgets.trial.example.io"
DRY = f"{DEFINITIONS}?dryRun=All"


def version(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }


def ruled(*rules: dict[str, Any], **spec: Any) -> dict[str, Any]:
    part = {"type": "object", "x-kubernetes-validations": list(rules), **spec}
    return definition(versions=[version({"type": "object", "properties": {"spec": part}})])


PORT = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "number": {"type": "integer"}},
    "x-kubernetes-validations": [{"rule": "!has(self.number) || self.number < 100"}],
}
SPEC = {
    "type": "object",
    "required": ["least"],
    "x-kubernetes-validations": [
        {"rule": "self.least <= self.most", "message": "least must not exceed most"},
        {
            "rule": "self.least <= self.most",
            "messageExpression": "self.least > 25 ? 'far too much' : 'too much'",
            "fieldPath": ".least",
            "reason": "FieldValueForbidden",
        },
        {"rule": "!has(oldSelf.frozen) || self.frozen == oldSelf.frozen", "message": "frozen is immutable"},
    ],
    "properties": {
        "least": {"type": "integer"},
        "most": {"type": "integer", "default": 10},
        "frozen": {"type": "string", "maxLength": 20},
        "name": {
            "type": "string",
            "maxLength": 10,
            "x-kubernetes-validations": [
                {"rule": "self.startsWith('a')"},
                {"rule": "self == oldSelf", "message": "name may not change"},
            ],
        },
        "ports": {
            "type": "array",
            "maxItems": 5,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": PORT,
        },
        "tags": {
            "type": "array",
            "maxItems": 3,
            "items": {"type": "string", "maxLength": 5},
            "x-kubernetes-validations": [{"rule": "self.all(t, t != 'bad')", "message": "no bad tags"}],
        },
    },
}
PHASE = {
    "type": "string",
    "x-kubernetes-validations": [{"rule": "self != oldSelf || self == 'x'", "message": "phase must move"}],
}
STATUS = {"type": "object", "properties": {"phase": PHASE}}
NAMED = [{"rule": "self.metadata.name != 'evil'", "message": "no evil", "reason": "FieldValueInvalid"}]
SCHEMA = {"type": "object", "x-kubernetes-validations": NAMED, "properties": {"spec": SPEC, "status": STATUS}}
STRICTER = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "least": {"type": "integer", "minimum": 5},
                "most": {"type": "integer"},
                "frozen": {"type": "string", "maxLength": 20},
                "name": {"type": "string", "enum": ["zz"]},
                "tags": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 1}},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    },
}


def gadget(called: str, /, **spec: Any) -> dict[str, Any]:
    return typed("trial.example.io/v1", "Gadget", called, spec=spec)


RULING = Story(
    "rules",
    (
        NAMESPACE,
        post(DRY, ruled({"rule": "self.nope == 1"})),
        post(DRY, ruled({"rule": "self. =="})),
        post(DRY, ruled({"rule": ""})),
        post(DRY, ruled({"rule": "1 + 1"})),
        post(DRY, ruled({"rule": "self.a == 'self.b'"}, properties={"a": {"type": "string", "maxLength": 5}})),
        post(DEFINITIONS, definition(versions=[version(SCHEMA)])),
        get(GADGET, until=('"Established"', "InitialNamesAccepted")),
        get(GADGETS, until=('"GadgetList"',)),
        post(GADGETS, gadget("a", least=1)),
        post(GADGETS, gadget("b", least=20)),
        post(GADGETS, gadget("evil", least=1)),
        post(GADGETS, gadget("b", least="x", most=3)),
        post(GADGETS, gadget("b", most=3)),
        post(GADGETS, gadget("b", least=1, name="bcd")),
        post(GADGETS, gadget("b", least=1, name="a" * 12)),
        post(GADGETS, gadget("b", least=1, ports=[{"name": "p", "number": 100}, {"name": "q", "number": 1}])),
        post(GADGETS, gadget("b", least=1, tags=["ok", "bad"])),
        post(GADGETS, gadget("b", least=1, name="ab", frozen="f", tags=["ok"])),
        merge(f"{GADGETS}/b", {"spec": {"frozen": "g"}}),
        merge(f"{GADGETS}/b", {"spec": {"name": "ac"}}),
        merge(f"{GADGETS}/b", {"spec": {"most": 0}}),
        merge(f"{GADGETS}/b/status", {"status": {"phase": "one"}}),
        merge(f"{GADGETS}/b/status", {"status": {"phase": "one"}}),
        merge(f"{GADGETS}/b/status", {"status": {"phase": "x"}}),
        apply(f"{GADGETS}/c", gadget("c", least=30)),
        merge(GADGET, {"spec": {"versions": [version(STRICTER)]}}),
        post(f"{GADGETS}?dryRun=All", gadget("probe", least=1), until=("greater than or equal to 5",)),
        # What was let in before the schema became stricter stays, and the rest of the object may change.
        merge(f"{GADGETS}/b", {"spec": {"most": 11}}),
        merge(f"{GADGETS}/b", {"spec": {"least": 2}}),
        merge(f"{GADGETS}/b", {"spec": {"tags": ["ok", "x"]}}),
        merge(f"{GADGETS}/b", {"metadata": {"labels": {"q": "r"}}}),
        merge(f"{GADGETS}/b", {"spec": {"name": None}}),
        delete(GADGET),
    ),
)
STORIES = (RULING,)
