"""Typed access to an object's metadata.

Used wherever somebody reads names, labels, annotations, owners or finalizers of an object as it was decoded; identity
(`key_of`, `gvk_of`) is in `syncline.apimachinery.keys`. Objects come from Git and from files too, so every part may be
null, missing or of the wrong form: that reads as empty, never as an exception. Nothing that is returned may be changed.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from syncline.apimachinery.keys import Object

_EMPTY: Mapping[str, Any] = MappingProxyType({})


def metadata(obj: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the metadata of an object; empty where there is none."""
    found = obj.get("metadata") if obj is not None else None
    return found if isinstance(found, dict) else _EMPTY


def untyped(obj: Mapping[str, Any]) -> str:
    """Return which of `apiVersion` and `kind` an object lacks, as words; empty where it has both."""
    return " and ".join(field for field in ("apiVersion", "kind") if not _is_text(obj.get(field)))


def name(obj: Mapping[str, Any] | None) -> str:
    """Return the name of an object."""
    return _text(metadata(obj).get("name"))


def generate_name(obj: Mapping[str, Any] | None) -> str:
    """Return the prefix from which the server makes a name."""
    return _text(metadata(obj).get("generateName"))


def namespace(obj: Mapping[str, Any] | None) -> str:
    """Return the namespace of an object; empty for cluster-scoped ones."""
    return _text(metadata(obj).get("namespace"))


def uid(obj: Mapping[str, Any] | None) -> str:
    """Return the uid of an object; empty for one that was not read from a server."""
    return _text(metadata(obj).get("uid"))


def resource_version(obj: Mapping[str, Any] | None) -> str:
    """Return the resourceVersion of an object; empty for one that was not read from a server."""
    return _text(metadata(obj).get("resourceVersion"))


def generation(obj: Mapping[str, Any] | None) -> int:
    """Return the generation of an object, 0 where the server keeps none."""
    found = metadata(obj).get("generation")
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def creation_timestamp(obj: Mapping[str, Any] | None) -> str:
    """Return when an object was created; empty for one that was not read from a server."""
    return _text(metadata(obj).get("creationTimestamp"))


def deletion_timestamp(obj: Mapping[str, Any] | None) -> str:
    """Return since when an object is being deleted; empty while it is not."""
    return _text(metadata(obj).get("deletionTimestamp"))


def labels(obj: Mapping[str, Any] | None) -> Mapping[str, str]:
    """Return the labels of an object."""
    return _texts(metadata(obj).get("labels"))


def annotations(obj: Mapping[str, Any] | None) -> Mapping[str, str]:
    """Return the annotations of an object."""
    return _texts(metadata(obj).get("annotations"))


def annotation(obj: Mapping[str, Any] | None, key: str) -> str:
    """Return one annotation of an object; empty where it has none."""
    return _entry(metadata(obj).get("annotations"), key)


def finalizers(obj: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the finalizers of an object, in order."""
    found = metadata(obj).get("finalizers")
    return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list) else ()


def owner_references(obj: Mapping[str, Any] | None) -> tuple[Object, ...]:
    """Return the references to the owners of an object, in order."""
    return _maps(metadata(obj).get("ownerReferences"))


def managed_fields(obj: Mapping[str, Any] | None) -> tuple[Object, ...]:
    """Return the entries that say which manager owns which fields."""
    return _maps(metadata(obj).get("managedFields"))


def _maps(found: Any) -> tuple[Object, ...]:
    return tuple(item for item in found if isinstance(item, dict)) if isinstance(found, list) else ()


def _entry(found: Any, key: str) -> str:
    return _text(found.get(key)) if isinstance(found, dict) else ""


def _texts(found: Any) -> Mapping[str, str]:
    """Return a map of texts; the very one that was found unless a value is not text."""
    if not isinstance(found, dict):
        return _EMPTY
    for value in found.values():
        if not isinstance(value, str):
            return {key: _text(value) for key, value in found.items() if _is_scalar(value)}
    return found


def _text(value: Any) -> str:
    """Return a scalar as JSON writes it (YAML without quotes makes numbers and booleans); empty for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if _is_scalar(value) else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)
