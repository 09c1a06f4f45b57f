"""What actions objects offer, and running them: those of the settings, and the built-in ones.

`offered` and `steps` also serve somebody who tries out settings on files. About a Secret a failing script is not
quoted, for it may quote values.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime

import msgspec

from syncline.apimachinery import globs, meta, times
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.patch import json_merge
from syncline.core.actions import builtin
from syncline.model import actions
from syncline.model.actions import Action, ActionOperation, ActionStep
from syncline.model.errors import InvalidSpec
from syncline.model.masking import is_secret
from syncline.model.script import Script, ScriptKind
from syncline.model.settings.resources import ResourceActions
from syncline.model.settings.settings import Settings
from syncline.ports.clock import Clock
from syncline.ports.evaluate import Evaluator
from syncline.ports.kube import Cluster
from syncline.verbs.applications import MANAGER
from syncline.verbs.errors import InvalidRequest, Refused
from syncline.verbs.look import Seen
from syncline.verbs.resources import live_object, require_permitted, resource_of


class Offered(msgspec.Struct, frozen=True):
    """The actions one object offers now, or why that could not be found out."""

    obj: Object
    actions: tuple[Action, ...]
    error: str


async def offered(objects: Sequence[Object], settings: Settings, evaluator: Evaluator) -> list[Offered]:
    """Return the actions of each object, in their order."""
    own = [_own(obj, settings) for obj in objects]
    shipped = [_shipped(obj, settings) for obj in objects]
    mine = await evaluator.evaluate(_discoveries(objects, own))
    theirs = await evaluator.evaluate(_discoveries(objects, shipped))
    rows = []
    for obj, one, folder, result, instead in zip(objects, own, shipped, mine, theirs, strict=True):
        found: tuple[Action, ...] = ()
        error = result.error or instead.error
        if not error:
            built_in = actions.offered(instead.value) if folder is not None else builtin.offered(obj)
            found = builtin.with_own(
                built_in,
                actions.offered(result.value),
                defined=one is not None and bool(one.discovery_lua or one.definitions),
                merge=one is not None and one.merge_builtin,
            )
        rows.append(Offered(obj, found, told(error, obj)))
    return rows


class ActionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An action to run on a live object of an Application."""

    key: ObjectKey
    action: str
    parameters: Mapping[str, str] = {}


def _discoveries(objects: Sequence[Object], owned: Sequence[ResourceActions | None]) -> list[Script]:
    # A kind without actions of its own offers none: the shortest script that says so.
    texts = [(one.discovery_lua if one is not None else "") or "return {}" for one in owned]
    return [Script(kind=ScriptKind.DISCOVERY, text=text, obj=obj) for text, obj in zip(texts, objects, strict=True)]


class Run(msgspec.Struct, frozen=True):
    """One action on one object, as it is at hand."""

    action: str
    obj: Object
    parameters: Mapping[str, str]
    now: datetime


async def steps(run: Run, settings: Settings, evaluator: Evaluator) -> tuple[ActionStep, ...]:
    """Return what an action wants written: that of the settings, or else the built-in one of its name."""
    own, shipped = _own(run.obj, settings), _shipped(run.obj, settings)
    defined = {**_scripts(shipped), **_scripts(own)}
    if run.action not in defined:
        built_in = builtin.names(gvk_of(run.obj).group_kind) if shipped is None else ()
        known = sorted({*defined, *built_in})
        if run.action not in known:
            hint = f"known: {', '.join(known)}" if known else "the settings define none for this kind"
            raise InvalidSpec(f"no action {run.action} is defined for {key_of(run.obj)}", hint=hint)
        return builtin.run(run.action, run.obj, now=times.format_time(run.now), parameters=run.parameters)
    script = Script(kind=ScriptKind.ACTION, text=defined[run.action], obj=run.obj, parameters=dict(run.parameters))
    (result,) = await evaluator.evaluate([script])
    if result.error:
        raise InvalidSpec(f"{run.action}: {told(result.error, run.obj)}")
    return actions.steps(result.value)


async def run_action(
    seen: Seen, request: ActionRequest, evaluator: Evaluator, clock: Clock, stored: Object | None = None
) -> AsyncIterator[ActionStep]:
    """Run an action on a live object; yields each step once it is written. What is not offered now is refused.

    With `stored` it is run on that state, and written to no other.
    """
    obj, settings = stored or live_object(seen, request.key), seen.assessment.snapshot.settings
    require_permitted(seen, request.key)
    wanted = await _wanted(obj, request, settings, evaluator, clock)
    for step in wanted:
        require_permitted(seen, key_of(step.obj))
    for step in wanted:
        await _write(seen.place.cluster, obj, step, to_this_state=stored is not None)
        yield step


async def run_on_itself(
    home: Cluster, app: Object, request: ActionRequest, settings: Settings, evaluator: Evaluator, clock: Clock
) -> None:
    """Run an action on an Application itself, in this state; one that would create something else is refused."""
    wanted = await _wanted(app, request, settings, evaluator, clock)
    for step in wanted:
        if key_of(step.obj) != request.key or step.operation is ActionOperation.CREATE:
            raise Refused(f"{request.action} changes more than the Application it is run on")
    for step in wanted:
        await _write(home, app, step, to_this_state=True)


async def _wanted(
    obj: Object, request: ActionRequest, settings: Settings, evaluator: Evaluator, clock: Clock
) -> tuple[ActionStep, ...]:
    (found,) = await offered([obj], settings, evaluator)
    if any(one.name == request.action and one.disabled for one in found.actions):
        raise Refused(f"{request.key} does not offer {request.action} now: it would change nothing")
    return await steps(Run(request.action, obj, request.parameters, clock.now()), settings, evaluator)


async def _write(cluster: Cluster, before: Object, step: ActionStep, *, to_this_state: bool) -> None:
    """Write one step: a new object is created, a changed one sent as the difference to what was read."""
    resource, key = await resource_of(cluster, step.obj), key_of(step.obj)
    if step.operation is ActionOperation.CREATE:
        await cluster.create(resource, step.obj, manager=MANAGER)
        return
    if key != key_of(before):
        raise InvalidRequest(f"the action changes {key}, which it was not run on")
    if patch := json_merge.make(before, step.obj):
        if to_this_state:
            version = {"resourceVersion": meta.resource_version(before)}
            patch = {**patch, "metadata": {**(patch.get("metadata") or {}), **version}}
        await cluster.patch(resource, key.namespace, key.name, patch, manager=MANAGER)


def _scripts(owned: ResourceActions | None) -> dict[str, str]:
    return {one.name: one.action_lua for one in owned.definitions} if owned is not None else {}


def told(error: str, obj: Object) -> str:
    """Return what a script said; about a Secret nothing."""
    unsaid = error and is_secret(obj)
    return "the script failed (its message is not shown: this is a Secret)" if unsaid else error


def _own(obj: Object, settings: Settings) -> ResourceActions | None:
    """Return the actions that argocd-cm gives a kind; unlike health checks they are found by the exact kind only."""
    name = str(gvk_of(obj).group_kind)
    return next((one.actions for one in settings.overrides if one.pattern == name and one.actions), None)


def _shipped(obj: Object, settings: Settings) -> ResourceActions | None:
    """Return the actions of a folder, which stand in for the built-in ones of a kind."""
    name = str(gvk_of(obj).group_kind)
    exact = settings.customizations.exact.get(name)
    if exact is not None and exact.actions is not None:
        return exact.actions
    patterns = settings.customizations.patterns
    return next((one.actions for one in patterns if one.actions and globs.matches(name, one.pattern)), None)
