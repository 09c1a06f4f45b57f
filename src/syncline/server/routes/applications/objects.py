"""The objects of an Application: its tree, both sides of each, what the sources make, and single live objects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.responses import Response

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.assess import Assessment
from syncline.core.compare.masks import Masks
from syncline.core.compare.shown import shown_sides
from syncline.model import application as model
from syncline.model import names
from syncline.model.masking import is_secret
from syncline.server.answers import apps
from syncline.server.answers.kinds import Empty, Stream
from syncline.server.requests.call import Call
from syncline.server.requests.caller_rights import CallerRights, installation
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.requests.streams import stream
from syncline.server.routes.applications.found import (
    OBJECT,
    OF_APP,
    READS,
    application,
    named_object,
    on_object,
    own_object,
    own_objects_need,
    seen,
    seen_as_stored,
    writes,
)
from syncline.server.trees import nodes as trees
from syncline.verbs.errors import InvalidRequest, NotFound
from syncline.verbs.look import Overrides
from syncline.verbs.own_objects import delete_own, patch_own
from syncline.verbs.resources import (
    ChildPolicy,
    DeleteResourceRequest,
    PatchResourceRequest,
    ResourceChoice,
    delete_resource,
    live_object,
    masked,
    patch_resource,
    require_permitted,
)
from syncline.verbs.revisions import RevisionChoice

_PATCHES: dict[str, Any] = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "": "merge",
}
_UNCOUNTED = ("uid", "resourceVersion", "generation", "managedFields", "selfLink")
_CHOICE = (Query("namespace"), Query("name"), Query("group"), Query("kind"), Query("version"))


async def resource_tree(call: Call) -> dict[str, Any]:
    """Return the objects of an Application as a tree."""
    return trees.tree(await seen(call))


async def stream_resource_tree(call: Call) -> Response:
    """Send the tree now and whenever it changes."""

    async def results() -> AsyncIterator[Any]:
        before: Any = None
        while True:
            # It may have moved to another project since, or changed.
            await call.enforce()
            now = trees.tree(await seen(call))
            if now != before:
                before = now
                yield now
            await call.backend.world.clock.sleep(_LOOK_EVERY)

    return stream(call, results())


_LOOK_EVERY = 2.0


async def managed_resources(call: Call) -> dict[str, Any]:
    """Return what Git and the cluster say of each object."""
    return _diffs(call, (await seen(call)).assessment)


async def server_side_diff(call: Call) -> dict[str, Any]:
    """Return the same, with what the cluster says that applying would change."""
    app = application(call)
    if call.text("targetManifests"):
        raise InvalidRequest("manifests of the caller are not compared", hint="push them, and compare that revision")
    assessment = await call.backend.view.assess(app, Overrides(server_side=True))
    found = _diffs(call, assessment)
    return {**found, "modified": any(one["modified"] for one in found["items"])}


def _diffs(call: Call, assessment: Assessment) -> dict[str, Any]:
    choice = ResourceChoice(
        kind=call.text("kind"),
        group=call.request.query_params.get("group"),
        namespace=call.text("namespace"),
        name=call.text("name"),
    )
    items = {item.key: item for item in (*assessment.prepared.objects, *assessment.prepared.hooks)}
    return {
        "items": [
            _resource_diff(assessment, row.key, items) for row in assessment.comparison.rows if choice.matches(row.key)
        ]
    }


def _resource_diff(assessment: Assessment, key: ObjectKey, items: Any) -> dict[str, Any]:
    row = assessment.comparison.row(key)
    if row is None:
        raise NotFound(f"{assessment.app.metadata.name} has no {key}")
    live = assessment.live.get(key)
    sides = shown_sides(row, items.get(key), live, assessment.context)
    return {
        "group": key.group,
        "kind": key.kind,
        "namespace": key.namespace,
        "name": key.name,
        "targetState": _text(sides.desired),
        "liveState": _text(sides.live),
        "normalizedLiveState": _text(_whole(sides.normalized, sides.live)),
        "predictedLiveState": _text(_whole(sides.predicted, sides.live)),
        "resourceVersion": meta.resource_version(live),
        "modified": bool(row.differences),
        "hook": row.hook,
    }


def _whole(side: Object | None, live: Object | None) -> Object | None:
    """Return a side with the members of its metadata that never count, which clients know an object by."""
    if side is None or live is None:
        return side
    metadata, own = meta.metadata(live), meta.metadata(side)
    kept = {name: metadata[name] for name in _UNCOUNTED if name in metadata}
    applied = meta.annotations(live).get(names.LAST_APPLIED)
    notes = {"annotations": {**meta.annotations(side), names.LAST_APPLIED: applied}} if applied else {}
    return {**side, "metadata": {**own, **kept, **notes}}


def _text(obj: Object | None) -> str:
    return "null" if obj is None else orjson.dumps(obj).decode()


def _revisions(call: Call) -> RevisionChoice:
    """Return the revisions that a request names: of the one source, or of several by their positions."""
    positions = call.texts("sourcePositions")
    if not all(one.isascii() and one.isdigit() and len(one) < 10 for one in positions):
        raise Failure(INVALID, "the parameter sourcePositions is a number of a source, from 1 on")
    return RevisionChoice(
        revision=call.text("revision"), revisions=call.texts("revisions"), positions=tuple(map(int, positions))
    )


async def manifests(call: Call) -> dict[str, Any]:
    """Return what the sources make, as JSON texts; values of Secrets are masked."""
    app = application(call)
    at = _revisions(call)
    if at.revision or at.revisions:
        assessment = await call.backend.view.assess(app, Overrides(sync=at.of(model.parse(app))))
    else:
        assessment = (await call.backend.looks.see(app)).assessment
    desired = assessment.snapshot.desired
    # An older render is not an answer to what the sources make now.
    if desired is None or assessment.snapshot.desired_stale:
        failed = "; ".join(trouble.message for trouble in assessment.snapshot.troubles)
        raise InvalidRequest(failed or "the source could not be rendered")
    destination = assessment.snapshot.destination or assessment.app.spec.destination
    places = {_plain(item.key): place for place, item in enumerate(desired.objects)}
    prepared = (*assessment.prepared.objects, *assessment.prepared.hooks)
    bare = {_plain(item.key) for item in desired.objects if not item.key.namespace}
    ordered = sorted(prepared, key=lambda item: places.get(_plain(item.key), 0))
    objects = [_as_written(item.obj) if _plain(item.key) in bare else item.obj for item in ordered]
    return {
        "manifests": [orjson.dumps(_hidden(obj)).decode() for obj in objects],
        "namespace": destination.namespace,
        "server": destination.server,
        "revision": assessment.revision,
        "sourceType": next(iter(desired.source_types), ""),
    }


def _plain(key: ObjectKey) -> tuple[str, str, str]:
    """Return what an object is known by in its source, which may leave out the namespace."""
    return key.group, key.kind, key.name


def _as_written(obj: Object) -> Object:
    """Return an object without the namespace that it gets from the destination, which its source leaves out."""
    return {**obj, "metadata": {name: value for name, value in meta.metadata(obj).items() if name != "namespace"}}


def _hidden(obj: Object) -> Object:
    return Masks(obj).masked(obj) if is_secret(obj) else obj


async def get_resource(call: Call) -> dict[str, str]:
    """Return one live object of an Application; values of Secrets are masked."""
    app = application(call)
    key = named_object(call)
    return {"manifest": _text(masked(live_object(await call.backend.looks.see(app), key)))}


async def post_resource(call: Call) -> dict[str, str]:
    """Patch one live object of an Application."""
    key = named_object(call)
    kind = call.text("patchType")
    if kind not in _PATCHES:
        raise Failure(INVALID, f"patchType is one of {', '.join(filter(None, _PATCHES))}")
    text = call.raw_body if isinstance(call.raw_body, str) else ""
    try:
        patch = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Failure(INVALID, "the body is a JSON text that holds the patch") from None
    request = PatchResourceRequest(key=key, patch=patch, kind=_PATCHES[kind])
    look = await seen_as_stored(call)
    if own_object(call, look, key) is None:
        stored = await patch_resource(look, request)
    else:
        require_permitted(look, key)
        stored = await patch_own(call.backend.home, request, CallerRights(call), installation(call))
    return {"manifest": _text(masked({**stored, "kind": key.kind}))}


async def remove_resource(call: Call) -> dict[str, Any]:
    """Delete one live object of an Application."""
    key = named_object(call)
    children = ChildPolicy.BACKGROUND if call.flag("force") else ChildPolicy.FOREGROUND
    if call.flag("orphan"):
        children = ChildPolicy.ORPHAN
    look = await seen_as_stored(call)
    request = DeleteResourceRequest(key=key, children=children)
    if (own := own_object(call, look, key)) is not None:
        await delete_own(call.backend.home, look, request, own, CallerRights(call))
    else:
        await delete_resource(look, request)
    return {}


_APP = "/api/v1/applications/{name}"
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_APP}/resource-tree",
        handler=resource_tree,
        about="Get the objects of an Application as a tree.",
        answer=apps.Tree,
        permission=READS,
        query=OF_APP,
    ),
    Endpoint(
        method="GET",
        path="/api/v1/stream/applications/{name}/resource-tree",
        handler=stream_resource_tree,
        about="Follow the tree of an Application.",
        answer=Stream(apps.Tree),
        permission=READS,
        query=OF_APP,
        stream=True,
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/managed-resources",
        handler=managed_resources,
        about="Get what Git and the cluster say of each object.",
        answer=apps.ResourceDiffs,
        permission=READS,
        query=(*OF_APP, *_CHOICE),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/server-side-diff",
        handler=server_side_diff,
        about="Get what applying would change, as the cluster says.",
        answer=apps.ServerSideDiffs,
        permission=READS,
        query=(*OF_APP, *_CHOICE, Query("targetManifests", "Refused: manifests of the caller are not compared.")),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/manifests",
        handler=manifests,
        about="Get what the sources make.",
        answer=apps.Manifests,
        permission=READS,
        query=(
            *OF_APP,
            Query("revision", "At another revision."),
            Query("revisions", "The same for several sources.", many=True),
            Query("sourcePositions", "Which sources these are of.", "integer", many=True),
        ),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/resource",
        handler=get_resource,
        about="Get a live object.",
        answer=apps.Manifest,
        permission=READS,
        query=(*OF_APP, *OBJECT),
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/resource",
        handler=post_resource,
        about="Patch a live object.",
        answer=apps.Manifest,
        permission=writes(on_object("update")),
        also=own_objects_need("update", "create"),
        query=(*OF_APP, *OBJECT, Query("patchType", "Media type of the patch.")),
        body=str,
    ),
    Endpoint(
        method="DELETE",
        path=f"{_APP}/resource",
        handler=remove_resource,
        about="Delete a live object.",
        answer=Empty,
        permission=writes(on_object("delete")),
        also=own_objects_need("delete"),
        query=(*OF_APP, *OBJECT, Query("force", "", "boolean"), Query("orphan", "", "boolean")),
    ),
)
