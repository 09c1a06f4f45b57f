"""The versions of a CustomResourceDefinition: names, one for storage, schemas, columns, scale, fields to select by.

Asked by `syncline.sandbox.kinds.definitions`. What all versions have alike is told where older clients wrote it, at the
top of the definition, after all that is told of single versions: the API server keeps it there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, schema_paths, schemas
from syncline.sandbox.kinds.rules import go_value

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
_MOST_SELECTABLE: Final = 8
_SELECTABLE: Final = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
)


def check_word(field: str, word: str, *, mixed: bool = False) -> list[FieldCause]:
    """Refuse what is not a DNS-1035 label; with `mixed` it may have capitals."""
    told = ["must be no more than 63 characters"] if len(word) > 63 else []
    told += [] if _WORD.fullmatch(word.lower() if mixed else word) else [_WORD_TEXT]
    return checks.refused(field, word, [f"{_MIXED if mixed else ''}{','.join(told)}"]) if told else []


def check_each(spec: Object, old: Object | None) -> list[FieldCause]:
    """Return what is wrong with single versions, and with all of them together."""
    versions = spec.get("versions") or []
    shared = _shared(versions)
    causes = [
        errors.required(f"spec.versions[{index}].schema.openAPIV3Schema")
        for index, version in enumerate(versions)
        if _schema(version) is None
    ]
    for index, version in enumerate(versions):
        where = f"spec.versions[{index}]"
        causes += check_word(f"{where}.name", version.get("name") or "")
        causes += _check_warning(version, where)
        alone = {name: version.get(name) for name in version if name not in shared}
        causes += _check_parts(alone, _schema(version), f"{where}.schema", f"{where}.", old)
    shown = "null" if spec.get("versions") is None else go_value([_go_version(version) for version in versions])
    if len({version.get("name") for version in versions}) < len(versions):
        causes.append(errors.invalid_value("spec.versions", shown, "must contain unique version names"))
    if sum(1 for version in versions if version.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        causes.append(errors.invalid_value("spec.versions", shown, text))
    # The first version is told twice: older clients wrote it at the top.
    return causes + (check_word("spec.version", versions[0].get("name") or "") if versions else [])


def check_shared(spec: Object, old: Object | None) -> list[FieldCause]:
    """Return what is wrong with what all versions have alike."""
    versions = spec.get("versions") or []
    if not versions:
        return []
    alike = {name: versions[0].get(name) for name in _shared(versions)}
    with_status = any((version.get("subresources") or {}).get("status") is not None for version in versions)
    if with_status and "schema" in alike and "subresources" not in alike:
        alike["subresources"] = {"status": {}}
    return _check_parts(alike, _schema(versions[0]), "spec.validation", "spec.", old)


def _shared(versions: list[Object]) -> set[str]:
    names = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
    return {
        name
        for name in names
        if all(version.get(name) and version[name] == versions[0].get(name) for version in versions)
    }


def _schema(version: Object) -> Any:
    return (version.get("schema") or {}).get("openAPIV3Schema")


def _check_warning(version: Object, where: str) -> list[FieldCause]:
    warning = version.get("deprecationWarning")
    if warning is None:
        return []
    told = [] if version.get("deprecated") else ["can only be set for deprecated versions"]
    if not told:
        told = ["must be <= 256 characters long"] if len(warning.encode()) > 256 else []
        told += [] if warning else ["must not be an empty string"]
    return checks.refused(f"{where}.deprecationWarning", warning, told)


def _check_parts(parts: Object, schema: Any, at: str, field: str, old: Object | None) -> list[FieldCause]:
    """Check the schema, and what stands beside it: subresources, columns, fields to select by."""
    causes: list[FieldCause] = []
    subresources = parts.get("subresources") or {}
    before = [_schema(version) for version in (old or {}).get("versions") or ()]
    found = _schema(parts)
    if found is not None and found not in before:
        ruled = b"x-kubernetes-validations" in orjson.dumps(found)
        with_status = subresources.get("status") is not None
        causes += schemas.check(found, f"{at}.openAPIV3Schema", ruled=ruled, with_status=with_status)
    if subresources.get("scale") is not None:
        causes += _check_scale(subresources["scale"], f"{field}subresources.scale")
    for index, column in enumerate(parts.get("additionalPrinterColumns") or ()):
        causes += _check_column(column, f"{field}additionalPrinterColumns[{index}]")
    selectable = parts.get("selectableFields")
    return causes + (_check_selectable(selectable, schema or {}, f"{field}selectableFields") if selectable else [])


def _check_column(column: Object, where: str) -> list[FieldCause]:
    causes = checks.needed(f"{where}.name", column.get("name"))
    kind, shape, path = column.get("type"), column.get("format"), str(column.get("jsonPath") or "")
    allowed = f"must be one of {','.join(_COLUMNS)}"
    if not kind:
        causes.append(errors.required(f"{where}.type", allowed))
    elif kind not in _COLUMNS:
        causes += checks.refused(f"{where}.type", kind, [allowed])
    if shape and shape not in _FORMATS:
        causes += checks.refused(f"{where}.format", shape, [f"must be one of {','.join(_FORMATS)}"])
    causes += checks.needed(f"{where}.JSONPath", path)
    if path and not path.startswith("."):
        causes += checks.refused(f"{where}.JSONPath", path, [_PATH_TEXT])
    return causes


def _check_scale(scale: Object, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for name, root in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        where, path = f"{field}.{name}", str(scale.get(name) or "")
        causes += checks.needed(where, path)
        if path and not path.startswith("."):
            causes += checks.refused(where, path, [_PATH_TEXT])
        elif path and not path.startswith(root):
            causes += checks.refused(where, path, [f"should be a json path under {root[:-1]}"])
    labels = str(scale.get("labelSelectorPath") or "")
    if labels and not labels.startswith("."):
        causes += checks.refused(f"{field}.labelSelectorPath", labels, [_PATH_TEXT])
    elif labels and not labels.startswith((".spec.", ".status.")):
        text = "should be a json path under either .spec or .status"
        causes += checks.refused(f"{field}.labelSelectorPath", labels, [text])
    return causes


def _check_selectable(fields: list[Object], schema: Mapping[str, Any], where: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, one in enumerate(fields):
        field, path = f"{where}[{index}].jsonPath", str(one.get("jsonPath") or "")
        if not path:
            causes.append(errors.required(field))
            continue
        found, problem = schema_paths.follow(path, schema, plain=True)
        if problem:
            causes += checks.refused(field, path, [f"is an invalid path: {problem}"])
            continue
        if path.startswith(".metadata"):
            causes += checks.refused(field, path, ["must not point to fields in metadata"])
        if found.get("type") not in ("string", "boolean", "integer"):
            causes += checks.refused(field, path, [_SELECTABLE])
        if path in seen:
            causes.append(FieldCause(field, "FieldValueDuplicate", f"Duplicate value: {go_value(path)}"))
        seen.add(path)
    if len(seen) > _MOST_SELECTABLE:
        text = f"Too many: {len(seen)}: must have at most {_MOST_SELECTABLE} items"
        causes.append(FieldCause(where, "FieldValueTooMany", text))
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
