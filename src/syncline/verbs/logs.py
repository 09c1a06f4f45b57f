"""What the containers of an Application print: which pods are meant, and their lines, one by one or as they come.

Called by `app logs` and by the server. Pods that no object of the Application owns are not found.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any

import msgspec

from syncline import tasks
from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.assess import Assessment
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.errors import InvalidRequest, NotFound
from syncline.verbs.resources import ResourceChoice, chosen_objects

MOST_FOLLOWED = 20
_WAITING_LINES = 1000


class LogRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Whose lines, and which of them; empty fields want all. `options` are those of the API (tailLines, previous …)."""

    group: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    pod: str = ""
    container: str = ""
    filter: str = ""
    match_case: bool = False
    until: datetime | None = None
    options: Mapping[str, str] = {}
    follow: bool = False

    def wants(self, line: str) -> bool:
        """Whether a line is wanted: it has the text, or with `!` it has not."""
        wanted = self.filter.removeprefix("!")
        found = wanted in line if self.match_case else wanted.lower() in line.lower()
        return found != self.filter.startswith("!") or not wanted


class LogLine(msgspec.Struct, frozen=True):
    """One line of a container; `time` is when it was printed, where times were asked for. A `problem` is no line."""

    pod: str
    container: str
    text: str
    time: str = ""
    problem: bool = False


class Printing(msgspec.Struct, frozen=True):
    """One container of one pod."""

    pod: Object
    container: str


def printing(assessment: Assessment, request: LogRequest) -> list[Printing]:
    """Return the containers that are meant; raises a sentence where there are none, or too many to follow."""
    choice = ResourceChoice(kind="Pod", group="", namespace=request.namespace, name=request.pod)
    pods = chosen_objects(assessment, choice)
    if request.kind or request.name:
        pods = [pod for pod in pods if _below(pod, assessment.live, request)]
    found = [Printing(pod, one) for pod in pods for one in _containers(pod, request.container)]
    if not found:
        raise NotFound(f"{assessment.app.metadata.name} has no pod that matches")
    if request.follow and len(found) > MOST_FOLLOWED:
        raise InvalidRequest(f"{len(found)} containers match", hint=f"follow at most {MOST_FOLLOWED}: name an object")
    return found


async def lines(cluster: Cluster, found: list[Printing], request: LogRequest) -> AsyncGenerator[LogLine, None]:
    """Yield the lines of containers: one container after the other, or as they come where they are followed."""
    if not request.follow:
        for one in found:
            async for line in _lines(cluster, one, request):
                yield line
        return
    queue: asyncio.Queue[LogLine | None] = asyncio.Queue(_WAITING_LINES)
    running = [tasks.start(_into(queue, _lines(cluster, one, request)), name="log") for one in found]
    try:
        left = len(running)
        while left:
            following = await queue.get()
            if following is None:
                left -= 1
            else:
                yield following
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _into(queue: asyncio.Queue[LogLine | None], source: AsyncIterator[LogLine]) -> None:
    try:
        async for line in source:
            await queue.put(line)
    finally:
        await queue.put(None)


async def _lines(cluster: Cluster, one: Printing, request: LogRequest) -> AsyncIterator[LogLine]:
    key = key_of(one.pod)
    options = {**request.options, "container": one.container, **({"follow": "true"} if request.follow else {})}
    timed = "timestamps" in options
    if request.until is not None:
        # Without times nobody could tell where the end is.
        options["timestamps"] = "true"
    read: Any = cluster.logs(key.namespace, key.name, options)
    try:
        async with aclosing(read):
            async for raw in read:
                text, time = raw.decode("utf-8", "replace"), ""
                if "timestamps" in options:
                    time, _, text = text.partition(" ")
                    if request.until is not None and _is_later(time, request.until):
                        return
                if request.wants(text):
                    yield LogLine(key.name, one.container, text, time if timed else "")
    except ApiError as error:
        yield LogLine(key.name, one.container, error.message, problem=True)


def _below(pod: Object, live: Mapping[ObjectKey, Object], request: LogRequest) -> bool:
    """Whether a pod is the named object, or is owned by it."""
    return any(
        (not request.kind or key.kind == request.kind)
        and (not request.name or key.name == request.name)
        and (not request.group or key.group == request.group)
        for key in _with_owners(pod, live)
    )


def _with_owners(pod: Object, live: Mapping[ObjectKey, Object]) -> Iterator[ObjectKey]:
    by_uid = {meta.uid(obj): obj for obj in live.values()}
    current: Object | None = pod
    while current is not None:
        yield key_of(current)
        owners = meta.owner_references(current)
        current = next((by_uid[uid] for owner in owners if (uid := str(owner.get("uid"))) in by_uid), None)


def _containers(pod: Object, wanted: str) -> list[str]:
    spec = pod.get("spec") or {}
    names = [str(one.get("name")) for one in spec.get("containers") or ()]
    if not wanted:
        return names
    every = names + [str(one.get("name")) for one in spec.get("initContainers") or ()]
    return [wanted] if wanted in every else []


def _is_later(time: str, until: datetime) -> bool:
    try:
        return times.parse(time) > until
    except times.InvalidTime:
        return False
