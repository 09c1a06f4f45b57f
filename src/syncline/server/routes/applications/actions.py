"""Actions on the objects of an Application: what they offer, and running one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.model.actions import Action
from syncline.server.answers import apps
from syncline.server.requests.call import Call
from syncline.server.requests.caller_rights import CallerRights
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Chosen, Needs
from syncline.server.requests.routing import Endpoint
from syncline.server.routes.applications.found import (
    OBJECT,
    OF_APP,
    READS,
    application_itself,
    named_object,
    own_object,
    own_objects_need,
    seen,
    seen_as_stored,
    stored_application,
    writes,
)
from syncline.verbs import actions as acting
from syncline.verbs.actions import ActionRequest
from syncline.verbs.errors import InvalidRequest
from syncline.verbs.own_objects import read_own
from syncline.verbs.resources import live_object


async def list_actions(call: Call) -> dict[str, Any]:
    """Return the actions that one object offers now."""
    key = named_object(call)
    found = await seen(call)
    settings = found.assessment.snapshot.settings
    obj = application_itself(call, key) or live_object(found, key)
    (offered,) = await acting.offered([obj], settings, call.backend.world.evaluator)
    if offered.error:
        raise InvalidRequest(offered.error)
    return {"actions": [_action(one) for one in offered.actions]}


def _action(one: Action) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "displayName": one.display_name,
        "iconClass": one.icon,
        "params": [{"name": name} for name in one.parameters],
    }
    return {"name": one.name, "disabled": one.disabled, **{name: value for name, value in shown.items() if value}}


class ActionParameter(msgspec.Struct, frozen=True):
    """A parameter of an action."""

    name: str
    value: str = ""


class RunAction(msgspec.Struct, frozen=True, rename="camel"):
    """An action to run, as `resource/actions/v2` takes it."""

    kind: str
    resource_name: str
    action: str
    group: str = ""
    namespace: str = ""
    version: str = ""
    resource_action_parameters: tuple[ActionParameter, ...] = ()


async def run_action(call: Call) -> dict[str, Any]:
    """Run an action on one live object."""
    key, action = _in_body(call)
    given = {one.name: one.value for one in call.body(RunAction).resource_action_parameters}
    return await _run(call, key, action, given)


def _in_body(call: Call) -> tuple[ObjectKey, str]:
    """Return the object and the action that a body names."""
    wanted = call.body(RunAction)
    return ObjectKey(wanted.group, wanted.kind, wanted.namespace, wanted.resource_name), wanted.action


async def run_action_by_query(call: Call) -> dict[str, Any]:
    """Run an action on one live object, as clients of older servers ask for it."""
    return await _run(call, *_in_query(call), {})


def _in_query(call: Call) -> tuple[ObjectKey, str]:
    """Return the object that a query names, and the action that is the body."""
    if not isinstance(call.raw_body, str):
        raise Failure(INVALID, "the body is a JSON text with the name of the action")
    return named_object(call), call.raw_body


def _acts(named: Callable[[Call], tuple[ObjectKey, str]]) -> Needs:
    """Return what running an action needs: to see the Application, and the right to that action on that kind."""

    def choose(call: Call) -> tuple[str, ...]:
        key, action = named(call)
        return (f"action/{key.group}/{key.kind}/{action}",)

    return writes(Chosen(("action/GROUP/KIND/ACTION",), choose))


async def _run(call: Call, key: ObjectKey, action: str, parameters: dict[str, str]) -> dict[str, Any]:
    request = ActionRequest(key=key, action=action, parameters=parameters)
    if application_itself(call, key) is not None:
        return await _run_on_itself(call, await stored_application(call), request)
    world, look, stored = call.backend.world, await seen_as_stored(call), None
    if (own := own_object(call, look, key)) is not None:
        own_action = f"action/{key.group}/{key.kind}/{action}" if key.kind == "Application" else "update"
        stored = await read_own(call.backend.home, own, CallerRights(call), own_action)
    steps = acting.run_action(look, request, world.evaluator, world.clock, stored)
    return {"steps": [{"operation": one.operation.value, "key": str(key_of(one.obj))} async for one in steps]}


async def _run_on_itself(call: Call, app: dict[str, Any], request: ActionRequest) -> dict[str, Any]:
    world = call.backend.world
    await acting.run_on_itself(world.home, app, request, world.settings, world.evaluator, world.clock)
    return {"steps": []}


_APP = "/api/v1/applications/{name}"
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_APP}/resource/actions",
        handler=list_actions,
        about="List the actions of an object.",
        answer=apps.OfferedActions,
        permission=READS,
        query=(*OF_APP, *OBJECT),
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/resource/actions/v2",
        handler=run_action,
        about="Run an action.",
        answer=apps.ActionSteps,
        permission=_acts(_in_body),
        also=own_objects_need("update"),
        query=OF_APP,
        body=RunAction,
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/resource/actions",
        handler=run_action_by_query,
        about="Run an action (older form).",
        answer=apps.ActionSteps,
        permission=_acts(_in_query),
        also=own_objects_need("update"),
        query=(*OF_APP, *OBJECT),
        body=str,
    ),
)
