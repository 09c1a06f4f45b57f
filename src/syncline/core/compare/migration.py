"""Ownership left behind by client-side apply, moved to our field manager before the first server-side apply.

Used by `syncline.core.compare.strategies.structured` (to predict) and `syncline.controller.deliver.writing` (to do it,
under a resourceVersion test). Without it a key removed from Git would stay live for ever, because its former writer
still holds it.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import merge, meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import lastapplied
from syncline.apimachinery.schema.node import Node
from syncline.model import names
from syncline.model.application import Application
from syncline.model.masking import as_stored, is_secret

EARLIER_MANAGERS = (
    "kubectl-client-side-apply",
    "before-first-apply",
    "argocd-controller",
    "argocd-application-controller",
)
"""Managers whose Update-owned fields are ours to take over: kubectl's, and Argo CD's from before server-side apply."""
_PLAIN, _DATA = "f:stringData", "f:data"


def named(app: Application | None) -> tuple[str, ...]:
    """Return the manager an Application names as its former client-side applier."""
    name = app.metadata.annotations.get(names.MIGRATION_MANAGER, "").strip() if app is not None else ""
    return (name,) if name else ()


def migrated(live: Object, manager: str, node: Node, also: tuple[str, ...] = ()) -> Object | None:
    """Return the live object with earlier managers' fields under `manager`, or None when there is nothing to move.

    `also` are managers that the Application names in addition to those everybody knows.
    """
    stored = _owned_as_stored(live)
    metadata = meta.metadata(stored or live)
    managers = (*EARLIER_MANAGERS, *also)
    entries = metadata.get("managedFields") or ()
    if not any(entry.get("operation") == "Update" and _is_earlier(entry, managers) for entry in entries):
        return stored
    fields = merge.migrate_client_side(stored or live, from_managers=managers, to_manager=manager, node=node)
    if fields is None:
        return stored
    return {**live, "metadata": {**metadata, "managedFields": fields}}


def _owned_as_stored(live: Object) -> Object | None:
    """Return a Secret whose `stringData` somebody owns as if it were the `data` it became; None for anything else.

    The API server keeps such ownership although nothing is there to own, so a key that goes from Git would stay live.
    """
    entries = meta.managed_fields(live)
    if not is_secret(live) or not any(_PLAIN in (entry.get("fieldsV1") or {}) for entry in entries):
        return None
    return {**live, "metadata": {**live["metadata"], "managedFields": [_as_stored(entry) for entry in entries]}}


def _as_stored(entry: dict[str, Any]) -> dict[str, Any]:
    fields = dict(entry.get("fieldsV1") or {})
    plain = fields.pop(_PLAIN, None)
    return entry if plain is None else {**entry, "fieldsV1": {**fields, _DATA: {**fields.get(_DATA, {}), **plain}}}


def _is_earlier(entry: dict[str, Any], managers: tuple[str, ...]) -> bool:
    """Whether an entry is of a known client-side applier, or of whoever wrote the last-applied annotation."""
    if entry.get("manager") in managers:
        return True
    part: Any = entry
    for name in ("fieldsV1", "f:metadata", "f:annotations", f"f:{names.LAST_APPLIED}"):
        part = part.get(name) if isinstance(part, dict) else None
    return part is not None


def assumed(live: Object, manager: str, node: Node) -> Object | None:
    """Return a live object without managedFields (as `kubectl get` prints it) as if `manager` had applied what the
    last-applied annotation says; None where it has managedFields or no readable annotation.
    """
    metadata = meta.metadata(live)
    applied = lastapplied.configuration(live) if not metadata.get("managedFields") else None
    if applied is None:
        return None
    # What was applied as stringData is live as data: a key that is gone from there must be found here.
    applied = as_stored(applied) if is_secret(applied) else applied
    applied = _without_empty(applied, live)
    try:
        fields = merge.set_of(applied, node).to_fields_v1()
    except merge.SchemaError:
        return None
    entry = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": live.get("apiVersion"),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {**live, "metadata": {**metadata, "managedFields": [entry]}}


def _without_empty(applied: Object, live: Object) -> Object:
    """Return what was applied without empty maps that are not empty live: what others put into them is theirs.

    kubectl writes `annotations: {}` into everything that it applies.
    """
    found = {}
    for name, value in applied.items():
        present = live.get(name)
        if isinstance(value, dict) and isinstance(present, dict):
            if present and not value:
                continue
            value = _without_empty(value, present)
        found[name] = value
    return found
