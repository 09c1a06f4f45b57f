"""Reads and writes `metadata.managedFields`: who owns which fields, through which operation, since when.

`syncline.apimachinery.merge.applying` and `updating` decode what live has, change owners, and encode the result.
An applier is one owner whatever API version it uses; an updater is another owner with every version.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import paths
from syncline.apimachinery.merge.fieldset import FieldSet
from syncline.apimachinery.merge.values import SchemaError

APPLY: Final = "Apply"
UPDATE: Final = "Update"
MAX_UPDATERS: Final = 10
_BUCKET: Final = "ancient-changes"


class OwnerId(NamedTuple):
    """What makes two writes those of one owner; the version is empty for appliers."""

    manager: str
    operation: str
    api_version: str
    subresource: str

    @property
    def text(self) -> str:
        """The identifier as Kubernetes builds it; owners are ordered by it."""
        return _identifier(self)


@functools.lru_cache(maxsize=1024)
def _identifier(owner: OwnerId) -> str:
    import json

    members = {"manager": owner.manager, "operation": owner.operation, "apiVersion": owner.api_version}
    members["subresource"] = owner.subresource
    return json.dumps({name: text for name, text in members.items() if text}, separators=(",", ":"))


class Owner(NamedTuple):
    """The fields of one owner, in the API version it wrote them."""

    fields: FieldSet
    api_version: str
    time: str | None = None
    fits: bool = False
    """Whether the fields are known to fit the schema of today."""

    def with_fields(self, fields: FieldSet) -> Owner:
        """Return the same owner with other fields."""
        return self if fields is self.fields else Owner(fields, self.api_version, self.time)


Owners = dict[OwnerId, Owner]


def owner_id(manager: str, operation: str, api_version: str, subresource: str) -> OwnerId:
    """Name an owner; writers without a name are `unknown`."""
    return OwnerId(manager or "unknown", operation, "" if operation == APPLY else api_version, subresource)


def decode(entries: Any, *, expected: FieldSet | None = None) -> Owners:
    """Read managedFields; raises `SchemaError` where they are malformed.

    Fields equal to the `expected` ones, just made by the schema, need no look inside.
    """
    owners: Owners = {}
    for number, entry in enumerate(entries or ()):
        operation = entry.get("operation")
        if operation not in (APPLY, UPDATE):
            raise SchemaError("operation must be `Apply` or `Update`")
        api_version = entry.get("apiVersion")
        if not api_version:
            raise SchemaError("apiVersion must not be empty")
        kind = entry.get("fieldsType") or ""
        if kind != "FieldsV1":
            problem = f'invalid fieldsType "{kind}"' if kind else "missing fieldsType"
            raise SchemaError(f"{problem} in managed fields entry {number}")
        raw = _fields(entry)
        fits = expected is not None and bool(raw) and raw == expected.tree
        try:
            fields = FieldSet(raw) if fits else FieldSet.from_fields_v1(raw, like=expected)
        except paths.InvalidPathElement as problem:
            raise SchemaError(f"error decoding set: {problem}") from None
        identity = OwnerId(
            entry.get("manager") or "",
            operation,
            "" if operation == APPLY else api_version,
            entry.get("subresource") or "",
        )
        owners[identity] = Owner(fields, api_version, entry.get("time"), fits)
    return owners


def _fields(entry: Mapping[str, Any]) -> Any:
    return entry.get("fieldsV1")


def encode(owners: Owners, *, known: Any = None) -> list[Object]:
    """Write managedFields; entries of `known` that did not change are handed on as they are."""
    reusable = {id(_fields(entry)): entry for entry in known or () if isinstance(entry, dict)}
    out: list[Object] = []
    for identity, owner in owners.items():
        entry = reusable.get(id(owner.fields.tree))
        if entry is None or not _says(entry, identity, owner):
            entry = _entry(identity, owner, known)
        out.append(entry)
    out.sort(key=_order)
    return out


def _says(entry: Mapping[str, Any], identity: OwnerId, owner: Owner) -> bool:
    return (
        entry.get("time") == owner.time
        and entry.get("manager") == identity.manager
        and entry.get("operation") == identity.operation
        and entry.get("apiVersion") == owner.api_version
        and (entry.get("subresource") or "") == identity.subresource
    )


def _entry(identity: OwnerId, owner: Owner, known: Any) -> Object:
    entry: Object = {"apiVersion": owner.api_version, "fieldsType": "FieldsV1"}
    before = (_fields(other) for other in known or () if other.get("manager") == identity.manager)
    entry["fieldsV1"] = owner.fields.to_fields_v1(known=next((tree for tree in before if isinstance(tree, dict)), {}))
    if identity.manager:
        entry["manager"] = identity.manager
    entry["operation"] = identity.operation
    if identity.subresource:
        entry["subresource"] = identity.subresource
    if owner.time is not None:
        entry["time"] = owner.time
    return entry


def _order(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        entry["operation"],
        entry.get("time") or "",
        entry.get("manager") or "",
        entry["apiVersion"],
        entry.get("subresource") or "",
    )


def is_reset(entries: Any) -> bool:
    """Tell whether a writer asks to forget all owners: an empty list, or one empty entry."""
    if not isinstance(entries, list):
        return False
    return not entries or (len(entries) == 1 and not entries[0])


def same_but_times(left: Any, right: Any) -> bool:
    """Compare managedFields without looking at times."""
    if left is right:
        return True
    left, right = left or (), right or ()
    return len(left) == len(right) and all(
        a is b or {**a, "time": None} == {**b, "time": None} for a, b in zip(left, right, strict=True)
    )


def capped(owners: Owners) -> Owners:
    """Fold the oldest updaters into `ancient-changes` while there are more than ten."""
    updaters = [identity for identity in owners if identity.operation == UPDATE]
    count = len(updaters)
    if count <= MAX_UPDATERS:
        return owners
    updaters.sort(key=lambda identity: (owners[identity].time or "", identity.text))
    out = dict(owners)
    first: dict[str, OwnerId] = {}
    for identity in updaters:
        if count <= MAX_UPDATERS:
            break
        owner = owners[identity]
        version = owner.api_version
        # Sets of different versions cannot be joined, so there is one bucket per version. A single entry is not folded:
        # its name would be lost and no entry saved; it becomes the bucket when a second one of its version comes.
        if version not in first:
            first[version] = identity
            continue
        bucket = OwnerId(_BUCKET, UPDATE, version, "")
        if bucket not in out:
            out[bucket] = out.pop(first[version])
        fields = owner.fields.union(out[bucket].fields)
        del out[identity]
        # The folded entry is the younger one, so its time is the bucket's.
        out[bucket] = Owner(fields, version, owner.time)
        count -= 1
    return out
