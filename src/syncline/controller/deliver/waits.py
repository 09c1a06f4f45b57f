"""Tells people of Applications whose render has waited long for its turn: a condition that says since when and why.

Run beside the passes by `syncline.controller.deliver.applications`. The pass that waits writes the status when it is
done, and with it the condition goes. Nothing else of the status changes meanwhile: what is known stays as it was.
"""

from __future__ import annotations

from datetime import timedelta

from syncline.apimachinery.times import format_time
from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.controller.coexistence import ownership
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.model import names
from syncline.model.condition import ConditionType
from syncline.model.fairness import Wait
from syncline.model.reason import Reason
from syncline.ports.kube import ApiError
from syncline.ports.render import SharedRenderer
from syncline.ports.transport import TransportError

LOOK_EVERY = 10.0
LONG = 15.0
"""Seconds after which people are told."""
_MOST = 20
"""So many Applications are told of at a time: of thousands that wait, the figures tell."""
_TYPE = ConditionType.RENDER_WAITING_WARNING


async def tell_of_waits(world: World, live: LiveCluster, mode: OwnershipMode) -> None:
    """Look for renders that wait, for as long as the controller runs."""
    renderer = world.renderer
    if not isinstance(renderer, SharedRenderer):
        return
    while True:
        await renderer.until_waiting()
        await world.clock.sleep(LOOK_EVERY)
        long = [wait for wait in renderer.figures().waits if wait.seconds >= LONG and wait.subject]
        for wait in long[:_MOST]:
            await _tell(world, live, wait, mode)


async def _tell(world: World, live: LiveCluster, wait: Wait, mode: OwnershipMode) -> None:
    namespace, _, name = wait.subject.partition("/")
    key = AppKey(namespace, name)
    obj, resource = live.index.get(application_key(key)), live.resource(APPLICATION)
    if obj is None or resource is None or not ownership.acts_on(obj, mode):
        return
    status = obj.get("status") or {}
    conditions = status.get("conditions") or []
    if any(item.get("type") == _TYPE for item in conditions):
        return
    now = world.now()
    condition = {"type": _TYPE.value, "message": _words(wait, world), "lastTransitionTime": now}
    changed = sorted([*conditions, condition], key=lambda item: (item.get("type"), item.get("message")))
    patch = {
        "metadata": {"resourceVersion": obj["metadata"]["resourceVersion"]},
        "status": {"conditions": changed},
    }
    try:
        stored = await world.home.patch(resource, namespace, name, patch, manager=names.STATUS_MANAGER)
    except (ApiError, TransportError):
        # Somebody wrote meanwhile, or the server is away: whoever looks next tells it, if it is still so.
        return
    live.note_write(stored)


def _words(wait: Wait, world: World) -> str:
    since = format_time(world.clock.now() - timedelta(seconds=wait.seconds))
    why = "the machine is busy with renders of other projects"
    if wait.own_runs:
        why = f"other renders of project {wait.project} run"
    if wait.over_budget:
        why = f"project {wait.project} has used its processor seconds, so other projects go first"
    todo = "wait, make its sources quicker to render, or raise syncline.renders.projectSeconds"
    return f"{Reason.WAITING_FOR_RENDER}: the render waits for its turn since {since}: {why} ({todo})"
