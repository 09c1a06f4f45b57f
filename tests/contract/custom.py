"""Stories about custom kinds: definitions, and what their schemas do to objects."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import (
    TABLE,
    Story,
    apply,
    delete,
    get,
    json_patch,
    merge,
    obj,
    post,
    put,
    strategic,
    typed,
    watch,
)

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GADGETS = "/apis/trial.example.io/v1/namespaces/trial/gadgets"
_SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 100},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "name": {"type": "string", "pattern": "^a+$", "maxLength": 3},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "number": {"type": "integer", "default": 80}},
            },
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "either": {"x-kubernetes-int-or-string": True},
        "maybe": {"type": "string", "nullable": True},
        "when": {"type": "string", "format": "date-time"},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
}
_STATUS = {"type": "object", "properties": {"size": {"type": "integer"}, "phase": {"type": "string"}}}
_FIRST = {
    "name": "v1",
    "served": True,
    "storage": True,
    "subresources": {
        "status": {},
        "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
    },
    "additionalPrinterColumns": [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Phase", "type": "string", "jsonPath": ".status.phase", "description": "How it goes", "priority": 1},
    ],
    "selectableFields": [{"jsonPath": ".spec.color"}],
    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC, "status": _STATUS}}},
}
_SECOND = {
    "name": "v1beta1",
    "served": True,
    "storage": False,
    "deprecated": True,
    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
}


def definition(plural: str = "gadgets", kind: str = "Gadget", **spec: Any) -> dict[str, Any]:
    return typed(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        f"{plural}.trial.example.io",
        spec={
            "group": "trial.example.io",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "shortNames": ["gd"], "categories": ["toys"]},
            "versions": [_FIRST, _SECOND],
            **spec,
        },
    )


def gadget(name: str = "g", **rest: Any) -> dict[str, Any]:
    return {"apiVersion": "trial.example.io/v1", "kind": "Gadget", **obj(name), "spec": {"size": 1}, **rest}


def sized(name: str, /, **spec: Any) -> dict[str, Any]:
    return gadget(name, spec={"size": 1, **spec})


_ESTABLISHED = get(f"{DEFINITIONS}/gadgets.trial.example.io", until=('"Established","status":"True"',))
_SERVED = get(GADGETS, until=('"GadgetList"',))
OBJECTS = Story(
    "custom-objects",
    (
        NAMESPACE,
        post(DEFINITIONS, definition()),
        _ESTABLISHED,
        _SERVED,
        get("/apis/trial.example.io"),
        get("/apis/trial.example.io/v1"),
        post(GADGETS, gadget(), keep={"version": "metadata.resourceVersion"}),
        post(GADGETS, gadget()),
        post(GADGETS, sized("h", size=0)),
        post(GADGETS, sized("h", size=101)),
        post(GADGETS, gadget("h", spec={})),
        post(GADGETS, gadget("h", spec=None)),
        post(GADGETS, gadget("h", spec=[])),
        post(GADGETS, sized("h", size="x")),
        post(GADGETS, sized("h", size=1.5)),
        post(GADGETS, sized("h", color="green")),
        post(GADGETS, sized("h", name="bbbb")),
        post(GADGETS, sized("h", name="b")),
        post(GADGETS, sized("h", tags=["a", "b", "c"])),
        post(GADGETS, sized("h", tags=[1])),
        post(GADGETS, sized("h", map={"a": "b"})),
        post(GADGETS, sized("h", when="yesterday")),
        post(GADGETS, sized("h", either=[])),
        post(GADGETS, sized("h", ports=[{"name": "a"}, {"name": "a"}])),
        post(GADGETS, sized("h", ports=[{}])),
        post(GADGETS, sized("rich", ports=[{"name": "a"}], free={"x": {"y": 1}}, either="50%", maybe=None, color=None)),
        post(f"{GADGETS}?fieldValidation=Strict", sized("h", zip=1)),
        post(f"{GADGETS}?fieldValidation=Warn", sized("warned", zip=1)),
        post(f"{GADGETS}?dryRun=All", sized("dry")),
        post(GADGETS, {"apiVersion": "trial.example.io/v1", "metadata": {"name": "x"}}),
        post(GADGETS, {"kind": "Gadget", "metadata": {"name": "x"}}),
        post(GADGETS, typed("trial.example.io/v2", "Gadget", "x")),
        post(GADGETS, typed("trial.example.io/v1", "Widget", "x")),
        post(GADGETS, gadget("Bad")),
        put(f"{GADGETS}/g", sized("g", size=2)),
        put(f"{GADGETS}/g", {**sized("g", size=2), **obj("g", metadata={"resourceVersion": "<version>"})}),
        put(f"{GADGETS}/g", {**sized("g", size=3), **obj("g", metadata={"resourceVersion": "<version>"})}),
        merge(f"{GADGETS}/g", {"spec": {"size": 2}}),
        merge(f"{GADGETS}/g", {"spec": {"size": 3}, "status": {"size": 7}}),
        merge(f"{GADGETS}/g", {"spec": {"size": -3}}),
        merge(f"{GADGETS}/g", {"spec": {"zip": 1}}),
        merge(f"{GADGETS}/g/status", {"spec": {"size": 9}, "status": {"size": 7, "zip": 1}}),
        merge(f"{GADGETS}/g/status", {"status": {"size": "x"}}),
        json_patch(f"{GADGETS}/g", ("add", "/spec/tags", ["a"])),
        strategic(f"{GADGETS}/g", {"spec": {"size": 3}}),
        get(f"{GADGETS}/g/scale"),
        merge(f"{GADGETS}/g/scale", {"spec": {"replicas": 5}}),
        merge(f"{GADGETS}/g/scale", {"spec": {"replicas": 500}}),
        get("/apis/trial.example.io/v1beta1/namespaces/trial/gadgets/g"),
        get("/apis/trial.example.io/v1beta1/namespaces/trial/gadgets/g/scale"),
        get(GADGETS, accept=TABLE),
        get(f"{GADGETS}?fieldSelector=spec.color%3Dred"),
        get(f"{GADGETS}?fieldSelector=spec.size%3D1"),
        get(f"{GADGETS}?limit=1"),
        get(f"{GADGETS}/none"),
        watch(GADGETS, "resourceVersion=<version>"),
        apply(f"{GADGETS}/i", sized("i", size=4, ports=[{"name": "a"}])),
        apply(f"{GADGETS}/i", sized("i", size=5, ports=[{"name": "b"}]), manager="two"),
        apply(f"{GADGETS}/i", sized("i", size=4, ports=[{"name": "b", "number": 1}]), manager="two"),
        apply(f"{GADGETS}/i", sized("i", size="q")),
        apply(f"{GADGETS}/i", sized("i", size=4, zip=1)),
        apply(f"{GADGETS}/i/status", gadget("i", status={"phase": "Ready"}), manager="op"),
        delete(f"{GADGETS}/i"),
        delete(GADGETS),
        delete(f"{DEFINITIONS}/gadgets.trial.example.io"),
    ),
)
_PLAIN = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}


def with_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return definition(versions=[{**_PLAIN, "schema": {"openAPIV3Schema": schema}}])


DRY = f"{DEFINITIONS}?dryRun=All"
KINDS = Story(
    "definitions",
    (
        post(DRY, obj("trial")),
        post(DRY, {**definition(), "metadata": {"name": "wrong.trial.example.io"}}),
        post(DRY, definition(scope="Everywhere")),
        post(DRY, definition(versions=[])),
        post(DRY, definition(versions=[{**_PLAIN, "storage": False}])),
        post(DRY, definition(versions=[{**_PLAIN, "schema": None}])),
        post(DRY, with_schema({})),
        post(DRY, with_schema({"type": "object", "properties": {"a": {}}})),
        post(DRY, with_schema({"type": "object", "properties": {"a": {"type": "array"}}})),
        post(DRY, definition(group="group.k8s.io")),
        post(f"{DEFINITIONS}?dryRun=All", definition()),
        post(DEFINITIONS, definition(versions=[_PLAIN], scope="Cluster")),
        _ESTABLISHED,
        get("/apis/trial.example.io/v1/gadgets", until=('"GadgetList"',)),
        post("/apis/trial.example.io/v1/gadgets", gadget("c", spec={"pruned": 1})),
        post("/apis/trial.example.io/v1/gadgets", gadget("d", status={"kept": 1})),
        get("/apis/trial.example.io/v1/gadgets/c/status"),
        get("/apis/trial.example.io/v1/namespaces/trial/gadgets"),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"scope": "Namespaced"}}),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"group": "other.io"}}),
        post(DEFINITIONS, definition("gizmos", "Gadget", versions=[_PLAIN])),
        get(f"{DEFINITIONS}/gizmos.trial.example.io", until=("NamesAccepted",)),
        delete(f"{DEFINITIONS}/gizmos.trial.example.io"),
        delete(f"{DEFINITIONS}/gadgets.trial.example.io"),
    ),
)
STORIES = (OBJECTS, KINDS)
