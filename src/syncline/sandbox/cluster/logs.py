"""What containers printed, as their script says.

Called by `syncline.sandbox.api.subresources` for pods/log. A container without a script prints nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.backend import Backend
from syncline.sandbox.store.store import Row


def answer(backend: Backend, row: Row, query: Mapping[str, str]) -> ServerResponse:
    """Answer a log request for one container of a pod."""
    obj = row.decode()
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    wanted = query.get("container", "")
    names = [container["name"] for container in containers]
    name = row.place.name
    if not wanted:
        if len(spec.get("containers") or ()) > 1:
            listed = " ".join(names)
            raise errors.bad_request(f"a container name must be specified for pod {name}, choose one of: [{listed}]")
        wanted = names[0]
    if wanted not in names:
        raise errors.bad_request(f"container {wanted} is not valid for pod {name}")
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
    image = next(container.get("image", "") for container in containers if container["name"] == wanted)
    script = backend.settings.container(image)
    lines = list(script.lines) if script is not None else []
    tail = query.get("tailLines")
    if tail:
        lines = lines[-int(tail) :] if int(tail) else []
    return ServerResponse(200, "".join(f"{line}\n" for line in lines).encode(), content_type="text/plain")
