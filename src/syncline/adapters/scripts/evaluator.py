"""The port `syncline.ports.evaluate`: remembered results first, plain jq paths at once, the rest in worker processes.

Built by `syncline.wiring`. Workers start when the first script needs one and are shared by all callers. A script that
ends its worker gets the error itself; the scripts behind it run again in the next worker. A script that used up its
limits several times in a batch is not run on the rest, so that one bad check of a common kind cannot hold up everybody.
Projects share the workers fairly: one whose expressions loop takes no worker from another.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson

from syncline import turns
from syncline.adapters.scripts import memo
from syncline.adapters.scripts.process import CannotStart, ScriptAnswer, ScriptLimits, ScriptWorker, WorkerEnded
from syncline.apimachinery import jq_paths
from syncline.model.fairness import FairLimits
from syncline.model.script import Evaluated, Script, ScriptKind

_BATCH = 200
_BATCH_BYTES = 8 * 1024 * 1024
_REFUSED_AFTER = 3
_ROOM = 2
"""So many more workers for projects that have none, and as many again where somebody waits."""
_LONG, _TOO_LONG = 2.0, 10.0
"""Seconds after which a batch takes no room from others, and after which its worker is needed elsewhere."""
_TOO_OFTEN = f"it exceeded its limits on {_REFUSED_AFTER} other objects"
_NO_WORKER = "the worker process that runs scripts cannot be started"
_WHAT = {
    ScriptKind.HEALTH: "the Lua script",
    ScriptKind.DISCOVERY: "the Lua script",
    ScriptKind.ACTION: "the Lua script",
    ScriptKind.DELETE: "the jq path expression",
}


@dataclass(frozen=True, slots=True)
class _Job:
    """A script on its way to a worker: where its result belongs, and the script as the worker reads it."""

    place: int
    script: Script
    key: bytes | None
    encoded: bytes


@dataclass(frozen=True, slots=True)
class _Part:
    """Jobs that go to one worker, the results of the whole batch, and how often each script used up its limits."""

    jobs: Sequence[_Job]
    results: dict[int, Evaluated]
    offences: Counter[str]

    def left(self) -> list[_Job]:
        """Return the jobs without a result, after giving those that are refused their error."""
        for job in self.jobs:
            if job.place not in self.results and self.refuses(job):
                self.results[job.place] = Evaluated(error=f"{_WHAT[job.script.kind]} was not run: {_TOO_OFTEN}")
        return [job for job in self.jobs if job.place not in self.results]

    def refuses(self, job: _Job) -> bool:
        """Whether a script used up its limits too often to be run on more objects of this batch."""
        return self.offences[job.script.text] >= _REFUSED_AFTER


class ScriptEvaluator:
    """Runs scripts in up to `workers` processes at a time, a few more where several projects need some."""

    def __init__(self, *, workers: int = 2, limits: ScriptLimits | None = None) -> None:
        self._limits = limits or ScriptLimits()
        self._workers = workers
        fair = FairLimits(
            width=workers,
            room=_ROOM,
            most=workers + 2 * _ROOM,
            reserved=_ROOM,
            long=_LONG,
            too_long=_TOO_LONG,
            budget=0.0,
        )
        self._turns = turns.Turns(fair)
        self._idle: list[ScriptWorker] = []
        self._memo = memo.ScriptMemo()

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        """Return one result per script, in order."""
        results: dict[int, Evaluated] = {}
        jobs: list[_Job] = []
        same: dict[bytes, list[int]] = {}
        for place, script in enumerate(batch):
            known = self._at_once(script)
            if isinstance(known, Evaluated):
                results[place] = known
            elif known is not None and known in same:
                same[known].append(place)
            else:
                if known is not None:
                    same[known] = []
                _queue(place, script, known, jobs, results)
        await self._run_all(jobs, results)
        for job in jobs:
            if job.key is not None:
                results |= {place: self._memo.get(job.key) or results[job.place] for place in same[job.key]}
        return [results[place] for place in range(len(batch))]

    async def close(self) -> None:
        """End the workers that are idle; the next script starts new ones."""
        while self._idle:
            await self._idle.pop().kill()

    def _at_once(self, script: Script) -> Evaluated | bytes | None:
        """Return the result where no worker is needed, else the key to remember it by."""
        if script.kind is ScriptKind.DELETE and (path := jq_paths.parse(script.text)) is not None:
            try:
                return Evaluated(value=jq_paths.delete(script.obj, path))
            except jq_paths.PathFailed as error:
                return Evaluated(error=f"the jq path expression {script.text} failed: {error}")
        key = memo.key_of(script)
        return (self._memo.get(key) or key) if key is not None else None

    async def _run_all(self, jobs: Sequence[_Job], results: dict[int, Evaluated]) -> None:
        offences: Counter[str] = Counter()
        parts = [_Part(jobs, results, offences) for jobs in _portions(jobs)]
        if len(parts) == 1:
            await self._run_part(parts[0])
            return
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(self._run_part(part))

    async def _run_part(self, part: _Part) -> None:
        """Run jobs on one worker after another until each has its result."""
        share = turns.worked_for()
        unexplained = 0
        while jobs := part.left():
            try:
                # Each worker takes a turn of its own: a batch that ends one after the other lets others in between.
                async with self._turns.turn(share):
                    await self._run_on_one(jobs, part)
            except turns.GaveWay:
                # What has a result keeps it; one script never takes as long as a turn may.
                continue
            except CannotStart:
                part.results.update({job.place: Evaluated(error=_NO_WORKER) for job in jobs})
            except WorkerEnded as ended:
                first = next(job for job in jobs if job.place not in part.results)
                unexplained = 0 if ended.blame else unexplained + 1
                if ended.blame:
                    told = Evaluated(error=f"{_WHAT[first.script.kind]} was stopped: {ended.blame}")
                    self._accept(first, ScriptAnswer(told, over_limit=True, certain=ended.certain), part)
                elif unexplained > 1:
                    # Once may be somebody else's doing; twice at the same script is its own.
                    part.results[first.place] = Evaluated(error=f"{_WHAT[first.script.kind]} crashed its worker")
                    unexplained = 0

    async def _run_on_one(self, jobs: Sequence[_Job], part: _Part) -> None:
        worker = await self._worker()
        try:
            async with contextlib.aclosing(worker.answers([job.encoded for job in jobs])) as answers:
                waiting = iter(jobs)
                async for answer in answers:
                    job = next(waiting)
                    self._accept(job, answer, part)
                    if answer.over_limit and part.refuses(job):
                        break
                else:
                    if len(self._idle) < self._workers:
                        self._idle.append(worker)
                        return
        except BaseException:
            await worker.kill()
            raise
        # The jobs behind may hold the same script, and the worker is on its way to the next of them.
        await worker.kill()

    def _accept(self, job: _Job, answer: ScriptAnswer, part: _Part) -> None:
        part.results[job.place] = answer.evaluated
        if answer.over_limit:
            part.offences[job.script.text] += 1
        if job.key is not None and answer.certain:
            self._memo.put(job.key, answer.evaluated)

    async def _worker(self) -> ScriptWorker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            await worker.kill()
        return await ScriptWorker.start(self._limits)


def _queue(place: int, script: Script, key: bytes | None, jobs: list[_Job], results: dict[int, Evaluated]) -> None:
    """Encode a script for a worker; one whose object is not JSON gets its error here."""
    obj = _without_bookkeeping(script)
    try:
        encoded = orjson.dumps([script.kind, script.text, obj, script.open_libraries, script.parameters])
    except TypeError as error:
        results[place] = Evaluated(error=f"the object cannot be written as JSON: {error}")
    else:
        jobs.append(_Job(place, script, key, encoded))


def _without_bookkeeping(script: Script) -> object:
    """Return the object without its managedFields, often half of it, unless the check reads them."""
    metadata = script.obj.get("metadata")
    if script.kind is not ScriptKind.HEALTH or "managedFields" in script.text or not isinstance(metadata, dict):
        return script.obj
    if "managedFields" not in metadata:
        return script.obj
    return {**script.obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def _portions(jobs: Sequence[_Job]) -> Iterator[list[_Job]]:
    """Yield jobs in portions that fit into one frame."""
    part: list[_Job] = []
    size = 0
    for job in jobs:
        if part and (len(part) >= _BATCH or size + len(job.encoded) > _BATCH_BYTES):
            yield part
            part, size = [], 0
        part.append(job)
        size += len(job.encoded)
    if part:
        yield part
