"""Carries out one move of an Application's deletion: hooks of deletion, then its objects, wave by wave.

Called by `syncline.controller.deliver.act`. What the server refuses is not lost: it becomes the Application's
DeletionError, and the same move is made again after a pause, since nothing in the cluster would wake the app. The
finalizer stays meanwhile.
"""

from __future__ import annotations

from syncline.controller.deliver.apply import TaskRunner
from syncline.controller.deliver.outcome import Outcome
from syncline.controller.deliver.report import Reporter
from syncline.core import operating
from syncline.core.assess import Assessment
from syncline.model.decision import Step
from syncline.model.look_again import LookAgain
from syncline.model.operation import OperationPhase
from syncline.model.plan import Task

_AGAIN_AFTER = 10.0
"""Seconds after a refusal before the same is tried again."""


async def run_teardown(step: Step, assessment: Assessment, runner: TaskRunner, reporter: Reporter) -> Outcome:
    """Do what a step of deletion says; the finalizer goes only if all of it went through."""
    refused = [await runner.release_hook(task, assessment.live[task.key]) for task in step.release_hooks]
    refused += [
        await runner.delete_hook(task, runner.written.get(task.key) or assessment.live[task.key])
        for task in step.delete_hooks
    ]
    refused += [await _delete(task, assessment, runner, reporter) for task in step.prune]
    objects = operating.objects_of(assessment)
    for task in step.apply:
        result = await runner.create_named(task, objects[task.source_key or task.key])
        reporter.changed(assessment, result)
        refused.append(f"{task.key.short}: {result.message}" if result.hook_phase is OperationPhase.FAILED else "")
    problems = tuple(dict.fromkeys(words for words in refused if words))
    releases = "" if problems else step.releases
    return Outcome(
        state=assessment.app.status.operation_state,
        written=runner.written,
        released=releases,
        leaves=step.leaves if releases else "",
        undeleted=problems,
        look_again=_next_look(releases, problems),
    )


def _next_look(releases: str, problems: tuple[str, ...]) -> LookAgain:
    if releases:
        return LookAgain.now()
    return LookAgain.after(_AGAIN_AFTER) if problems else LookAgain.on_change()


async def _delete(task: Task, assessment: Assessment, runner: TaskRunner, reporter: Reporter) -> str:
    """Delete one object; return why that was refused. One that changed meanwhile wakes the app by itself."""
    result = await runner.prune(task, assessment.live.get(task.key))
    if result is None:
        return ""
    reporter.changed(assessment, result)
    return f"{task.key.short}: {result.message}" if result.hook_phase is OperationPhase.FAILED else ""
