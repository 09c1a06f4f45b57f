"""The demo's breaks: started and healed from the page. Nothing is served here where no demo runs."""

from __future__ import annotations

from typing import Any

from syncline.server.answers import installation
from syncline.server.requests.call import Call
from syncline.server.requests.failures import NOT_FOUND, Failure
from syncline.server.requests.permissions import Also, Needs, always
from syncline.server.requests.routing import Endpoint
from syncline.server.ui.breaks import Breaks

_NO_DEMO = "this is not a demo"


async def demo_breaks(call: Call) -> dict[str, Any]:
    """Return the breaks; none where no demo runs."""
    demo = call.backend.demo
    breaks = list(await demo.all()) if demo is not None else []
    return {"breaks": breaks, "may": call.may("applications", "delete", "*/*")}


async def break_demo(call: Call) -> dict[str, Any]:
    """Break the demo in one way."""
    demo = _allowed(call)
    try:
        return {"said": await demo.start(call.path("id"))}
    except KeyError:
        raise Failure(NOT_FOUND, "the demo has no break of this name") from None


async def heal_demo(call: Call) -> dict[str, Any]:
    """Undo a break."""
    demo = _allowed(call)
    try:
        return {"said": await demo.heal(call.path("id"))}
    except KeyError:
        raise Failure(NOT_FOUND, "the demo has no break of this name") from None


def _allowed(call: Call) -> Breaks:
    """Return the demo; raises where none runs."""
    if call.backend.demo is None:
        raise Failure(NOT_FOUND, _NO_DEMO)
    return call.backend.demo


_PATH = "/api/v1/syncline/demo"
# Whoever breaks a demo could as well delete its apps.
_DELETES = Needs("applications", "delete", always("*/*"))
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=_PATH,
        handler=demo_breaks,
        about="The breaks of a demo.",
        answer=installation.Demo,
        permission=Needs("applications", "get", always("*/*")),
        also=(Also("applications", "delete", "`may`: whether the caller may break the demo"),),
    ),
    Endpoint(
        method="POST",
        path=f"{_PATH}/{{id}}/break",
        handler=break_demo,
        about="Break the demo.",
        answer=installation.Said,
        permission=_DELETES,
    ),
    Endpoint(
        method="POST",
        path=f"{_PATH}/{{id}}/heal",
        handler=heal_demo,
        about="Undo a break of the demo.",
        answer=installation.Said,
        permission=_DELETES,
    ),
)
