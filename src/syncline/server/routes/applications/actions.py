"""Actions on the objects of an Application: what they offer, and running one."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.model.actions import Action
from syncline.server.requests.call import Call
from syncline.server.requests.caller_rights import CallerRights
from syncline.server.requests.failures import INVALID, Failure, PermissionDenied
from syncline.server.requests.routing import Endpoint
from syncline.server.routes.applications.found import (
    OBJECT,
    OF_APP,
    application,
    application_itself,
    named_object,
    own_object,
    rbac_of,
    seen,
)
from syncline.verbs import actions as acting
from syncline.verbs.actions import ActionRequest
from syncline.verbs.errors import InvalidRequest
from syncline.verbs.own_objects import require as require_own
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
    application(call)
    wanted = call.body(RunAction)
    key = ObjectKey(wanted.group, wanted.kind, wanted.namespace, wanted.resource_name)
    given = {one.name: one.value for one in wanted.resource_action_parameters}
    return await _run(call, key, wanted.action, given)


async def run_action_by_query(call: Call) -> dict[str, Any]:
    """Run an action on one live object, as clients of older servers ask for it."""
    application(call)
    if not isinstance(call.raw_body, str):
        raise Failure(INVALID, "the body is a JSON text with the name of the action")
    return await _run(call, named_object(call), call.raw_body, {})


async def _run(call: Call, key: ObjectKey, action: str, parameters: dict[str, str]) -> dict[str, Any]:
    app = application(call)
    if not call.may("applications", f"action/{key.group}/{key.kind}/{action}", rbac_of(call, app)):
        raise PermissionDenied
    if (itself := application_itself(call, key)) is not None:
        return await _run_on_itself(call, itself, ActionRequest(key=key, action=action, parameters=parameters))
    request = ActionRequest(key=key, action=action, parameters=parameters)
    world, look = call.backend.world, await call.backend.looks.see(app)
    if (own := own_object(call, look, key)) is not None:
        own_action = f"action/{key.group}/{key.kind}/{action}" if key.kind == "Application" else "update"
        require_own(CallerRights(call), own, own_action)
    steps = acting.run_action(look, request, world.evaluator, world.clock)
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
        query=(*OF_APP, *OBJECT),
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/resource/actions/v2",
        handler=run_action,
        about="Run an action.",
        query=OF_APP,
        body=RunAction,
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/resource/actions",
        handler=run_action_by_query,
        about="Run an action (older form).",
        query=(*OF_APP, *OBJECT),
        body=str,
    ),
)
