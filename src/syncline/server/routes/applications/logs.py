"""What objects of an Application say: their Events, and what containers print."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Any

from starlette.responses import Response

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.diagnose.findings.redaction import redacted
from syncline.ports.kube import ClusterReader
from syncline.server.answers import apps, objects
from syncline.server.answers.kinds import Stream
from syncline.server.lists import shapes
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Needs
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.requests.streams import stream
from syncline.server.routes.applications.found import APPLICATION, OBJECT, OF_APP, READS, application
from syncline.verbs.errors import NotFound
from syncline.verbs.logs import LogRequest, lines, printing
from syncline.verbs.resources import managed_keys

_EVENT = GroupKind("", "Event")


async def events(call: Call) -> dict[str, Any]:
    """Return the Events of an Application, or of one of its objects."""
    app = application(call)
    name, namespace, uid = call.text("resourceName"), call.text("resourceNamespace"), call.text("resourceUID")
    if not name and not uid:
        return shapes.listed_events(await events_of(call.backend.home, meta.namespace(app), meta.uid(app)))
    found = await call.backend.looks.see(app)
    keys = managed_keys(found.assessment)
    own = {meta.uid(obj): key for key, obj in found.assessment.live.items() if key in keys}
    # An object that is not this Application's own is not found, whoever asks.
    if uid not in own or (name and own[uid].name != name) or (namespace and own[uid].namespace != namespace):
        raise NotFound(f"{found.assessment.app.metadata.name} has no such object", hint="give its uid, name, namespace")
    return shapes.listed_events(await events_of(found.place.cluster, own[uid].namespace, uid))


async def events_of(cluster: ClusterReader, namespace: str, uid: str) -> list[Object]:
    """Return the Events about an object."""
    resource = (await cluster.discover()).find(_EVENT, "v1")
    if resource is None:
        return []
    pages = cluster.pages(resource, namespace=namespace, field_selector=f"involvedObject.uid={uid}")
    return [obj async for one in pages for obj in one.items]


async def logs(call: Call) -> Response:
    """Send what containers of an Application print."""
    request = _log_request(call)
    found = await call.backend.looks.see(application(call))
    chosen = printing(found.assessment, request)

    async def results() -> AsyncIterator[Any]:
        async with aclosing(lines(found.place.cluster, chosen, request)) as printed:
            async for line in printed:
                if line.problem:
                    raise NotFound(f"{line.pod} {line.container}: {line.text}")
                yield {
                    "content": _printable(line.text),
                    "timeStamp": line.time or None,
                    "timeStampStr": line.time,
                    "podName": line.pod,
                    "last": False,
                }
        end = call.backend.world.now()
        yield {"content": "", "timeStamp": end, "timeStampStr": end, "podName": "", "last": True}

    return stream(call, results())


def _printable(text: str) -> str:
    """Return a line without escapes that would move a terminal, and without what looks like a secret."""
    return "".join(character for character in redacted(text) if character == "\t" or character >= " ")


def _log_request(call: Call) -> LogRequest:
    options = {
        "timestamps": "true",
        "previous": "true" if call.flag("previous") else "",
        "tailLines": str(call.number("tailLines") or ""),
        "sinceSeconds": str(call.number("sinceSeconds") or ""),
        "sinceTime": call.text("sinceTimeStr") or call.text("sinceTime"),
    }
    _time("sinceTime", options["sinceTime"])
    return LogRequest(
        group=call.text("group"),
        kind=call.text("kind"),
        namespace=call.text("namespace"),
        name=call.text("resourceName"),
        pod=call.path("pod") or call.text("podName"),
        container=call.text("container"),
        filter=call.text("filter"),
        match_case=call.flag("matchCase"),
        until=_time("untilTime", call.text("untilTime")),
        options={name: value for name, value in options.items() if value},
        follow=call.flag("follow"),
    )


def _time(name: str, text: str) -> datetime | None:
    try:
        return times.parse(text) if text else None
    except times.InvalidTime:
        raise Failure(INVALID, f"{name} is a time such as 2026-01-31T12:00:00Z") from None


_LOGS = (
    *OF_APP,
    *OBJECT,
    Query("podName"),
    Query("container"),
    Query("tailLines", "", "integer"),
    Query("sinceSeconds", "", "integer"),
    Query("sinceTime"),
    Query("untilTime"),
    Query("filter", "Only lines with this text; !TEXT leaves them out."),
    Query("previous", "", "boolean"),
    Query("follow", "", "boolean"),
)
_APP = "/api/v1/applications/{name}"
# Logs have a right of their own, for they may hold what nobody meant to show.
_READS_LOGS = (READS, Needs("logs", "get", APPLICATION))
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_APP}/events",
        handler=events,
        about="List Events of an Application or of one of its objects.",
        answer=objects.EventList,
        permission=READS,
        query=(*OF_APP, Query("resourceNamespace"), Query("resourceName"), Query("resourceUID")),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/logs",
        handler=logs,
        about="Read logs.",
        answer=Stream(apps.LogLine),
        permission=_READS_LOGS,
        query=_LOGS,
        stream=True,
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/pods/{{pod}}/logs",
        handler=logs,
        about="Read logs of a pod.",
        answer=Stream(apps.LogLine),
        permission=_READS_LOGS,
        query=_LOGS,
        stream=True,
    ),
)
