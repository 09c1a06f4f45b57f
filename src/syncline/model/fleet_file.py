"""A fleet's snapshot as a file: one line of JSON for what it is, then one for each object, Event, log and so on.

Written by `syncline snapshot` and read by `syncline diagnose --from`. Line by line, so that neither side ever holds the
text of all of it; the first line tells schema, time and clusters, and is enough to know what the file is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec, Place
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Generated, Rendered
from syncline.model.snapshot import PodLog

SCHEMA = 1
MAGIC = b'{"syncline":"snapshot"'
"""How the first line begins."""


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    syncline: str = "snapshot"
    schema_version: int = msgspec.field(default=SCHEMA, name="schemaVersion")
    as_of: str = msgspec.field(default="", name="asOf")
    origin: str = ""
    clusters: tuple[ClusterSnapshot, ...] = ()
    generated: tuple[Generated, ...] = ()


class _Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was read; `cluster` is its number."""

    cluster: int = 0
    object: dict[str, Any] | None = None
    event: dict[str, Any] | None = None
    log: PodLog | None = None
    rendered: Rendered | None = None
    alert: dict[str, Any] | None = None
    series: dict[str, Any] | None = None


class _Parts:
    """What has been read of one cluster so far."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.logs: list[PodLog] = []


def is_snapshot(beginning: bytes) -> bool:
    """Whether a file that begins like that is a snapshot."""
    return beginning.startswith(MAGIC)


def lines(snapshot: FleetSnapshot, clean: Callable[[Any], Any]) -> Iterator[bytes]:
    """Yield the lines of the file; whatever comes from a cluster passes `clean`, which takes secrets out."""
    bare = tuple(msgspec.structs.replace(one, objects=(), events=(), logs=()) for one in snapshot.clusters)
    head = _Head(as_of=snapshot.as_of, origin=snapshot.origin, clusters=bare, generated=snapshot.generated)
    yield _encoded(head)
    for number, cluster in enumerate(snapshot.clusters):
        yield from (_encoded(_Line(cluster=number, object=clean(obj))) for obj in cluster.objects)
        yield from (_encoded(_Line(cluster=number, event=clean(obj))) for obj in cluster.events)
        yield from (_encoded(_Line(cluster=number, log=log)) for log in cluster.logs)
    yield from (_encoded(_Line(rendered=_cleaned(one, clean))) for one in snapshot.rendered)
    yield from (_encoded(_Line(alert=clean(one))) for one in snapshot.alerts)
    yield from (_encoded(_Line(series=clean(one))) for one in snapshot.series)


def _cleaned(rendered: Rendered, clean: Callable[[Any], Any]) -> Rendered:
    desired = rendered.desired
    if desired is None:
        return msgspec.structs.replace(rendered, problem=clean(rendered.problem))
    objects = tuple(DesiredObject(clean(one.obj), one.origin) for one in desired.objects)
    return msgspec.structs.replace(
        rendered, desired=msgspec.structs.replace(desired, objects=objects, inputs=(), fetched=())
    )


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def read(found: Iterable[bytes], file: str) -> FleetSnapshot:
    """Return the snapshot of a file's lines; `InvalidSpec` names the line that cannot be read."""
    rest = iter(found)
    head = _head(next(rest, b""), file)
    parts = [_Parts() for _ in head.clusters]
    rendered: list[Rendered] = []
    alerts: list[dict[str, Any]] = []
    series: list[dict[str, Any]] = []
    decode = msgspec.json.Decoder(_Line).decode
    for number, text in enumerate(rest, 2):
        try:
            line = decode(text)
            _sort(line, parts, rendered, alerts, series)
        except (msgspec.DecodeError, IndexError):
            message = "this line of the snapshot cannot be read: the file was cut short or changed"
            raise InvalidSpec(message, place=Place(file, number)) from None
    clusters = tuple(
        msgspec.structs.replace(one, objects=tuple(part.objects), events=tuple(part.events), logs=tuple(part.logs))
        for one, part in zip(head.clusters, parts, strict=True)
    )
    return FleetSnapshot(
        as_of=head.as_of,
        origin=head.origin,
        clusters=clusters,
        rendered=tuple(rendered),
        generated=head.generated,
        alerts=tuple(alerts),
        series=tuple(series),
    )


def _sort(
    line: _Line,
    parts: list[_Parts],
    rendered: list[Rendered],
    alerts: list[dict[str, Any]],
    series: list[dict[str, Any]],
) -> None:
    if line.object is not None:
        parts[line.cluster].objects.append(line.object)
    elif line.event is not None:
        parts[line.cluster].events.append(line.event)
    elif line.log is not None:
        parts[line.cluster].logs.append(line.log)
    elif line.rendered is not None:
        rendered.append(line.rendered)
    elif line.alert is not None:
        alerts.append(line.alert)
    elif line.series is not None:
        series.append(line.series)


def _head(text: bytes, file: str) -> _Head:
    try:
        head = msgspec.json.decode(text, type=_Head)
    except msgspec.DecodeError:
        raise InvalidSpec("this is not a snapshot of syncline", place=Place(file)) from None
    if head.schema_version > SCHEMA:
        message = f"this snapshot has schemaVersion {head.schema_version}, and this syncline knows {SCHEMA}"
        raise InvalidSpec(message, place=Place(file), hint="use a newer syncline")
    return head
