"""CustomResourceDefinitions: names that must fit, one storage version, schemas for all."""

from __future__ import annotations

import re
from typing import Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, schemas
from syncline.sandbox.kinds.rules import KindRules, go_value, immutable

CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"
_APPROVAL: Final = "api-approved.kubernetes.io"
_COLUMNS: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_WORD: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_PATH_TEXT: Final = "must be a simple json path starting with ."
_MIXED: Final = "may have mixed case, but should otherwise match: "
_WORD_TEXT: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
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
    causes += [one for field in ("kind", "listKind") for one in _check_word(f"spec.names.{field}", names.get(field))]
    causes += _check_word("spec.names.singular", names.get("singular"), lower=True)
    for field in ("shortNames", "categories"):
        for index, word in enumerate(names.get(field) or ()):
            causes += _check_word(f"spec.names.{field}[{index}]", word, lower=True)
    if not (obj.get("status") or {}).get("storedVersions"):
        text = "must have at least one stored version"
        causes.append(errors.invalid_value("status.storedVersions", "null", text))
    return causes


def _check_word(field: str, word: str | None, *, lower: bool = False) -> list[FieldCause]:
    """Refuse what is not a DNS-1035 label; kinds may have capitals."""
    if word is None or (len(word) < 64 and _WORD.fullmatch(word if lower else word.lower())):
        return []
    return checks.refused(field, word, [_WORD_TEXT if lower else f"{_MIXED}{_WORD_TEXT}"])


def _check_offers(version: Object, field: str) -> list[FieldCause]:
    """Check what a version offers besides its schema: columns, scale, fields to select by."""
    causes: list[FieldCause] = []
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        where = f"{field}additionalPrinterColumns[{index}]"
        causes += checks.needed(f"{where}.name", column.get("name"))
        kind, shape = column.get("type"), column.get("format")
        if not kind:
            causes.append(errors.required(f"{where}.type", f"must be one of {','.join(_COLUMNS)}"))
        elif kind not in _COLUMNS:
            causes += checks.refused(f"{where}.type", kind, [f"must be one of {','.join(_COLUMNS)}"])
        if shape and shape not in _FORMATS:
            causes += checks.refused(f"{where}.format", shape, [f"must be one of {','.join(_FORMATS)}"])
        causes += checks.needed(f"{where}.JSONPath", column.get("jsonPath"))
        path = str(column.get("jsonPath") or "")
        if path and not path.startswith("."):
            causes += checks.refused(f"{where}.JSONPath", path, [_PATH_TEXT])
    scale = (version.get("subresources") or {}).get("scale")
    causes += [] if scale is None else _check_scale(scale, f"{field}subresources.scale")
    for index, one in enumerate(version.get("selectableFields") or ()):
        causes += checks.needed(f"{field}selectableFields[{index}].jsonPath", one.get("jsonPath"))
    return causes


def _check_scale(scale: Object, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for name, root in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        where, path = f"{field}.{name}", scale.get(name)
        causes += checks.needed(where, path)
        if path and not str(path).startswith(root):
            causes += checks.refused(where, str(path), [f"should be a json path under {root[:-1]}"])
    labels = str(scale.get("labelSelectorPath") or "")
    if labels and not labels.startswith("."):
        causes += checks.refused(f"{field}.labelSelectorPath", labels, [_PATH_TEXT])
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
    for index, version in enumerate(versions or ()):
        causes += _check_word(f"spec.versions[{index}].name", version.get("name") or "", lower=True)
        if old is None:
            causes += _check_offers(version, "spec." if len(found) == 1 else f"spec.versions[{index}].")
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
