"""All routes. A request is answered by the first one that fits, so literal words stand before what any word fits."""

from __future__ import annotations

from itertools import chain
from typing import Final

from syncline.server.routes import (
    accounts,
    actions,
    applications,
    changes,
    explaining,
    fleet,
    installation,
    logs,
    objects,
    session,
)
from syncline.server.routing import Endpoint
from syncline.server.ui import demo

ENDPOINTS: Final[tuple[Endpoint, ...]] = tuple(
    chain(
        session.ENDPOINTS,
        accounts.ENDPOINTS,
        installation.ENDPOINTS,
        applications.ENDPOINTS,
        changes.ENDPOINTS,
        objects.ENDPOINTS,
        actions.ENDPOINTS,
        logs.ENDPOINTS,
        explaining.ENDPOINTS,
        fleet.ENDPOINTS,
        demo.ENDPOINTS,
    )
)
