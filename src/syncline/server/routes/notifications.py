"""The names of notification services, triggers and templates: what a page offers to subscribe to."""

from __future__ import annotations

from typing import Any

from syncline.model.notifications import CONFIG_MAP
from syncline.server.answers.installation import ItemNames
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Needs, always
from syncline.server.requests.routing import Endpoint, Handler

_PATH = "/api/v1/notifications"


def _names(prefix: str) -> Handler:
    """Return what lists the entries of argocd-notifications-cm that begin so; what they say is told to nobody."""

    async def listed(call: Call) -> dict[str, Any]:
        keys = (key.split(".") for key in call.backend.config(CONFIG_MAP))
        # A service has a type, and may have a name of its own behind it.
        found = {parts[-1] for parts in keys if parts[0] == prefix and parts[-1] and 1 < len(parts) < 4}
        return {"items": [{"name": name} for name in sorted(found)]} if found else {}

    return listed


ENDPOINTS = tuple(
    Endpoint(
        method="GET",
        path=f"{_PATH}/{prefix}s",
        handler=_names(prefix),
        about=f"List the {prefix}s of notifications.",
        answer=ItemNames,
        permission=Needs("applications", "get", always("*/*")),
    )
    for prefix in ("service", "trigger", "template")
)
