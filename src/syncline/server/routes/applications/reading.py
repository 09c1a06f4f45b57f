"""Applications as lists, one by one, and as a stream: reads alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any

from starlette.responses import Response

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.model import names
from syncline.model.errors import SynclineError
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError
from syncline.server.answers import objects
from syncline.server.answers.kinds import Stream
from syncline.server.lists import fields, selection, shapes
from syncline.server.lists.shelf import AppRow, newest_version
from syncline.server.requests.answers import encoded, json_answer
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Filtered
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.requests.streams import Encoded, stream
from syncline.server.routes.applications.found import OF_APP, READS, application, require_stored
from syncline.server.trees import nodes as trees
from syncline.verbs.refresh import RefreshRequest, refresh

_REFRESH = Query("refresh", "hard, or anything else for a normal one: have it looked at again, and wait for that.")
_FIELDS = Query("fields", "Show only these fields (items.metadata.name,…), or with - all but these.")


async def list_applications(call: Call) -> Response:
    """Return the Applications that match and may be seen."""
    wanted = selection.chosen(call)
    rows = selection.visible(call, filter(wanted.matches, call.backend.shelf.rows()))
    shown = selection.page(call, selection.ordered(call, rows))
    only = fields.parse(call.text("fields"))
    of_items = only.below("items")
    hidden = bool(only.tree) and not only.exclude and "items" not in only.tree
    items: list[Object] = (
        [{} for _ in shown]
        if hidden
        else [of_items.of(shapes.application(obj)) for row in shown if (obj := _object(call, row)) is not None]
    )
    left = len(rows) - call.number("offset") - len(shown)
    metadata: dict[str, Any] = {"resourceVersion": newest_version(call.backend.shelf.rows())}
    if left > 0:
        metadata["remainingItemCount"] = left
    body = {"apiVersion": names.API_VERSION, "kind": "ApplicationList", "metadata": metadata, "items": items}
    return json_answer(body, headers={"X-Total-Count": str(len(rows))})


def _object(call: Call, row: AppRow) -> Object | None:
    return call.backend.live.index.get(application_key(row.key))


async def get_application(call: Call) -> Object:
    """Return one Application; with `refresh` once it was looked at again."""
    found = application(call)
    how = call.text("refresh")
    # As Argo CD takes it: scripts say refresh=true, too.
    if how:
        key = AppKey(meta.namespace(found), meta.name(found))
        request = RefreshRequest(app=key, hard=how == "hard")
        found = (await refresh(call.backend.home, request, partial(require_stored, call))).obj
    return shapes.application(await _with_health(call, found))


async def _with_health(call: Call, app: Object) -> Object:
    """Return an Application whose objects have health, which Argo CD keeps apart; as it is where nothing is seen."""
    if not shapes.wants_health(app):
        return app
    try:
        return shapes.with_health(app, trees.tree(await call.backend.looks.see(app)))
    except (SynclineError, ApiError, TransportError, TimeoutError):
        return app


async def stream_applications(call: Call) -> Response:
    """Send the Applications that match and may be seen, then each change."""
    wanted, only = selection.chosen(call), fields.parse(call.text("fields"))
    single = bool(call.text("name"))
    # Whoever follows one Application must not miss how it is now: it may have changed since that version.
    since = 0 if single else call.number("resourceVersion")

    def is_wanted(key: ObjectKey) -> bool:
        row = call.backend.shelf.row(key)
        return row is not None and wanted.matches(row) and selection.is_visible(call, row)

    async def results() -> AsyncIterator[Any]:
        visible = partial(selection.is_visible_state, call)
        async with aclosing(call.backend.feed.changes(APPLICATION, is_wanted, visible, since=since)) as changes:
            async for event in changes:
                # Who follows one Application wants to know of its objects too.
                obj = await _with_health(call, event.obj) if single and event.type != "DELETED" else event.obj
                shown = {"type": event.type, "application": shapes.application(obj)}
                if only.tree:
                    # Argo CD names the fields of the event under `result`.
                    yield only.below("result").of(shown) if "result" in only.tree else shown
                elif obj is not event.obj:
                    yield shown
                else:
                    yield Encoded(call.backend.feed.text_of(event, partial(encoded, shown)))

    return stream(call, results())


_ROWS = Filtered("applications", "get", "Applications")
ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/applications",
        handler=list_applications,
        about="List Applications.",
        answer=objects.ApplicationList,
        permission=_ROWS,
        query=(*selection.FILTERS, *selection.PAGING, _FIELDS),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/applications/{name}",
        handler=get_application,
        about="Get an Application.",
        answer=objects.Application,
        permission=READS,
        query=(*OF_APP, _REFRESH),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/stream/applications",
        handler=stream_applications,
        about="Follow Applications.",
        answer=Stream(objects.ApplicationEvent),
        permission=_ROWS,
        query=(
            *selection.FILTERS,
            _FIELDS,
            Query("resourceVersion", "Version of a list: leave out what it has.", "integer"),
        ),
        stream=True,
    ),
)
