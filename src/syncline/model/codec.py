"""JSON for every value of the model, there and back.

Used by snapshots, `-o json` and tests. Snapshots get their Secret values digested on the way out: a value that was
encoded here can be shared.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model.desired import DesiredObject
from syncline.model.masking import digest_values
from syncline.model.snapshot import Snapshot

T = TypeVar("T")


def encode(value: Any) -> bytes:
    """Return the JSON of a model value."""
    return msgspec.json.encode(value, order="deterministic")


def decode(kind: type[T], text: bytes | str) -> T:
    """Return the model value of a JSON text."""
    return msgspec.json.decode(text, type=kind)


def to_object(value: Any) -> Object:
    """Return a model value as it is stored in an object: plain JSON data, without what has its default."""
    found: Object = msgspec.json.decode(encode(value))
    return found


def encode_snapshot(snapshot: Snapshot, key: bytes) -> bytes:
    """Return the JSON of a snapshot with Secret values as digests under `key`."""
    return encode(digested(snapshot, key))


def digested(snapshot: Snapshot, key: bytes) -> Snapshot:
    """Return the snapshot with Secret values as digests under `key`."""
    desired = snapshot.desired
    if desired is not None:
        objects = tuple(DesiredObject(digest_values(item.obj, key), item.origin) for item in desired.objects)
        desired = msgspec.structs.replace(desired, objects=objects, inputs=(), fetched=())
    live = tuple(digest_values(obj, key) for obj in snapshot.live)
    dry_runs = tuple(
        msgspec.structs.replace(run, answer=digest_values(run.answer, key) if run.answer is not None else None)
        for run in snapshot.dry_runs
    )
    return msgspec.structs.replace(snapshot, desired=desired, live=live, dry_runs=dry_runs)
