"""All that the server sees of an Application, for clients that run the same engine: the command line over a server.

The snapshot travels without values of Secrets (keyed digests, under a key that is used once), without what scripts
of the installation run, and without the roles and tokens of its project: whoever may see an Application may see
these objects one by one already. Read by `syncline.verbs.served.home`.
"""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import application as model
from syncline.model import codec
from syncline.model.operation import SyncOperation
from syncline.model.snapshot import Snapshot
from syncline.server.requests.call import Call
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.applications.found import OF_APP, application
from syncline.verbs.errors import InvalidRequest
from syncline.verbs.look import Overrides, Seen
from syncline.verbs.resources import orphaned_keys
from syncline.verbs.served.sight import ServedLook


async def look(call: Call) -> Response:
    """Return the snapshot that a look at an Application is made from."""
    found = await _seen(call, application(call))
    key = call.backend.secrets.text(32).encode()
    shown = _shared(codec.digested(found.assessment.snapshot, key))
    watched = ((shown.project or {}).get("spec") or {}).get("orphanedResources") is not None
    orphans = tuple(orphaned_keys(found)) if watched or call.may("applications", "get", "*/*") else ()
    # Not sorted: objects are printed with their fields in the order that the cluster gave them.
    return Response(msgspec.json.encode(ServedLook(shown, orphans)), media_type="application/json")


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


def _shared(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot without what a right to an Application does not cover."""
    project = snapshot.project
    if project is not None:
        spec = {name: value for name, value in (project.get("spec") or {}).items() if name != "roles"}
        project = {name: value for name, value in project.items() if name != "status"} | {"spec": spec}
    settings = msgspec.structs.replace(snapshot.settings, exec_commands=())
    return msgspec.structs.replace(
        snapshot,
        project=project,
        settings=settings,
        schemas=tuple(map(_schema, snapshot.schemas)),
        surroundings=(),
        logs=(),
        newest_revisions=(),
        unseen=("another Application",) if snapshot.unseen else (),
    )


def _schema(definition: Object) -> Object:
    """Return a CRD as far as objects are compared by it: it is an object of the cluster, which may be foreign."""
    kept = {name: value for name, value in meta.metadata(definition).items() if name in _KNOWN_BY}
    spec = {name: value for name, value in (definition.get("spec") or {}).items() if name != "conversion"}
    return {"apiVersion": definition.get("apiVersion"), "kind": definition.get("kind"), "metadata": kept, "spec": spec}


_KNOWN_BY = ("name", "uid", "resourceVersion")


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/applications/{name}/look",
        handler=look,
        about="All that a look at an Application saw, for clients that run the same engine.",
        query=(
            *OF_APP,
            Query("revision", "At another revision than the newest."),
            Query("revisions", "The same with several sources: one for each.", many=True),
            Query("serverSide", "Ask the cluster what applying would change.", "boolean"),
        ),
    ),
)
