"""Writes one object step by step on a real API server and asks ours about every step from the same start.

Driven by `tests.real.test_structured_merge` with steps as structured_merge_cases.yaml spells them.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml

from syncline.apimachinery import keys, merge
from syncline.apimachinery.schema import defaults, structural_defaults
from syncline.apimachinery.schema.node import Node
from tests.real import merge_kinds

Json = dict[str, Any]
BOOK: Json = yaml.safe_load(Path(__file__).with_name("structured_merge_cases.yaml").read_text(encoding="utf-8"))
NOW = "2030-01-01T00:00:00Z"
GIVEN_BY_SERVER = ("uid", "creationTimestamp", "managedFields", "resourceVersion", "generation", "selfLink")
MERGE_PATCH = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


class Api(Protocol):
    def request(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> tuple[int, Json]: ...


def merged_patch(value: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    out = dict(value) if isinstance(value, dict) else {}
    for name, part in patch.items():
        if part is None:
            out.pop(name, None)
        else:
            out[name] = merged_patch(out.get(name), part)
    return out


def plural(kind: str) -> str:
    return {"Ingress": "ingresses", "NetworkPolicy": "networkpolicies"}.get(kind, kind.lower() + "s")


class Sequence:
    """One object, written step by step on the server; ours is asked about every step from the same start."""

    def __init__(self, api: Api, namespace: str, kind: str) -> None:
        self.api = api
        self.template = {**BOOK["templates"][kind]}
        self.kind = kind
        self.namespace = namespace
        self.name = f"case-{uuid.uuid4().hex[:10]}"
        self.live: Json | None = None

    def path(self, api_version: str, subresource: str = "", *, collection: bool = False) -> str:
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        base = f"{root}/namespaces/{self.namespace}/{plural(self.kind)}"
        return base if collection else f"{base}/{self.name}" + (f"/{subresource}" if subresource else "")

    def body(self, config: Json, api_version: str) -> Json:
        metadata = {"name": self.name, "namespace": self.namespace, **(config.get("metadata") or {})}
        return {**self.template, "apiVersion": api_version, **config, "metadata": metadata}

    def run(self, step: Json) -> None:
        api_version = step.get("version", self.template["apiVersion"])
        if self.live is not None and self.live["apiVersion"] != api_version:
            _, self.live = self.api.request("GET", self.path(api_version))
        if "apply" in step:
            self.apply(step, api_version)
        else:
            self.write(step, api_version)

    def common(self, step: Json, api_version: str) -> Json:
        node = merge_kinds.node_for(api_version, self.kind)
        assert node is not None
        subresource = step.get("subresource", "")
        return {
            "node": node,
            "now": NOW,
            "subresource": subresource,
            "ignored": merge_kinds.ignored(api_version, self.kind, subresource),
            "node_for": lambda other: merge_kinds.node_for(other, self.kind),
            "to_version": merge_kinds.to_version,
        }

    def apply(self, step: Json, api_version: str) -> None:
        manager, force = step["apply"], bool(step.get("force"))
        config = self.body(step["config"], api_version)
        query = f"?fieldManager={manager}&force={str(force).lower()}"
        status, answer = self.api.request(
            "PATCH", self.path(api_version, step.get("subresource", "")) + query, config, APPLY_PATCH
        )
        common = self.common(step, api_version)
        if status in (400, 500):
            with pytest.raises(merge.SchemaError) as refusal:
                merge.apply(self.live, config, manager=manager, force=force, **common)
            assert str(refusal.value) == answer["message"]
            return
        ours = merge.apply(self.live, config, manager=manager, force=force, **common)
        if status == 409:
            causes = sorted(answer["details"]["causes"], key=json.dumps)
            assert answer["message"] == merge.conflict_message(ours.conflicts)
            assert causes == sorted(merge.conflict_causes(ours.conflicts), key=json.dumps)
            return
        if status == 422 and '"null"' in answer["message"]:
            # Emptied lists and maps of custom kinds become null, and validation refuses that, here and there.
            assert has_null(ours.obj)
            return
        assert status in (200, 201), answer["message"]
        assert ours.conflicts == ()
        assert owners(ours.obj) == owners(answer)
        self.check_object(ours.obj, answer, api_version, step)
        if self.live is not None:
            bumped = answer["metadata"]["resourceVersion"] != self.live["metadata"]["resourceVersion"]
            assert ours.changed == bumped
            self.check_times(ours.obj, answer)
        self.live = answer

    def check_times(self, ours: Json, answer: Json) -> None:
        """An entry has a new time on the server exactly where ours has one."""
        before = {entry.get("time") for entry in (self.live or {})["metadata"].get("managedFields", ())}
        for our_entry, entry in zip(sorted_entries(ours), sorted_entries(answer), strict=True):
            assert ("time" in our_entry) == ("time" in entry), entry
            if our_entry.get("time") != NOW:
                assert entry.get("time") in {*before, None}

    def check_object(self, ours: Json, answer: Json, api_version: str, step: Json) -> None:
        """Our object, defaulted, is what the server stored; on creation the server may add what it allocates."""
        node = merge_kinds.node_for(api_version, self.kind)
        assert node is not None
        hidden = merge_kinds.ignored(api_version, self.kind, step.get("subresource", ""))
        mine, theirs = (
            merge.typed.remove(stored(obj), hidden, node) for obj in (defaulted(ours, api_version, node), answer)
        )
        if self.live is not None:
            assert mine == theirs
            return
        comparison = merge.typed.compare(mine, theirs, node)
        assert (list(comparison.modified.iterate()), list(comparison.removed.iterate())) == ([], [])

    def write(self, step: Json, api_version: str) -> None:
        verb = next(name for name in ("create", "put", "patch", "json") if name in step)
        manager, subresource = step[verb], step.get("subresource", "")
        where, query = self.path(api_version, subresource), f"?fieldManager={manager}"
        sent: Any
        if verb == "create":
            sent = self.body(step["config"], api_version)
            where = self.path(api_version, collection=True)
            status, answer = self.api.request("POST", where + query, sent)
        elif verb == "put":
            sent = merged_patch(self.live, step["with"])
            status, answer = self.api.request("PUT", where + query, sent)
        else:
            kind = MERGE_PATCH if verb == "patch" else JSON_PATCH
            status, answer = self.api.request("PATCH", where + query, step["with"], kind)
            sent = merged_patch(self.live, step["with"]) if verb == "patch" else self.live
        assert status in (200, 201), answer["message"]
        new = {**answer, "metadata": {**answer["metadata"]}}
        new["metadata"].pop("managedFields", None)
        if "managedFields" in (sent or {}).get("metadata", {}):
            new["metadata"]["managedFields"] = sent["metadata"]["managedFields"]
        if self.live is None:
            new = before_allocation(new)
        ours = merge.update(self.live, new, manager=manager, **self.common(step, api_version))
        assert owners(ours) == owners(answer)
        self.live = answer


def sorted_entries(obj: Json) -> list[Json]:
    entries: list[Json] = obj["metadata"].get("managedFields") or []
    return sorted(
        entries, key=lambda e: json.dumps([e["manager"], e["operation"], e["apiVersion"], e.get("subresource")])
    )


def owners(obj: Json) -> list[Json]:
    """Return managedFields without times, in an order that does not follow from them."""
    return [{name: part for name, part in entry.items() if name != "time"} for entry in sorted_entries(obj)]


def stored(value: Any) -> Any:
    """Leave out what the server makes up, and nulls and empties, which decoding drops."""
    metadata = {name: part for name, part in value["metadata"].items() if name not in GIVEN_BY_SERVER}
    return without({**value, "metadata": metadata}, None, {}, [])


def defaulted(obj: Json, api_version: str, node: Node) -> Json:
    group, name = keys.split_api_version(api_version)
    if obj["kind"] == "Widget":
        return structural_defaults.apply_schema_defaults(obj, node)
    return defaults.apply(without(obj, None), keys.GroupVersionKind(group, name, obj["kind"]))


def before_allocation(obj: Json) -> Json:
    """Take back what storage and admission add after owners were written down."""
    spec, kind = dict(obj.get("spec") or {}), obj["kind"]
    if kind == "Service":
        for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            del spec[name]
        spec["ports"] = [{name: part for name, part in port.items() if name != "nodePort"} for port in spec["ports"]]
    if kind == "Pod":
        for name in ("tolerations", "preemptionPolicy", "priority"):
            spec.pop(name, None)
    if kind == "PersistentVolumeClaim":
        metadata = {name: part for name, part in obj["metadata"].items() if name != "finalizers"}
        obj = {**obj, "metadata": metadata}
    return {**obj, "spec": spec} if "spec" in obj else obj


def without(value: Any, *unwanted: Any) -> Any:
    if isinstance(value, list):
        return [without(item, *unwanted) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: without(part, *unwanted) for name, part in value.items()}
    return {name: part for name, part in kept.items() if part not in unwanted}


def has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(has_null, value.values()))
    return value is None
