"""Custom kinds: from a CustomResourceDefinition to served resources, and what its schema does to objects.

`syncline.sandbox.controllers.definitions` registers what `resources_of` makes; `syncline.sandbox.api.writes` asks
`conform` and `complete` for every object of such a kind; `syncline.sandbox.served.custom_rules` holds it to its schema.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import crd, prune, structural_defaults
from syncline.apimachinery.schema.node import ANY, Node
from syncline.sandbox.served.resources import Custom, PrinterColumn, Resource, ScalePaths

_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_LEFT_OUT_WHEN_EMPTY = ("labels", "annotations", "finalizers", "ownerReferences")
_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


def resources_of(definition: Object, before: Resource | None = None, *, used: bool = False) -> list[Resource]:
    """Return the served versions of a custom kind under the names it got, the preferred one first.

    `before` is how it was served until now, and `used` says whether there are objects of it.
    """
    spec = definition["spec"]
    accepted = (definition.get("status") or {}).get("acceptedNames") or {}
    names = accepted if accepted.get("kind") else spec.get("names") or {}
    served = [version for version in spec.get("versions") or () if version.get("served")]
    served.sort(key=lambda version: version_rank(version["name"]), reverse=True)
    ways = _ways(definition, served, before, used=used)
    return [
        Resource(
            gvk=GroupVersionKind(spec["group"], version["name"], names["kind"]),
            plural=names["plural"],
            singular=names.get("singular") or names["kind"].lower(),
            namespaced=spec.get("scope") == "Namespaced",
            short_names=tuple(names.get("shortNames") or ()),
            categories=tuple(names.get("categories") or ()),
            subresources=_subresources(version),
            verbs=_VERBS,
            custom=_custom(definition, version, ways),
        )
        for version in served
    ]


def version_rank(name: str) -> tuple[int, int, int, str]:
    """Order version names as Kubernetes does: v2 above v1 above v1beta2 above v1alpha1 above anything else."""
    found = _VERSION.fullmatch(name)
    if not found:
        return (0, 0, 0, name)
    major, stage, minor = found.groups()
    return ({None: 3, "beta": 2, "alpha": 1}[stage], int(major), int(minor or 0), "")


def _subresources(version: Object) -> tuple[str, ...]:
    declared = version.get("subresources") or {}
    return tuple(name for name in ("status", "scale") if declared.get(name) is not None)


class _Ways(NamedTuple):
    """How objects come from storage: the schemas of all served versions, and that of the stored one."""

    nodes: dict[str, Node]
    stored: Node
    reshaped: bool


def _ways(definition: Object, served: list[Object], before: Resource | None, *, used: bool) -> _Ways:
    spec = definition["spec"]
    nodes = {
        f"{spec['group']}/{version['name']}": crd.schema_for(definition, version["name"]) or ANY for version in served
    }
    storage = [version["name"] for version in spec.get("versions") or () if version.get("storage")]
    stored = (crd.schema_for(definition, storage[0]) if storage else None) or ANY
    was = None if before is None or before.custom is None else before.custom
    # Objects that are there were stored by another schema, or nobody knows by which.
    stale = used and (was is None or was.reshaped or (was.stored or was.node) is not stored)
    return _Ways(nodes, stored, stale or any(node is not stored for node in nodes.values()))


def _asks_webhook(definition: Object) -> bool:
    return (definition["spec"].get("conversion") or {}).get("strategy") == "Webhook"


def _custom(definition: Object, version: Object, ways: _Ways) -> Custom:
    api_version = f"{definition['spec']['group']}/{version['name']}"
    node, written = ways.nodes[api_version], orjson.dumps(version.get("schema"))
    declared = version.get("subresources") or {}
    scale = declared.get("scale")
    return Custom(
        schema=(version.get("schema") or {}).get("openAPIV3Schema") or {},
        node=node,
        others={name: other for name, other in ways.nodes.items() if name != api_version},
        stored=None if node is ways.stored else ways.stored,
        webhook=_asks_webhook(definition) and not version.get("storage"),
        reshaped=ways.reshaped,
        status_subresource=declared.get("status") is not None,
        scale=None
        if scale is None
        else ScalePaths(
            spec_replicas=scale.get("specReplicasPath", ".spec.replicas"),
            status_replicas=scale.get("statusReplicasPath", ".status.replicas"),
            selector=scale.get("labelSelectorPath", ""),
        ),
        columns=tuple(
            PrinterColumn(
                name=column.get("name", ""),
                type=column.get("type", "string"),
                json_path=column.get("jsonPath", ""),
                format=column.get("format", ""),
                description=column.get("description", ""),
                priority=column.get("priority", 0),
            )
            for column in version.get("additionalPrinterColumns") or ()
        ),
        selectable_fields=tuple(field.get("jsonPath", "") for field in version.get("selectableFields") or ()),
        storage=bool(version.get("storage")),
        ruled=b'"x-kubernetes-validations"' in written,
        embeds=b'"x-kubernetes-embedded-resource"' in written,
        keyed=b'"x-kubernetes-list-type"' in written,
        deprecated=bool(version.get("deprecated")),
        deprecation_warning=version.get("deprecationWarning") or "",
    )


def conform(resource: Resource, obj: Object) -> tuple[Object, list[str]]:
    """Return an object without the fields its schema does not know, and the paths of those."""
    node = resource.node()
    pruned = prune.prune(obj, node)
    unknown: list[str] = []
    if pruned is not obj:
        _collect_unknown(obj, pruned, "", unknown)
    return (dict(pruned) if pruned is obj else pruned), unknown


def for_storage(resource: Resource, obj: Object) -> Object:
    """Return an object as it is stored: without what the schema of the stored version does not know."""
    stored = None if resource.custom is None else resource.custom.stored
    return obj if stored is None else prune.prune(obj, stored)


def _collect_unknown(before: Any, after: Any, path: str, unknown: list[str]) -> None:
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            where = f"{path}.{key}" if path else key
            if key not in after:
                unknown.append(where)
            else:
                _collect_unknown(value, after[key], where, unknown)
    elif isinstance(before, list) and isinstance(after, list):
        for index, (old, new) in enumerate(zip(before, after, strict=False)):
            _collect_unknown(old, new, f"{path}[{index}]", unknown)


def complete(resource: Resource, obj: Object) -> Object:
    """Return the object with its schema's defaults; empty parts of its metadata are as good as none."""
    filled = dict(structural_defaults.apply_schema_defaults(obj, resource.node()))
    metadata = filled.get("metadata")
    if isinstance(metadata, dict) and any(metadata.get(name) in ({}, []) for name in _LEFT_OUT_WHEN_EMPTY):
        filled["metadata"] = {
            name: value for name, value in metadata.items() if value or name not in _LEFT_OUT_WHEN_EMPTY
        }
    return filled
