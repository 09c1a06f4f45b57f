"""CustomResourceDefinitions: names that must fit, one storage version, schemas for all."""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds.rules import Rules, immutable

CLEANUP = "customresourcecleanup.apiextensions.k8s.io"


def _complete(_backend: Backend, obj: Object, live: Object | None) -> Object:
    spec = dict(obj.get("spec") or {})
    names = dict(spec.get("names") or {})
    kind = str(names.get("kind") or "")
    if kind:
        names["singular"] = names.get("singular") or kind.lower()
        names["listKind"] = names.get("listKind") or f"{kind}List"
    spec["names"] = names
    spec.setdefault("conversion", {"strategy": "None"})
    completed = {**obj, "spec": spec}
    if live is None:
        stored = [version["name"] for version in spec.get("versions") or () if version.get("storage")]
        completed["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": stored,
        }
    return completed


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    names, group = spec.get("names") or {}, spec.get("group") or ""
    causes: list[Cause] = []
    wanted = f"{names.get('plural', '')}.{group}"
    name = obj["metadata"].get("name", "")
    if name != wanted:
        text = 'must be spec.names.plural+"."+spec.group'
        causes.append(errors.invalid_value("metadata.name", f'"{name}"', text))
    causes += [errors.required(f"spec.{field}") for field in ("group", "scope") if not spec.get(field)]
    if spec.get("scope") and spec["scope"] not in ("Cluster", "Namespaced"):
        causes.append(errors.not_supported("spec.scope", str(spec["scope"]), ("Cluster", "Namespaced")))
    causes += [errors.required(f"spec.names.{field}") for field in ("plural", "kind") if not names.get(field)]
    causes += _check_versions(spec.get("versions") or [])
    if live is not None:
        old = live.get("spec") or {}
        causes += immutable("spec.group", group, old.get("group"))
        causes += immutable("spec.scope", spec.get("scope"), old.get("scope"))
        causes += immutable("spec.names.kind", names.get("kind"), (old.get("names") or {}).get("kind"))
        causes += immutable("spec.names.plural", names.get("plural"), (old.get("names") or {}).get("plural"))
    return causes


def _check_versions(versions: list[Any]) -> list[Cause]:
    if sum(1 for version in versions if version.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        return [errors.invalid_value("spec.versions", "[]", text)]
    return [
        errors.required(f"spec.versions[{index}].schema.openAPIV3Schema", "schemas are required")
        for index, version in enumerate(versions)
        if not (version.get("schema") or {}).get("openAPIV3Schema")
    ]


DEFINITION = Rules(complete=_complete, validate=_validate)
