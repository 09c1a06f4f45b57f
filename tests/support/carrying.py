"""Carries out a plan in memory, step by step, the way the controller does on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.sync import hooks
from syncline.core.sync.step import Identity, Observed, next_step, settled
from syncline.model import names
from syncline.model.decision import Step, StepKind
from syncline.model.operation import OperationPhase
from syncline.model.plan import Plan, Task, TaskAction
from syncline.model.result import ResultCode, TaskResult
from tests.support.objects import obj

STAMP = "op.0"
Make = Callable[[Task], Object]


def made(task: Task) -> Object:
    """Return the healthy object a task leaves behind."""
    api = f"{task.key.group}/{task.version}" if task.key.group else task.version
    found = obj(task.key.kind, task.key.name, api=api, namespace=task.key.namespace)
    if task.is_hook:
        found = hooks.stamped(found, task.key.name, hooks.for_phase(STAMP, task.phase))
    if task.key.kind == "Job":
        found["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    return found


def unfinished(task: Task) -> Object:
    """Return the object a task leaves behind while it is still at work."""
    found = made(task)
    return {**found, "status": {}}


def result(task: Task, code: ResultCode, phase: OperationPhase = OperationPhase.RUNNING) -> TaskResult:
    """Return what is recorded right after a task was carried out."""
    return TaskResult(
        key=task.key, version=task.version, phase=task.phase, code=code, hook_type=task.hook_type, hook_phase=phase
    )


class Cluster:
    """Live objects and what was recorded; `log` is what was done, in order."""

    def __init__(self, live: Mapping[ObjectKey, Object], make: Make = made) -> None:
        self.live = dict(live)
        self.results: dict[Identity, TaskResult] = {}
        self.log: list[str] = []
        self.make = make

    def observed(self, *, terminating: bool = False) -> Observed:
        return Observed(results=tuple(self.results.values()), live=self.live, stamp=STAMP, terminating=terminating)

    def step(self, plan: Plan) -> Step:
        return next_step(plan, self.observed())

    def do(self, step: Step) -> None:
        """Carry out one step."""
        for found in step.settled:
            self.results[found.identity] = found
        for task in step.release_hooks:
            metadata = self.live[task.key]["metadata"]
            left = [name for name in metadata.get("finalizers", []) if name != names.HOOK_FINALIZER]
            self.live[task.key] = {**self.live[task.key], "metadata": {**metadata, "finalizers": left}}
        for task in step.delete_hooks:
            self.log.append(f"delete {task.key.name}")
            self.live.pop(task.key, None)
        for task in step.prune:
            self._prune(task)
        for task in step.apply:
            self._apply(task)

    def _prune(self, task: Task) -> None:
        if not task.prune_allowed:
            self.results[task.key, task.phase] = result(task, ResultCode.PRUNE_SKIPPED, OperationPhase.SUCCEEDED)
            return
        self.log.append(f"prune {task.key.name}")
        self.live.pop(task.key, None)
        self.results[task.key, task.phase] = result(task, ResultCode.PRUNED)

    def _apply(self, task: Task) -> None:
        known = self.live.get(task.key)
        mine = known is not None and hooks.stamp_of(known) == hooks.for_phase(STAMP, task.phase)
        if not (task.action is TaskAction.HOOK and mine):
            self.log.append(f"{task.action.value} {task.key.name}")
            self.live[task.key] = self.make(task)
        first = result(task, ResultCode.SYNCED)
        self.results[task.key, task.phase] = settled(first, task, self.live[task.key]) or first


def carry_out(plan: Plan, cluster: Cluster, *, limit: int = 200) -> Step:
    """Go on until the operation is over or only waits; return the last step."""
    for _ in range(limit):
        step = cluster.step(plan)
        if step.kind is StepKind.WAIT:
            return step
        cluster.do(step)
        if step.kind is StepKind.FINISH:
            return step
    raise AssertionError(f"no end after {limit} steps: {cluster.log}")
