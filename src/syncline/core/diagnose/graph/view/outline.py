"""Keeps of an object what a diagnosis may need, so that two hundred thousand of them fit into memory.

Called by whoever reads objects for a snapshot. Who wrote which field is kept only where somebody asks about drift; of a
Secret nothing is kept but its name and the names of its keys, wherever it comes from.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.model import names
from syncline.model.masking import is_secret

LONGEST_VALUE = 8 * 1024
"""Longer values of ConfigMaps are left out; no cause is told by them."""
_HISTORY = 3
_PART_OF = "app.kubernetes.io/part-of"
_SECRET_PARTS = ("name", "namespace", "labels", "uid", "creationTimestamp", "deletionTimestamp", "ownerReferences")


def outlined(obj: Object, drifted: Collection[ObjectKey] = ()) -> Object:
    """Return an object without what no diagnosis needs; `drifted` are those whose writers matter."""
    if is_secret(obj):
        return _secret(obj)
    keep_writers = bool(drifted) and key_of(obj) in drifted
    obj = {**obj, "metadata": _metadata(obj, keep_writers=keep_writers)}
    shorten = _BY_KIND.get(str(obj.get("kind")))
    return shorten(obj) if shorten else obj


def _metadata(obj: Object, *, keep_writers: bool) -> dict[str, Any]:
    kept = dict(meta.metadata(obj))
    if not keep_writers:
        kept.pop("managedFields", None)
    annotations = kept.get("annotations")
    if isinstance(annotations, dict) and names.LAST_APPLIED in annotations:
        kept["annotations"] = {name: text for name, text in annotations.items() if name != names.LAST_APPLIED}
    return kept


def _secret(obj: Object) -> Object:
    """Return a Secret by name, with its keys and nothing behind them."""
    found = meta.metadata(obj)
    keys = {str(key) for part in ("data", "stringData") for key in _map(obj.get(part))}
    keys |= {key for entry in meta.managed_fields(obj) for key in _written_keys(entry)}
    outline: Object = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {name: found[name] for name in _SECRET_PARTS if name in found},
        "data": dict.fromkeys(sorted(keys), ""),
    }
    return outline | ({"type": obj["type"]} if isinstance(obj.get("type"), str) else {})


def _written_keys(entry: Object) -> list[str]:
    """Return the keys of a Secret that a writer wrote: so they are known without any value being read."""
    fields = _map(entry.get("fieldsV1"))
    written = (key for part in ("f:data", "f:stringData") for key in _map(fields.get(part)))
    return [key.removeprefix("f:") for key in written if key.startswith("f:")]


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _config_map(obj: Object) -> Object:
    if "binaryData" in obj:
        obj = {**obj, "binaryData": dict.fromkeys(_map(obj["binaryData"]), "")}
    data = _map(obj.get("data"))
    if meta.labels(obj).get(_PART_OF) == "argocd":
        # Settings of the installation, some of which are long scripts.
        return obj
    if any(len(str(value)) > LONGEST_VALUE for value in data.values()):
        obj = {**obj, "data": {key: _cut(value) for key, value in data.items()}}
    return obj


def _cut(value: Any) -> Any:
    size = len(str(value))
    return f"({size} characters left out)" if size > LONGEST_VALUE else value


def _definition(obj: Object) -> Object:
    """Return a CustomResourceDefinition without its schemas, which are most of it."""
    spec = _map(obj.get("spec"))
    versions = [
        {name: value for name, value in version.items() if name != "schema"}
        for version in spec.get("versions") or ()
        if isinstance(version, dict)
    ]
    return {**obj, "spec": {**spec, "versions": versions}}


def _node(obj: Object) -> Object:
    status = {name: value for name, value in _map(obj.get("status")).items() if name != "images"}
    return {**obj, "status": status}


def _application(obj: Object) -> Object:
    status = _map(obj.get("status"))
    history = status.get("history")
    if isinstance(history, list) and len(history) > _HISTORY:
        obj = {**obj, "status": {**status, "history": history[-_HISTORY:]}}
    return obj


_BY_KIND = {
    "ConfigMap": _config_map,
    "CustomResourceDefinition": _definition,
    "Node": _node,
    "Application": _application,
}
