"""The kinds that merge sequences write: built-in ones, and a custom one with every list and map type.

`tests.real.merge_sequences` asks for their schemas, for what an endpoint ignores, and for conversions.
"""

from __future__ import annotations

import functools
from typing import Any

from syncline.apimachinery import keys, merge
from syncline.apimachinery.schema import builtin, crd
from syncline.apimachinery.schema.node import Node

Json = dict[str, Any]


def text_map(**more: Any) -> Json:
    return {"type": "object", "additionalProperties": {"type": "string"}, **more}


def struct(*names: str, **more: Any) -> Json:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, **more}


def keyed(*list_keys: str, **properties: Json) -> Json:
    item = {"type": "object", "properties": properties, "required": [list_keys[0]]}
    return {
        "type": "array",
        "items": item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": list(list_keys),
    }


TEXT = {"type": "string"}
TEXT_SET = {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}
SPEC: Json = {
    "type": "object",
    "properties": {
        "text": TEXT,
        "number": {"type": "integer"},
        "float": {"type": "number"},
        "flag": {"type": "boolean"},
        "either": {"x-kubernetes-int-or-string": True},
        "nullable": {"type": "string", "nullable": True},
        "atomic": {"type": "array", "items": TEXT},
        "set": TEXT_SET,
        "numbers": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
        "loose": {"type": "array", "items": struct("name", "value")},
        "items": keyed("name", name=TEXT, value=TEXT, nested=struct("x", "y")),
        "ports": keyed(
            "port", "protocol", port={"type": "integer"}, protocol={"type": "string", "default": "TCP"}, name=TEXT
        ),
        "groups": keyed("name", name=TEXT, members=TEXT_SET),
        "labels": text_map(),
        "sealed": text_map(**{"x-kubernetes-map-type": "atomic"}),
        "struct": struct("a", "b"),
        "sealedStruct": struct("a", "b", **{"x-kubernetes-map-type": "atomic"}),
        "table": {"type": "object", "additionalProperties": struct("a", "b")},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
STATUS = {"type": "object", "properties": {"phase": TEXT}}


def version(name: str, *, storage: bool) -> Json:
    schema = {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}
    return {
        "name": name,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }


WIDGETS: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.merge.example.com"},
    "spec": {
        "group": "merge.example.com",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "scope": "Namespaced",
        "versions": [version("v1", storage=True), version("v2", storage=False)],
    },
}


def fields(*paths: str) -> merge.FieldSet:
    return merge.FieldSet.of(*(merge.path(*path.split(".")) for path in paths))


@functools.cache
def node_for(api_version: str, kind: str) -> Node | None:
    group, name = keys.split_api_version(api_version)
    if kind == "Widget":
        return crd.schema_for(WIDGETS, name)
    return builtin.for_kind(keys.GroupVersionKind(group, name, kind))


def ignored(api_version: str, kind: str, subresource: str) -> merge.FieldSet:
    group, _ = keys.split_api_version(api_version)
    return merge.reset_fields(keys.GroupKind(group, kind), subresource)


def to_version(obj: Json, api_version: str) -> Json:
    """Convert between the versions the cases use; the autoscaler's differ in how they say CPU.

    Converting from its first version fills in the default of 80 percent, as the server does there and not later.
    """
    out = {**obj, "apiVersion": api_version}
    if obj["kind"] != "HorizontalPodAutoscaler":
        return out
    spec = dict(obj.get("spec") or {})
    if api_version == "autoscaling/v2" and obj["apiVersion"] == "autoscaling/v1":
        target = {"type": "Utilization", "averageUtilization": spec.pop("targetCPUUtilizationPercentage", 80)}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    if api_version == "autoscaling/v1" and "metrics" in spec:
        for metric in spec.pop("metrics") or ():
            spec["targetCPUUtilizationPercentage"] = metric["resource"]["target"]["averageUtilization"]
    return {**out, "spec": spec}
