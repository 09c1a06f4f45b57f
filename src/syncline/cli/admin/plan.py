"""`syncline admin plan`: what a sync would do, in which order and how, from files alone.

Attached to `admin` by `syncline.cli.admin.group`. Reads rendered manifests, optionally what is live (`kubectl get -o
yaml`) and an Application; the same engine as the controller's plans. Without an Application nothing is pruned.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from syncline.cli import object_files
from syncline.cli.options import output_option

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.core.assess import Assessment
    from syncline.model.desired import DesiredObject
    from syncline.model.plan import Plan, Task
    from syncline.model.snapshot import KindFact

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)


@click.command(name="plan")
@click.argument("file", type=_FILE)
@click.option("--live", type=_FILE, help="File with the objects that are live.")
@click.option("--app", type=_FILE, help="File with the Application.")
@click.option(
    "--profile",
    "--compat",
    "profile",
    type=click.Choice(("syncline", "argocd")),
    default="syncline",
    show_default=True,
    help="Whose order and options to follow.",
)
@output_option("text", "json")
def plan(file: str, live: str | None, app: str | None, profile: str, output: str) -> int:
    """Print what a sync of the manifests in FILE would do, in order of execution."""
    import orjson

    application = object_files.one(app, "Application") if app else _plain_application()
    present = object_files.objects(live) if live else []
    made, notes = _plan(object_files.located(file, any_metadata=True), present, application, profile)
    for note in notes:
        click.echo(note, err=True)
    if output == "json":
        click.echo(orjson.dumps(as_json(made), option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(as_text(made))
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
        lines += ["", "Cannot be done:", *(f"  {problem}" for problem in made.problems)]
    return "\n".join(lines)


def _line(task: Task) -> str:
    from syncline.model.plan import Action, Manner
    from syncline.model.reason import Reason

    notes = []
    if task.action is Action.APPLY and task.how.method is not Manner().method:
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
    from syncline.model.plan import Action

    return task.action.value if task.action is not Action.PRUNE or task.prune_allowed else "keep"


def _plan(desired: list[DesiredObject], live: list[Object], app: Object, profile: str) -> tuple[Plan, list[str]]:
    """Return the plan of a sync that is asked for now, and what of the files never becomes a task."""
    import msgspec

    from syncline.core.assess import assess_app
    from syncline.core.operating import plan_of
    from syncline.model.desired import Desired
    from syncline.model.operation import Operation, OperationPhase, OperationState, SyncOperation
    from syncline.model.settings.settings import Compat, Settings
    from syncline.model.snapshot import Snapshot

    now = "1970-01-01T00:00:00Z"
    everything = [*(item.obj for item in desired), *live]
    snapshot = Snapshot(
        as_of=now,
        app=app,
        settings=Settings(compat=Compat(profile)),
        desired=Desired(tuple(desired), revisions=("0" * 40,)),
        live=tuple(live),
        kinds=_scopes(everything),
        schemas=tuple(obj for obj in everything if obj.get("kind") == "CustomResourceDefinition"),
    )
    assessment = assess_app(snapshot)
    policy = assessment.app.spec.sync_policy
    automated = policy.automated if policy else None
    requested = assessment.app.operation
    sync = (requested.sync if requested else None) or SyncOperation(prune=bool(automated and automated.prune))
    state = OperationState(Operation(sync=sync), OperationPhase.RUNNING, now)
    # The files do not say what the cluster serves, so no kind is called unknown.
    blind = msgspec.structs.replace(assessment, snapshot=msgspec.structs.replace(snapshot, kinds=()))
    return plan_of(blind, state), _notes(assessment)


def _notes(assessment: Assessment) -> list[str]:
    """Return warnings about the objects, and which hooks no phase of a sync runs: Argo CD is silent about those."""
    from syncline.model import names

    def said(obj: Object) -> str:
        annotations = obj["metadata"]["annotations"]
        return str(annotations.get(names.HOOK) or annotations.get(names.HELM_HOOK) or "its hook annotation")

    warnings = [found.message for found in assessment.comparison.conditions if found.is_warning]
    idle = [item for item in assessment.prepared.hooks if not item.hook_types]
    return warnings + [
        f"{item.origin.place()}: {item.key.short} is never applied: {said(item.obj)} names no phase of a sync"
        for item in idle
    ]


def _scopes(objects: list[Object]) -> tuple[KindFact, ...]:
    """Return which kinds are namespaced: built-in ones by our own knowledge, custom ones by the CRDs in the files."""
    from syncline.apimachinery.keys import gvk_of
    from syncline.apimachinery.schema import resources
    from syncline.core import defined_kinds
    from syncline.model.snapshot import KindFact

    built_in = {kind: resources.for_group_kind(kind) for kind in {gvk_of(obj).group_kind for obj in objects}}
    scopes = {kind: known.namespaced for kind, known in built_in.items() if known is not None}
    scopes.update(defined_kinds.scopes(objects))
    return tuple(KindFact(kind, namespaced) for kind, namespaced in scopes.items())


def _plain_application() -> Object:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "app", "namespace": "argocd"},
        "spec": {
            "source": {"repoURL": "file", "path": "."},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        },
    }
