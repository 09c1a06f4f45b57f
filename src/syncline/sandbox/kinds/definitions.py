"""CustomResourceDefinitions: names that must fit, one storage version, schemas for all."""

from __future__ import annotations

from typing import Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import schemas
from syncline.sandbox.kinds.rules import KindRules, go_value, immutable

CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"
_APPROVAL: Final = "api-approved.kubernetes.io"
_APPROVAL_PAGE: Final = "https://github.com/kubernetes/enhancements/pull/1111"


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
        stored = [version.get("name", "") for version in spec.get("versions") or () if version.get("storage")]
        completed["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": stored,
        }
    return completed


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    names, group = spec.get("names") or {}, spec.get("group") or ""
    if live is not None:
        old = live.get("spec") or {}
        causes = immutable("spec.group", group, old.get("group"))
        causes += immutable("spec.scope", spec.get("scope"), old.get("scope"))
        causes += immutable("spec.names.kind", names.get("kind"), (old.get("names") or {}).get("kind"))
        causes += immutable("spec.names.plural", names.get("plural"), (old.get("names") or {}).get("plural"))
        return causes + _check_versions(spec, old)
    return _check_name(obj, names, group) + _check_spec(obj, spec, names)


def _check_name(obj: Object, names: Object, group: str) -> list[FieldCause]:
    name, causes = obj["metadata"].get("name", ""), []
    if name != f"{names.get('plural') or ''}.{group}":
        text = 'must be spec.names.plural+"."+spec.group'
        causes.append(errors.invalid_value("metadata.name", f'"{name}"', text))
    protected = group.endswith((".k8s.io", ".kubernetes.io")) or group in ("k8s.io", "kubernetes.io")
    if protected and not (obj["metadata"].get("annotations") or {}).get(_APPROVAL):
        text = f'protected groups must have approval annotation "{_APPROVAL}", see {_APPROVAL_PAGE}'
        causes.append(errors.required(f"metadata.annotations[{_APPROVAL}]", text))
    return causes


def _check_spec(obj: Object, spec: Object, names: Object) -> list[FieldCause]:
    causes = [errors.required(f"spec.{field}") for field in ("group", "scope") if not spec.get(field)]
    if spec.get("scope") and spec["scope"] not in ("Cluster", "Namespaced"):
        causes.append(errors.not_supported("spec.scope", str(spec["scope"]), ("Cluster", "Namespaced")))
    causes += _check_versions(spec, None)
    wanted = ("plural", "singular", "kind", "listKind")
    causes += [errors.required(f"spec.names.{field}") for field in wanted if not names.get(field)]
    if not (obj.get("status") or {}).get("storedVersions"):
        text = "must have at least one stored version"
        causes.append(errors.invalid_value("status.storedVersions", "null", text))
    return causes


def _check_versions(spec: Object, old: Object | None) -> list[FieldCause]:
    versions = spec.get("versions")
    if sum(1 for version in versions or () if version.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        shown = "null" if versions is None else go_value([_go_version(version) for version in versions])
        return [errors.invalid_value("spec.versions", shown, text)]
    found = [(version.get("schema") or {}).get("openAPIV3Schema") for version in versions or ()]
    before = [(version.get("schema") or {}).get("openAPIV3Schema") for version in (old or {}).get("versions") or ()]
    causes = []
    for index, schema in enumerate(found):
        # A schema that all versions share is told where older clients wrote it.
        shared = all(other == schema for other in found)
        where = "spec.validation.openAPIV3Schema" if shared else f"spec.versions[{index}].schema.openAPIV3Schema"
        if schema is None:
            causes.append(errors.required(f"spec.versions[{index}].schema.openAPIV3Schema"))
        elif schema not in before and not (shared and index):
            causes += schemas.check(schema, where, ruled=b"x-kubernetes-validations" in orjson.dumps(schema))
    return causes


def _go_version(version: Object) -> Object:
    return {
        "Name": version.get("name", ""),
        "Served": version.get("served", False),
        "Storage": version.get("storage", False),
        "Deprecated": version.get("deprecated", False),
        "DeprecationWarning": version.get("deprecationWarning"),
        **dict.fromkeys(("Schema", "Subresources", "AdditionalPrinterColumns", "SelectableFields")),
    }


DEFINITION = KindRules(complete=_complete, validate=_validate)
