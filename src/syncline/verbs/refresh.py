"""Asks the controller for a new look at an Application, and waits until it has looked."""

from __future__ import annotations

import asyncio

import msgspec

from syncline.controller.app_key import AppKey
from syncline.model import names
from syncline.ports.kube import Cluster
from syncline.verbs.applications import Permit, StoredApplication, annotate, read_application
from syncline.verbs.errors import Refused

_PAUSE = 0.2


class RefreshRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A new look; a `hard` one renders again too. The controller has so many seconds."""

    app: AppKey
    hard: bool = False
    timeout: float = 60.0


async def refresh(
    cluster: Cluster, request: RefreshRequest, permit: Permit = lambda _stored: None
) -> StoredApplication:
    """Return the Application once the controller has looked; raises `Refused` when nobody does in time.

    `permit` is asked before it is written, and again before it is returned: it may have moved meanwhile.
    """
    await annotate(cluster, request.app, {names.REFRESH: "hard" if request.hard else "normal"}, permit)
    try:
        async with asyncio.timeout(request.timeout):
            while True:
                await asyncio.sleep(_PAUSE)
                stored = await read_application(cluster, request.app)
                if names.REFRESH not in (stored.obj["metadata"].get("annotations") or {}):
                    permit(stored.obj)
                    return stored
    except TimeoutError:
        raise Refused(
            f"{request.app.name} was not refreshed within {request.timeout:g} s",
            hint="is a controller running for this Application?",
        ) from None
