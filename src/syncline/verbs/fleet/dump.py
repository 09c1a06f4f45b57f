"""Makes a snapshot out of the files of a dump: whatever `kubectl get -o yaml|json` printed, in any layout, with logs.

Called by the command line with the files of a folder, as `syncline.wiring` reads them. Lists, several documents and
objects alone are all read; alerts of an Alertmanager and results of a Prometheus are told by their form. A file that
is none of this is named and skipped. Logs are found by their path: `logs/POD/CONTAINER.log`, also below a namespace and
with `.previous.log`, and as `kubectl cluster-info dump` and `oc adm inspect` lay them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import orjson

from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.findings.redaction import redacted
from syncline.core.diagnose.graph.view.outline import outlined
from syncline.model import names
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from syncline.model.masking import is_secret
from syncline.model.snapshot import PodLog
from syncline.verbs.fleet.dump_logs import LogPlace, log_place, sections

_LIMITS = yaml.YamlLimits(max_bytes=1 << 30, max_nodes=100_000_000)
_LINES = 200
_TIMES = re.compile(r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d")
_TIME_FIELDS = frozenset(
    {
        "lastTimestamp",
        "eventTime",
        "lastTransitionTime",
        "lastHeartbeatTime",
        "lastScheduleTime",
        "renewTime",
        "startedAt",
        "finishedAt",
        "creationTimestamp",
        "deletionTimestamp",
        "reconciledAt",
    }
)


class DumpFile(msgspec.Struct, frozen=True):
    """One file: its path below the folder, and how its bytes are read."""

    path: str
    read: Callable[[], bytes]


class DumpRead(msgspec.Struct, frozen=True):
    """What a dump holds, and a sentence for each file that was skipped."""

    snapshot: FleetSnapshot
    skipped: tuple[str, ...] = ()


class _Found:
    """What has been read so far."""

    def __init__(self) -> None:
        self.objects: dict[ObjectKey, Object] = {}
        self.events: dict[ObjectKey, Object] = {}
        self.alerts: list[Object] = []
        self.series: list[Object] = []
        self.logs: list[tuple[LogPlace, tuple[str, ...]]] = []
        self.skipped: list[str] = []
        self.secrets = False

    def add(self, obj: Object) -> None:
        self.secrets = self.secrets or is_secret(obj)
        key = key_of(obj)
        if key.kind == "Event" and key.group in ("", "events.k8s.io"):
            self.events[ObjectKey("", "Event", key.namespace, key.name)] = outlined(as_core_event(obj))
        else:
            # All writers are kept: a dump is read once, and whoever made it wants to know who wrote what.
            self.objects[key] = outlined(obj, drifted={key})


def read_dump(files: Iterable[DumpFile], origin: str) -> DumpRead:
    """Return what the files hold."""
    found = _Found()
    for file in files:
        try:
            _take(file, found)
        except _Odd as odd:
            found.skipped.append(f"{file.path}: {odd}")
    cluster = ClusterSnapshot(
        name=origin,
        server=names.IN_CLUSTER_SERVER,
        objects=tuple(found.objects[key] for key in sorted(found.objects)),
        events=tuple(found.events[key] for key in sorted(found.events)),
        logs=tuple(_logs(found)),
        secrets_listed=found.secrets,
    )
    snapshot = FleetSnapshot(
        as_of=_newest((*found.events.values(), *found.objects.values())),
        origin=origin,
        clusters=(cluster,),
        alerts=tuple(found.alerts),
        series=tuple(found.series),
    )
    return DumpRead(snapshot, tuple(found.skipped))


class _Whole(_Found):
    """Objects as they are, with every field."""

    def add(self, obj: Object) -> None:
        self.objects[key_of(obj)] = obj


def whole_objects(files: Iterable[DumpFile]) -> tuple[dict[ObjectKey, Object], tuple[str, ...], str]:
    """Return the objects of the files with every field, what was skipped, and the newest time in them."""
    found = _Whole()
    for file in files:
        try:
            _take(file, found)
        except _Odd as odd:
            found.skipped.append(f"{file.path}: {odd}")
    return found.objects, tuple(found.skipped), _newest(found.objects.values())


class _Odd(Exception):
    """Why a file is skipped."""


def _take(file: DumpFile, found: _Found) -> None:
    if (place := log_place(file.path)) is not None:
        text = _text(file)
        for one, lines in sections(text, place):
            found.logs.append((one, tuple(redacted(line) for line in lines[-_LINES:] if line.strip())))
        return
    taken = False
    for document in _documents(file):
        taken = _take_value(document, found) or taken
    if not taken:
        raise _Odd("has no Kubernetes object, alert or series")


def _text(file: DumpFile) -> str:
    try:
        return file.read().decode(errors="replace")
    except OSError as error:
        raise _Odd(str(error.strerror or error)) from None


def _documents(file: DumpFile) -> Iterator[Any]:
    try:
        content = file.read()
    except OSError as error:
        raise _Odd(str(error.strerror or error)) from None
    if content.lstrip()[:1] in (b"{", b"["):
        try:
            yield orjson.loads(content)
            return
        except orjson.JSONDecodeError as error:
            problem = f"is not JSON: {error.msg} in line {error.lineno}"
            if not file.path.endswith((".yaml", ".yml")):
                raise _Odd(problem) from None
    try:
        documents = yaml.load_documents(content, source=file.path, limits=_LIMITS, repeated=[])
    except yaml.YamlError as error:
        raise _Odd(f"is not YAML: {error.message}{f' in line {error.line}' if error.line else ''}") from None
    yield from (document.value for document in documents)


def _take_value(value: Any, found: _Found) -> bool:
    """Take whatever a document is; False where it is nothing that is known."""
    if isinstance(value, list):
        # All of them are taken, not just up to the first that is known.
        return sum(_take_value(one, found) for one in value) > 0
    if not isinstance(value, dict):
        return False
    items = value.get("items")
    if isinstance(items, list) and str(value.get("kind") or "").endswith("List"):
        for item in items:
            if isinstance(item, dict):
                _take_value(_typed(item, value), found)
        return True
    if not meta.untyped(value) and meta.name(value):
        found.add(value)
        return True
    return _take_monitoring(value, found)


def _typed(item: Object, listed: Object) -> Object:
    """Return an item with the kind of its list, where it does not say it: `PodList` holds Pods."""
    kind = str(listed.get("kind")).removesuffix("List")
    if not kind or item.get("kind"):
        return item
    return {"apiVersion": listed.get("apiVersion"), "kind": kind, **item}


def _take_monitoring(value: dict[str, Any], found: _Found) -> bool:
    """Take an alert of an Alertmanager, or what the API of a Prometheus answered."""
    if isinstance(value.get("labels"), dict) and ("startsAt" in value or "activeAt" in value):
        found.alerts.append(value)
        return True
    if isinstance(value.get("metric"), dict) and ("values" in value or "value" in value):
        found.series.append(value)
        return True
    data = value.get("data")
    if value.get("status") != "success" or data is None:
        return False
    if isinstance(data, dict):
        data = data.get("result", data.get("alerts"))
    return _take_value(data, found) or data == []


def as_core_event(obj: Object) -> Object:
    """Return an Event of the newer API as the core one, which everybody reads."""
    if not str(obj.get("apiVersion") or "").startswith("events.k8s.io/"):
        return obj
    core = {
        "apiVersion": "v1",
        "involvedObject": obj.get("regarding") or {},
        "message": obj.get("note") or "",
        "source": obj.get("deprecatedSource") or {"component": obj.get("reportingController") or ""},
        "firstTimestamp": obj.get("deprecatedFirstTimestamp"),
        "lastTimestamp": obj.get("deprecatedLastTimestamp") or (obj.get("series") or {}).get("lastObservedTime"),
        "count": obj.get("deprecatedCount") or (obj.get("series") or {}).get("count") or 1,
    }
    return {**obj, **core}


def _logs(found: _Found) -> Iterator[PodLog]:
    """Yield the logs, those of a container that was replaced last: they hold why it ended, and the last one counts.

    Where the one after it runs and is ready, it is over, and what is printed now counts.
    """
    by_name: dict[str, list[ObjectKey]] = {}
    for key in found.objects:
        if key.group_kind == GroupKind("", "Pod"):
            by_name.setdefault(key.name, []).append(key)
    for place, lines in sorted(found.logs, key=lambda one: one[0].previous):
        known = by_name.get(place.pod, [])
        namespace = place.namespace or (known[0].namespace if len(known) == 1 else "")
        over = place.previous and known and _is_ready(found.objects[known[0]], place.container)
        if lines and not over:
            yield PodLog(ObjectKey("", "Pod", namespace, place.pod), place.container, lines)


def _is_ready(pod: Object, container: str) -> bool:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return any(one.get("name") == container and one.get("ready") is True for one in statuses)


def _newest(objects: Iterable[Object]) -> str:
    """Return the newest time that anything in the dump tells: that is when it was made, near enough."""
    newest = ""
    for obj in objects:
        for time in _times(obj):
            newest = max(newest, time[:19] + "Z")
    return newest


def _times(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, str):
                if name in _TIME_FIELDS and _TIMES.match(member):
                    yield member
            elif depth < _DEEP:
                yield from _times(member, depth + 1)
    elif isinstance(value, list):
        for member in value:
            yield from _times(member, depth)


_DEEP = 5
