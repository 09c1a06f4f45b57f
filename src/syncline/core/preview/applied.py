"""Tells what Argo CD applied of an object, from the object itself: the nearest that a cluster has to its render.

Called by `syncline.api.parity`. A server-side apply leaves the set of its fields in managedFields, under the manager
argocd-controller; their values are live. A client-side apply leaves the whole manifest in an annotation. An object that
was created or replaced has neither: nothing is known about what was rendered for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of
from syncline.apimachinery.merge import lastapplied, managers, removing
from syncline.apimachinery.merge.values import SchemaError
from syncline.apimachinery.schema import defaults
from syncline.apimachinery.schema.stored import stored_form
from syncline.core.compare.context import NodeFor
from syncline.core.preview.parity import Unequal, compared, placed
from syncline.model import names

_NOT_APPLIED = ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp")


def applied(live: Object, node_for: NodeFor) -> Object | None:
    """Return what Argo CD last applied of an object; None where the object does not tell."""
    return _server_side(live, node_for) or lastapplied.configuration(live)


def _server_side(live: Object, node_for: NodeFor) -> Object | None:
    try:
        owners = managers.decode(meta.metadata(live).get("managedFields"))
    except SchemaError:
        return None
    mine = [
        owner
        for identity, owner in owners.items()
        if (identity.manager, identity.operation, identity.subresource) == (names.FIELD_MANAGER, managers.APPLY, "")
    ]
    if len(mine) != 1 or mine[0].api_version != live.get("apiVersion"):
        return None
    found = removing.extract(live, mine[0].fields, node_for(gvk_of(live)))
    metadata = {"name": meta.name(live), **(found.get("metadata") or {})}
    return {**found, "apiVersion": live.get("apiVersion"), "kind": live.get("kind"), "metadata": metadata}


def against_live(
    ours: Iterable[Object],
    live: Mapping[ObjectKey, Object],
    managed: frozenset[ObjectKey],
    namespace: str,
    node_for: NodeFor,
) -> tuple[tuple[Unequal, ...], int, int]:
    """Compare a render with what Argo CD applied of the objects that it manages.

    Returns what is unequal, how many objects were compared, and of how many nobody knows what was rendered.
    """
    rendered = list(ours)
    records = {key: record for key in managed if key in live and (record := applied(live[key], node_for)) is not None}
    theirs = [_stored(record, node_for) for record in records.values()]
    mine = [_stored(obj, node_for) for obj in rendered]
    found = compared(mine, theirs, namespace, node_for=node_for)
    unknown = managed - set(records)
    silent = {placed(key, namespace) for key in unknown}
    return tuple(one for one in found if one.key not in silent), len(records), len(unknown)


def _stored(obj: Object, node_for: NodeFor) -> Object:
    """Return an object as the server keeps it: defaults filled in, since keys of lists have some; zeros left out."""
    gvk = gvk_of(obj)
    node = node_for(gvk)
    filled = defaults.apply_schema_defaults(defaults.apply(_plain(obj), gvk), node)
    return _without_nothing(stored_form(filled, node))


def _plain(obj: Object) -> Object:
    """Return an object without what the server adds, and without fields that say nothing: those are not stored."""
    metadata = {name: value for name, value in meta.metadata(obj).items() if name not in _NOT_APPLIED}
    annotations = metadata.get("annotations")
    if isinstance(annotations, Mapping):
        metadata["annotations"] = {name: text for name, text in annotations.items() if name != names.LAST_APPLIED}
    plain = {name: value for name, value in obj.items() if name != "status"}
    return _without_nothing({**plain, "metadata": metadata})


def _without_nothing(obj: Object) -> Object:
    found: Object = _bare(obj)
    return found


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        found = {name: _bare(inner) for name, inner in value.items()}
        return {name: inner for name, inner in found.items() if inner not in (None, {}, [])}
    if isinstance(value, list):
        return [_bare(inner) for inner in value]
    return value
