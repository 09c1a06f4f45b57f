"""What containers printed, as their rule or their command says.

Called by `syncline.sandbox.api.subresources` for pods/log. A container of which neither says anything prints nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import sessions
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster import commands
from syncline.sandbox.store.store import Row

_LOOK_SECONDS: Final = 0.5
_POSITIVE: Final = "must be greater than 0"


def answer(backend: Backend, row: Row, query: Mapping[str, str]) -> ServerResponse:
    """Answer a log request for one container of a pod."""
    obj = row.decode()
    status = obj.get("status") or {}
    container = sessions.container_of(obj, query.get("container", ""))
    wanted, name = container["name"], row.place.name
    tail = _checked(name, query)
    if not (obj.get("spec") or {}).get("nodeName"):
        return ServerResponse(204, content_type="")
    sessions.check_host(backend, obj)
    statuses = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    shown: Object = next((one for one in statuses if one.get("name") == wanted), {})
    previous = query.get("previous", "") in ("true", "1")
    waiting = (shown.get("state") or {}).get("waiting")
    if previous and not shown.get("restartCount"):
        raise errors.bad_request(f'previous terminated container "{wanted}" in pod "{name}" not found')
    if not shown or (waiting and not shown.get("lastState")):
        reason = (waiting or {}).get("reason", "ContainerCreating")
        text = "trying and failing to pull image" if "ImagePull" in reason else reason
        raise errors.bad_request(f'container "{wanted}" in pod "{name}" is waiting to start: {text}')
    script = commands.script_of(backend.settings, container)
    lines = list(script.lines) if script is not None else []
    if tail is not None:
        lines = lines[-tail:] if tail else []
    start = _printed_at(shown) if query.get("timestamps", "") in ("true", "1") else ""
    printed = "".join(f"{start}{line}\n" for line in lines).encode()
    printed = printed[: int(query["limitBytes"])] if query.get("limitBytes") else printed
    if query.get("follow", "") in ("true", "1") and not previous:
        stream = _followed(backend, row, wanted, printed)
        return ServerResponse(200, content_type="text/plain", stream=stream)
    return ServerResponse(200, printed, content_type="text/plain")


def _checked(name: str, query: Mapping[str, str]) -> int | None:
    """Return how many lines are asked for; raises for numbers that make no sense."""
    found: dict[str, int] = {}
    for field in ("tailLines", "sinceSeconds", "limitBytes"):
        text = query.get(field, "")
        if not text:
            continue
        try:
            found[field] = int(text)
        except ValueError:
            raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None
    causes = [
        errors.invalid_value(field, str(found[field]), "must be greater than or equal to 0" if not least else _POSITIVE)
        for field, least in (("tailLines", 0), ("sinceSeconds", 1), ("limitBytes", 1))
        if found.get(field, least) < least
    ]
    if causes:
        raise errors.invalid("PodLogOptions", "", name, causes)
    return found.get("tailLines")


def _printed_at(status: Object) -> str:
    """Return what stands before each line where times are wanted: when the container started, to the nanosecond."""
    state, last = status.get("state") or {}, status.get("lastState") or {}
    ran = state.get("running") or state.get("terminated") or last.get("terminated") or {}
    return f"{str(ran.get('startedAt') or '1970-01-01T00:00:00Z').removesuffix('Z')}.000000000Z "


async def _followed(backend: Backend, row: Row, container: str, printed: bytes) -> AsyncGenerator[bytes]:
    """Send what was printed, and end when the container does: all lines are printed when it starts."""
    if printed:
        yield printed
    while True:
        now = backend.store.at(row.place)
        if now is None or now.uid != row.uid or not _is_running(now, container):
            return
        await backend.clock.sleep(_LOOK_SECONDS)


def _is_running(row: Row, container: str) -> bool:
    status = row.decode().get("status") or {}
    statuses = (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ()))
    return any(one.get("name") == container and "running" in (one.get("state") or {}) for one in statuses)
