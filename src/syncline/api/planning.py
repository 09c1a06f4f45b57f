"""Plans a sync from objects alone: what it would do, in which order and how: `syncline.plan`.

`syncline admin plan` calls it with files and prints the `Planned`. The engine is that of the controller's plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from syncline.api import inputs
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.schema import resources
from syncline.core import defined_kinds
from syncline.core.assess import assess_app
from syncline.core.operating import plan_of
from syncline.model import names
from syncline.model.desired import Desired
from syncline.model.operation import Operation, OperationPhase, OperationState, SyncOperation
from syncline.model.plan import Plan, Task
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import KindFact, Snapshot

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.model.desired import DesiredObject

_NO_TIME = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Planned:
    """What a sync would do. A plan with `problems` is not begun."""

    plan: Plan
    notes: tuple[str, ...] = ()
    """What of the objects never becomes a task, and warnings about them."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks in the order in which they are carried out, each with key, phase, wave, action and reason."""
        return self.plan.in_execution

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the sync would not begin."""
        return self.plan.problems


def plan(
    app: inputs.File | Mapping[str, Any] | None,
    desired: inputs.Objects,
    live: inputs.Objects = (),
    *,
    settings: Settings | inputs.File | None = None,
    compat: Literal["syncline", "argocd"] | None = None,
) -> Planned:
    """Return what a sync of the desired objects would do to the live ones, in order of execution.

    `app` is the Application, whose options and operation count; without one (None) nothing is pruned. `settings` is a
    file with argocd-cm, an ArgoCD resource or chart values; `compat` says whose order and options to follow.

    Raises `InvalidSpec` where something handed in cannot be read.
    """
    notes: list[str] = []
    followed = inputs.settings(settings, compat, notes.append)
    wanted = inputs.located(desired, any_metadata=True, tell=notes.append)
    made, more = _planned(wanted, inputs.objects(live), inputs.application(app) or _plain_application(), followed)
    return Planned(made, (*notes, *more))


def _planned(
    desired: Sequence[DesiredObject], live: Sequence[Object], app: Object, settings: Settings
) -> tuple[Plan, list[str]]:
    """Return the plan of a sync that is asked for now, and what of the objects never becomes a task."""
    everything = [*(item.obj for item in desired), *live]
    snapshot = Snapshot(
        as_of=_NO_TIME,
        app=app,
        settings=settings,
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
    state = OperationState(Operation(sync=sync), OperationPhase.RUNNING, _NO_TIME)
    # The objects do not say what the cluster serves, so no kind is called unknown.
    blind = msgspec.structs.replace(assessment, snapshot=msgspec.structs.replace(snapshot, kinds=()))
    return plan_of(blind, state), _notes(assessment)


def _notes(assessment: Assessment) -> list[str]:
    """Return warnings about the objects, and which hooks no phase of a sync runs: Argo CD is silent about those."""

    def said(obj: Object) -> str:
        annotations = obj["metadata"]["annotations"]
        return str(annotations.get(names.HOOK) or annotations.get(names.HELM_HOOK) or "its hook annotation")

    warnings = [found.message for found in assessment.comparison.conditions if found.is_warning]
    idle = [item for item in assessment.prepared.hooks if not item.hook_types]
    return warnings + [
        (f"{item.origin.place()}: " if item.origin.file else "")
        + f"{item.key.short} is never applied: {said(item.obj)} names no sync phase"
        for item in idle
    ]


def _scopes(objects: Sequence[Object]) -> tuple[KindFact, ...]:
    """Return which kinds are namespaced: built-in ones by our own knowledge, custom ones by the CRDs at hand."""
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
