"""The badge of an Application or a project: two words in two colours, as a picture for pages elsewhere.

Off unless `statusbadge.enabled` says otherwise, for it needs no session: it tells anybody how an Application is.
"""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from syncline.controller.app_key import AppKey
from syncline.server.answers.kinds import Text
from syncline.server.requests.call import Call
from syncline.server.requests.failures import NOT_FOUND, Failure
from syncline.server.requests.permissions import Open
from syncline.server.requests.routing import Endpoint, Query

_HEALTH: Final = {
    "Healthy": "#18be94",
    "Progressing": "#0dadea",
    "Suspended": "#766f94",
    "Degraded": "#e96d76",
    "Missing": "#f4c030",
    "Unknown": "#7b7b7b",
}
_SYNC: Final = {"Synced": "#18be94", "OutOfSync": "#f4c030", "Unknown": "#7b7b7b"}
_SVG: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" aria-label="{left} {right}">'
    '<rect width="{half}" height="20" fill="{one}"/><rect x="{half}" width="{half}" height="20" fill="{two}"/>'
    '<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle">'
    '<text x="{first}" y="14">{left}</text><text x="{second}" y="14">{right}</text></g></svg>'
)
_HALF = 88


async def badge(call: Call) -> Response:
    """Return the badge of an Application, or of all that a project has; unknown names look like unknown states."""
    if call.backend.config("argocd-cm").get("statusbadge.enabled", "").lower() != "true":
        raise Failure(NOT_FOUND, "badges are off", hint='set statusbadge.enabled: "true" in argocd-cm')
    health, sync = _states(call)
    drawn = _SVG.format(
        whole=2 * _HALF,
        half=_HALF,
        first=_HALF // 2,
        second=_HALF + _HALF // 2,
        left=health,
        right=sync,
        one=_HEALTH[health],
        two=_SYNC[sync],
    )
    return Response(drawn, media_type="image/svg+xml", headers={"Cross-Origin-Resource-Policy": "cross-origin"})


def _states(call: Call) -> tuple[str, str]:
    """Return health and sync status, words of closed lists alone: nothing that was sent here is drawn."""
    rows = call.backend.shelf.rows()
    if name := call.text("name"):
        key = AppKey(call.text("namespace") or call.backend.namespace, name)
        rows = [row for row in rows if row.key == key]
    elif wanted := call.texts("project"):
        rows = [row for row in rows if row.project in wanted]
    else:
        rows = []
    if not rows:
        return "Unknown", "Unknown"
    health = next((word for word in reversed(_HEALTH) if any(row.health == word for row in rows)), "Unknown")
    sync = next((word for word in ("Unknown", "OutOfSync") if any(row.sync == word for row in rows)), "Synced")
    return health, sync


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/badge",
        handler=badge,
        about="A badge.",
        permission=Open("pages elsewhere show it; off unless `statusbadge.enabled` is true"),
        query=(Query("name"), Query("namespace"), Query("project", many=True)),
        answer=Text("image/svg+xml"),
    ),
)
