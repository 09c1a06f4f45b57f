"""Tells of causes that came and went: one Kubernetes Event each, about the Diagnosis.

Called by `syncline.controller.diagnosis.publisher` after the resource was written, with what it said before: so a
process that takes over tells nothing twice. An Event is a courtesy, and one that is refused is lost.
"""

from __future__ import annotations

import contextlib

from syncline.apimachinery.keys import Object
from syncline.controller.deliver.events import EVENTS
from syncline.controller.world import World
from syncline.model import names
from syncline.model.published import PublishedCause, PublishedStatus
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

_AT_MOST = 20
"""So many causes are told of at once."""


class Telling:
    """Writes Events about one Diagnosis."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def tell(self, diagnosis: Object, before: PublishedStatus, now: PublishedStatus) -> None:
        """Write one Event for each cause that is new, and one for each that is gone."""
        known, left = {one.id for one in before.causes}, {one.id for one in now.causes}
        come = [one for one in now.causes if one.id not in known]
        # A cause that is merely left out for lack of room is not gone.
        gone = [one for one in before.causes if one.id not in left] if not now.omitted else []
        for cause in come[:_AT_MOST]:
            await self._write(diagnosis, "CauseFound", f"{cause.code} {cause.message} ({_reach(cause)})", cause)
        for cause in gone[:_AT_MOST]:
            await self._write(diagnosis, "CauseGone", f"{cause.code} {cause.message}", cause)

    async def _write(self, diagnosis: Object, reason: str, message: str, cause: PublishedCause) -> None:
        metadata, now = diagnosis["metadata"], self._world.now()
        event: Object = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{metadata['name']}.{self._world.ids.uid()}", "namespace": metadata["namespace"]},
            "involvedObject": {
                "apiVersion": diagnosis["apiVersion"],
                "kind": diagnosis["kind"],
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "uid": metadata.get("uid") or "",
            },
            "reason": reason,
            "message": f"{message} [{cause.id}]",
            "type": "Warning" if reason == "CauseFound" else "Normal",
            "source": {"component": names.STATUS_MANAGER},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        with contextlib.suppress(ApiError, TransportError):
            await self._world.home.create(EVENTS, event, manager=names.STATUS_MANAGER)


def _reach(cause: PublishedCause) -> str:
    return f"{cause.affected:,} Application{'' if cause.affected == 1 else 's'}"
