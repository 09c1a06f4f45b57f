"""Reads what failed containers printed: a few lines each, one pod of each workload, a bounded number, in parallel.

Called by `syncline.verbs.fleet.reading` with the pods of a cluster. Every line passes redaction before it is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose.findings.redaction import redacted
from syncline.model.snapshot import PodLog
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

AT_MOST = 60
LINES = 30
_WITHIN = 5.0
_AT_ONCE = 8
_STATUSES = ("initContainerStatuses", "containerStatuses")


class LogReader(Protocol):
    """Whatever gives out logs of pods."""

    def logs(self, namespace: str, pod: str, options: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yield the lines a container of a pod printed."""
        ...


class FailedContainer(msgspec.Struct, frozen=True):
    """A container whose log may tell; `previous` is whether the one that failed has been replaced already."""

    pod: ObjectKey
    container: str
    previous: bool


class LogsRead(msgspec.Struct, frozen=True):
    """What was printed, whether some of it may not be read, and how many logs were asked for."""

    logs: tuple[PodLog, ...] = ()
    refused: bool = False
    asked: int = 0


def failed(pods: Iterable[Object]) -> list[FailedContainer]:
    """Return the containers whose logs may tell, one for each workload, those of the newest pods."""
    told: set[tuple[str, str, str]] = set()
    found = []
    for pod in sorted(pods, key=meta.creation_timestamp, reverse=True):
        for status in _statuses(pod):
            ended = _ended_badly(status, pod)
            same = (meta.namespace(pod), _workload(pod), str(status.get("name") or ""))
            if ended is not None and same not in told:
                told.add(same)
                found.append(FailedContainer(key_of(pod), same[2], ended))
    return found


def _statuses(pod: Object) -> Iterator[dict[str, Any]]:
    status = pod.get("status") or {}
    for part in _STATUSES:
        yield from (one for one in status.get(part) or () if isinstance(one, dict))


def _ended_badly(status: Mapping[str, Any], pod: Object) -> bool | None:
    """Return None where a container is fine, else whether it is the one before that has to be asked."""
    state, last = status.get("state") or {}, status.get("lastState") or {}
    if ended := state.get("terminated"):
        return False if ended.get("exitCode") else None
    if last.get("terminated"):
        return None if status.get("ready") else "running" not in state
    # It runs and does not get ready: what it says meanwhile may tell why.
    is_deleted = bool(meta.metadata(pod).get("deletionTimestamp"))
    return False if "running" in state and status.get("ready") is False and not is_deleted else None


def _workload(pod: Object) -> str:
    owners = meta.owner_references(pod)
    return str(owners[0].get("uid") or owners[0].get("name")) if owners else meta.name(pod)


async def read(cluster: LogReader, wanted: Iterable[FailedContainer]) -> LogsRead:
    """Return the last lines of each; what cannot be read is left out, what may not be is told."""
    chosen = list(wanted)[:AT_MOST]
    turn = asyncio.Semaphore(_AT_ONCE)
    answers = await asyncio.gather(*(_one(cluster, one, turn) for one in chosen))
    return LogsRead(
        tuple(one for one in answers if isinstance(one, PodLog) and one.lines),
        any(isinstance(one, ApiError) and one.code == 403 for one in answers),
        len(chosen),
    )


async def _one(cluster: LogReader, wanted: FailedContainer, turn: asyncio.Semaphore) -> PodLog | Exception:
    options = {"container": wanted.container, "tailLines": str(LINES)}
    if wanted.previous:
        options["previous"] = "true"
    try:
        async with turn, asyncio.timeout(_WITHIN):
            printed = cluster.logs(wanted.pod.namespace, wanted.pod.name, options)
            lines = [redacted(line.decode(errors="replace")) async for line in printed]
    except (ApiError, TransportError, TimeoutError) as error:
        return error
    return PodLog(wanted.pod, wanted.container, tuple(line for line in lines if line.strip())[-LINES:])
