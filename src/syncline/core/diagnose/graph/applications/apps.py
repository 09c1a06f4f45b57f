"""What checks on Applications share: the words of conditions and operations, and whether one has just begun.

Read from the plain object, as it is: a fleet holds Applications that no longer have the form they should have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.graph.fault import Node, conditions
from syncline.core.diagnose.graph.view.fleet import row_key
from syncline.model.diagnosis import Thing

_LONG_START = 900.0
"""As many seconds something may take to start before that is worth a word."""
OF_SETS = ("ErrorOccurred", "InvalidRolloutConfig")
"""The conditions by which an ApplicationSet says that it fails."""
_WAITED_FOR = re.compile(r"(?P<group>[\w.-]*)/(?P<kind>[A-Z]\w+)/(?P<name>[\w.:-]+)")
_WAITING = re.compile(
    r"waiting for (?P<what>healthy state|completion|deletion) of (?:hook )?(?P<rest>.*)", re.DOTALL | re.IGNORECASE
)


class Refused(msgspec.Struct, frozen=True):
    """A task of the last sync that failed: the object, the words, whether it is a hook, and the version it is of."""

    key: ObjectKey
    message: str
    hook: str = ""
    version: str = ""


def status(app: Object, name: str = "") -> dict[str, Any]:
    """Return the status of an Application, or a part of it."""
    found = app.get("status")
    if name and isinstance(found, dict):
        found = found.get(name)
    return found if isinstance(found, dict) else {}


def spec(app: Object) -> dict[str, Any]:
    """Return the spec of an Application."""
    found = app.get("spec")
    return found if isinstance(found, dict) else {}


def phase(app: Object) -> str:
    """Return the phase of the last operation."""
    return str(status(app, "operationState").get("phase") or "")


def is_failing(app: Object) -> bool:
    """Whether the last sync failed, or a failed attempt is to be repeated; not one that was overtaken."""
    state = status(app, "operationState")
    retrying = state.get("phase") == "Running" and bool(state.get("finishedAt"))
    if state.get("phase") not in ("Failed", "Error") and not retrying and not _retried(state):
        return False
    in_sync = status(app, "sync").get("status") == "Synced"
    tried = (state.get("syncResult") or {}).get("revision")
    return not (in_sync and tried != status(app, "sync").get("revision"))


def _retried(state: dict[str, Any]) -> bool:
    return state.get("phase") == "Running" and bool(state.get("retryCount")) and "Retrying" in str(state.get("message"))


def refused(app: Object) -> Iterator[Refused]:
    """Yield the tasks of the last sync that failed."""
    if not is_failing(app):
        return
    result = status(app, "operationState").get("syncResult") or {}
    for row in result.get("resources") or ():
        # An object that was applied and then got Degraded fails its wave: it is bad itself, and nobody refused it.
        hook = bool(row.get("hookType")) and row.get("hookPhase") in ("Failed", "Error")
        if row.get("status") == "SyncFailed" or hook:
            words, version = str(row.get("message") or ""), str(row.get("version") or "")
            yield Refused(row_key(row), words, str(row.get("hookType") or ""), version)


def failed_by_health(app: Object) -> Iterator[Refused]:
    """Yield what the last sync applied and then failed at: an object that got Degraded in a wave that is not the last.

    Nobody refused it. The words are those of its health then.
    """
    result = status(app, "operationState").get("syncResult") or {}
    for row in (result.get("resources") or ()) if is_failing(app) else ():
        over = row.get("hookPhase") in ("Failed", "Error")
        if over and not row.get("hookType") and row.get("status") != "SyncFailed":
            yield Refused(row_key(row), str(row.get("message") or ""))


def is_retrying(app: Object) -> bool:
    """Whether a failed attempt of the sync is repeated without anybody asking."""
    state = status(app, "operationState")
    return state.get("phase") == "Running"


def waited_for(node: Node) -> tuple[str, list[Thing]]:
    """Return what the running sync waits for: healthy state, completion or deletion, and of what."""
    state = status(node.obj, "operationState")
    found = _WAITING.search(str(state.get("message") or "")) if state.get("phase") == "Running" else None
    if found is None:
        return "", []
    rows = {(one.key.kind, one.key.name): one for one, _row in node.fleet.managed(node.obj) if one.key is not None}
    where = node.fleet.destination(node.obj).name
    space = str((spec(node.obj).get("destination") or {}).get("namespace") or "")
    things = []
    for one in _WAITED_FOR.finditer(found["rest"]):
        key = ObjectKey(one["group"], one["kind"], space, one["name"])
        things.append(rows.get((one["kind"], one["name"]), Thing(cluster=where, key=key)))
    return found["what"].lower(), things


def errors(app: Object) -> Iterator[tuple[str, str, str]]:
    """Yield the conditions that tell of errors: type, message and since when; also those of an ApplicationSet.

    Conditions of an Application are there only while they hold; those of a set say whether they do.
    """
    for one in conditions(app):
        kind = str(one.get("type") or "")
        of_set = kind in OF_SETS and one.get("status") == "True"
        if of_set or (kind.endswith("Error") and kind != "SyncError"):
            yield kind, str(one.get("message") or ""), str(one.get("lastTransitionTime") or "")


def began(app: Object) -> str:
    """Return when an Application last began something: its running sync, its present health, or itself."""
    state = status(app, "operationState")
    times = [meta.creation_timestamp(app), str(status(app, "health").get("lastTransitionTime") or "")]
    if state.get("phase") in ("Running", "Succeeded"):
        times += [str(state.get("startedAt") or ""), str(state.get("finishedAt") or "")]
    return max(times)


def is_starting(node: Node) -> bool:
    """Whether an Application has begun something so lately that it may well come to a good end."""
    health = str(status(node.obj, "health").get("status") or "")
    if health in ("Degraded", "Unknown") or phase(node.obj) in ("Failed", "Error") or _rests(node.obj, health):
        return False
    age = node.cluster.age(began(node.obj))
    return age is not None and age < _LONG_START


def _rests(app: Object, health: str) -> bool:
    """Whether an Application is through with its sync and well, and differs from what was synced all the same."""
    sync, state = status(app, "sync"), status(app, "operationState")
    same = bool(sync.get("revision")) and sync.get("revision") == (state.get("syncResult") or {}).get("revision")
    return health == "Healthy" and sync.get("status") == "OutOfSync" and phase(app) == "Succeeded" and same


def is_young(node: Node, since: str, seconds: float = _LONG_START) -> bool:
    """Whether something has been so for too short a time to mean anything."""
    age = node.cluster.age(since)
    return age is not None and age < seconds
