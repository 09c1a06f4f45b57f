"""Objects as they are compared: without what the server keeps for itself, with defaults, nulls and empty values gone.

Applied to both sides by `syncline.core.compare.compare`. Defaults are filled in on both sides, because the live object
may come from an older or newer server than the rules do. The odd fact: built-in kinds are stored as Go structs, which
forget empty lists and maps; custom kinds keep them.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import builtin, defaults
from syncline.apimachinery.schema.node import ANY, Node
from syncline.model import names
from syncline.model.settings.resources import CompareOptions, StatusFields

_SERVER_FIELDS = frozenset(
    (
        "managedFields",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "uid",
        "selfLink",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    )
)
_SERVER_ANNOTATIONS = frozenset((names.LAST_APPLIED, "deprecated.daemonset.template.generation"))
_TOP_FIELDS = frozenset(("apiVersion", "kind", "status"))
_TOP_FIELDS_BUT_STATUS = _TOP_FIELDS - {"status"}


def status_counts(gvk: GroupVersionKind, options: CompareOptions) -> bool:
    """Whether a `status` written in Git is compared for a kind."""
    if options.ignore_status is StatusFields.ALL:
        return False
    definition = (gvk.group, gvk.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition")
    return not (definition and options.ignore_status is StatusFields.CRD)


def bare(obj: Object, *, with_status: bool = False) -> Object:
    """Return the part of an object that counts, as it stands."""
    left_out = _TOP_FIELDS_BUT_STATUS if with_status else _TOP_FIELDS
    found: dict[str, Any] = {name: value for name, value in obj.items() if name not in left_out}
    metadata = {name: value for name, value in (meta.metadata(obj)).items() if name not in _SERVER_FIELDS}
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and not _SERVER_ANNOTATIONS.isdisjoint(annotations):
        metadata["annotations"] = {name: text for name, text in annotations.items() if name not in _SERVER_ANNOTATIONS}
    found["metadata"] = metadata
    return found


def comparable(obj: Object, gvk: GroupVersionKind, node: Node) -> Object:
    """Return the part of an object that counts, as the server would spell it; `obj` is bare already."""
    if node is ANY or node.embedded:
        counted = _without_nulls(obj if node is ANY else defaults.apply_schema_defaults(obj, node))
    else:
        counted = _typed(defaults.apply(_typed(obj, node), gvk), node)
    return {**counted, "metadata": _typed(obj["metadata"], builtin.object_meta())}


def _typed(value: Any, node: Node | None) -> Any:
    """Return a value as a Go struct of this schema would print it, apart from zero scalars."""
    if isinstance(value, dict):
        return _typed_map(value, node)
    if isinstance(value, list):
        items = node.elements if node is not None else None
        return [_typed(item, items) for item in value]
    if node is not None and node.format == "byte" and isinstance(value, str):
        return value.replace("\n", "").replace("\r", "")
    return value


def _typed_map(value: dict[str, Any], node: Node | None) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, member in value.items():
        child = node.field(name) if node is not None else None
        if member is None:
            if node is not None and name not in node.fields and child is not None and child.type == "string":
                out[name] = ""
            continue
        typed = _typed(member, child)
        if not (child is not None and _is_forgotten(typed, child)):
            out[name] = typed
    return out


def _is_forgotten(value: Any, node: Node) -> bool:
    if value == [] and isinstance(value, list):
        return node.type == "array"
    return value == {} and node.type == "object" and not node.fields and not node.preserve_unknown


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
