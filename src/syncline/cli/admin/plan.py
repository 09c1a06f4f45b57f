"""`syncline admin plan`: what a sync would do, in which order and how, from files alone.

Attached to `admin` by `syncline.cli.admin.group`. Reads rendered manifests, optionally what is live (`kubectl get -o
yaml`) and an Application; the same engine as the controller's plans. Without an Application nothing is pruned.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import click

from syncline.cli.choice import Choice
from syncline.cli.options import output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.model.plan import Plan, Task

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)


@click.command(name="plan")
@click.argument("file", type=_FILE)
@click.option("--live", type=_FILE, help="File with the objects that are live.")
@click.option("--app", type=_FILE, help="File with the Application.")
@click.option(
    "--profile",
    "--compat",
    "profile",
    type=Choice(("syncline", "argocd")),
    default="syncline",
    show_default=True,
    help="Whose order and options to follow.",
)
@output_option("text", "json")
def plan(file: str, live: str | None, app: str | None, profile: Literal["syncline", "argocd"], output: str) -> int:
    """Print what a sync of the manifests in FILE would do, in order of execution."""
    import orjson

    from syncline.api import planning

    made = planning.plan(app, file, live or (), compat=profile)
    for note in made.notes:
        terminal.echo(note, err=True)
    if output == "json":
        terminal.echo_data(orjson.dumps(as_json(made.plan), option=orjson.OPT_INDENT_2).decode())
    else:
        terminal.echo(as_text(made.plan))
    return 1 if made.problems else 0


def as_json(made: Plan) -> dict[str, Any]:
    """Return the plan as others rely on it."""
    return {"tasks": [_row(task) for task in made.in_execution]}


def _row(task: Task) -> dict[str, Any]:
    return {
        "key": str(task.key),
        "phase": task.phase.value,
        "wave": task.wave,
        "action": task.action.value,
        "hookDeletePolicy": ",".join(policy.value for policy in task.delete_policies),
        "reason": task.reason.value,
    }


def as_text(made: Plan) -> str:
    """Return the plan for people: counts first, then a line for each task under its phase and wave."""
    tasks = made.in_execution
    counts = Counter(_action(task) for task in tasks)
    hooks = "1 hook" if counts["hook"] == 1 else f"{counts['hook']} hooks"
    kept = f", {counts['keep']} to keep" if counts["keep"] else ""
    lines = [f"{counts['apply']} to apply, {hooks}, {counts['prune']} to prune{kept}"]
    for (phase, wave), group in groupby(tasks, key=lambda task: (task.phase.value, task.wave)):
        lines += ["", f"{phase}, wave {wave}", *(f"  {_line(task)}" for task in group)]
    if made.problems:
        lines += ["", "Cannot be synced:", *(f"  {problem}" for problem in made.problems)]
    return "\n".join(lines)


def _line(task: Task) -> str:
    from syncline.model.plan import ApplyMethod, TaskAction
    from syncline.model.reason import Reason

    notes = []
    if task.action is TaskAction.APPLY and task.how.method is not ApplyMethod().method:
        notes.append(task.how.method.value)
    if task.how.force:
        notes.append("forced")
    if not task.how.validate:
        notes.append("not validated")
    notes += [policy.value for policy in task.delete_policies]
    if task.reason is not Reason.IN_ORDER:
        notes.append(task.reason.explanation.rstrip("."))
    if task.detail:
        notes.append(task.detail)
    return f"{_action(task):<6}{task.key}" + (f"  ({'; '.join(notes)})" if notes else "")


def _action(task: Task) -> str:
    from syncline.model.plan import TaskAction

    return task.action.value if task.action is not TaskAction.PRUNE or task.prune_allowed else "keep"
