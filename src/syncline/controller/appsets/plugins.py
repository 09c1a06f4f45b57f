"""Asks plugins for parameters: web services that ConfigMaps of the control plane describe.

Called by `syncline.controller.appsets.pages`. Such a ConfigMap has the address as `baseUrl`, and as `token` the name of
a Secret and its key (`$name:key`, or `$plugin.key` of argocd-secret); `requestTimeout` is in seconds.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.appsets import secrets
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.questions import Failure, PluginQuestion
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.core.policy.token_refs import COMMON, SecretUse, TokenRef
from syncline.ports.web import WebError, WebRequest

_PATH = "api/v1/getparams.execute"
_SECONDS = 30.0


class _Output(msgspec.Struct, frozen=True):
    parameters: tuple[dict[str, Any], ...] = ()


class _Answer(msgspec.Struct, frozen=True):
    output: _Output = _Output()


async def ask_plugin(world: World, live: LiveCluster, question: PluginQuestion, tenancy: SetTenancy) -> Any:
    """Return the sets of parameters that a plugin answers with, or why there are none."""
    namespace = world.settings.namespace
    where = f"ConfigMap {namespace}/{question.config_map}"
    found = live.index.get(ObjectKey("", "ConfigMap", namespace, question.config_map))
    if found is None:
        return Failure(f"{where} does not exist: create it with baseUrl and token of the plugin")
    told = found.get("data") or {}
    address, ref = str(told.get("baseUrl") or ""), str(told.get("token") or "")
    if not address:
        return Failure(f"{where} has no baseUrl: say where the plugin listens")
    if not ref.startswith("$"):
        return Failure(f"{where}: token has to name a key of a Secret, as $SECRET:KEY")
    name, _, key = ref[1:].rpartition(":")
    token = secrets.token(world, live, TokenRef(namespace, name or COMMON, key, SecretUse.PLUGIN), tenancy)
    if isinstance(token, Failure):
        return token
    timeout = str(told.get("requestTimeout") or "")
    if timeout and not timeout.isdecimal():
        return Failure(f"{where}: requestTimeout is not a number of seconds")
    request = WebRequest(
        url=f"{address.rstrip('/')}/{_PATH}",
        headers={"Accept": "application/json", "Content-Type": "application/json"},
        authorization=f"Bearer {token}",
        body=question.body,
        seconds=float(timeout) if timeout.strip("0") else _SECONDS,
        leaves_host=tenancy.is_operators,
    )
    return await _answer(world, request)


async def _answer(world: World, request: WebRequest) -> Any:
    if world.web is None:
        return Failure(f"{request.url} cannot be asked from here")
    try:
        answer = await world.web.ask(request)
    except WebError as error:
        return Failure(f"the plugin at {request.url} cannot be asked: {error}")
    if not 200 <= answer.status < 300:
        return Failure(f"the plugin at {request.url} answers with status {answer.status}: check it and its token")
    try:
        return msgspec.json.decode(answer.body, type=_Answer).output.parameters if answer.body.strip() else ()
    except msgspec.DecodeError as error:
        return Failure(f"the plugin at {request.url} does not answer with output.parameters: {error}")
