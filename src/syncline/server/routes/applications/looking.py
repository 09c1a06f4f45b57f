"""All that the server sees of an Application, for clients that run the same engine: the command line over a server.

The snapshot travels without values of Secrets (keyed digests, under a key that is used once) and without what a right
to one Application does not cover (`syncline.server.access.shared_looks`): whoever may see an Application may see these
objects one by one already. Read by `syncline.verbs.served.home`.
"""

from __future__ import annotations

from functools import partial

import msgspec
from starlette.responses import Response

from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey, application_key
from syncline.model import application as model
from syncline.model import codec
from syncline.model.operation import SyncOperation
from syncline.server.access.shared_looks import shared
from syncline.server.answers import apps
from syncline.server.lists import selection
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Also
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.applications.found import OF_APP, READS, application
from syncline.verbs.errors import InvalidRequest
from syncline.verbs.look import Overrides, Seen
from syncline.verbs.resources import orphaned_keys
from syncline.verbs.served.sight import ServedLook


async def look(call: Call) -> Response:
    """Return the snapshot that a look at an Application is made from."""
    found = await _seen(call, application(call))
    key = call.backend.secrets.text(32).encode()
    shown = shared(codec.digested(found.assessment.snapshot, key), call.backend.guard, call.who, partial(_sees, call))
    watched = ((shown.project or {}).get("spec") or {}).get("orphanedResources") is not None
    orphans = tuple(orphaned_keys(found)) if watched or call.may("applications", "get", "*/*") else ()
    # Not sorted: objects are printed with their fields in the order that the cluster gave them.
    return Response(msgspec.json.encode(ServedLook(shown, orphans)), media_type="application/json")


def _sees(call: Call, title: str) -> bool:
    """Whether whoever asks may see another Application, by its namespace and name."""
    namespace, _, name = title.rpartition("/")
    row = call.backend.shelf.row(application_key(AppKey(namespace, name)))
    return row is not None and selection.is_visible(call, row)


async def _seen(call: Call, app: Object) -> Seen:
    revision, revisions, server_side = call.text("revision"), call.texts("revisions"), call.flag("serverSide")
    if not revision and not revisions and not server_side:
        return await call.backend.looks.see(app)
    if revisions and len(revisions) != len(model.parse(app).spec.sources):
        raise InvalidRequest("give a revision for each source")
    sync = SyncOperation(revision=revision, revisions=revisions) if revision or revisions else None
    view = call.backend.view
    assessment = await view.assess(app, Overrides(sync=sync, server_side=server_side))
    return Seen(assessment, await view.place(assessment))


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/applications/{name}/look",
        handler=look,
        about="All that a look at an Application saw, for clients that run the same engine.",
        answer=apps.Look,
        permission=READS,
        also=(Also("applications", "get", "`*/*`: orphans of a project that does not watch them"),),
        query=(
            *OF_APP,
            Query("revision", "At another revision than the newest."),
            Query("revisions", "The same with several sources: one for each.", many=True),
            Query("serverSide", "Ask the cluster what applying would change.", "boolean"),
        ),
    ),
)
