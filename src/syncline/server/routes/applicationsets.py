"""ApplicationSets: reading, creating, deleting and following them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any

from starlette.responses import Response

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.appsets.keys import APPLICATION_SET, AppSetKey, appset_key
from syncline.core.policy import namespaces
from syncline.core.policy.set_writing import project_of, template_project
from syncline.model import names
from syncline.server.answers import apps, objects
from syncline.server.answers.kinds import Empty, Stream
from syncline.server.lists import selection, shapes
from syncline.server.lists.shelf import rbac_name
from syncline.server.lists.visible_sets import may_see, set_rbac
from syncline.server.requests.call import Call
from syncline.server.requests.caller_rights import CallerRights, installation
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Also, Filtered, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.requests.streams import stream
from syncline.verbs.applicationsets import delete_set, read_set
from syncline.verbs.errors import NotFound
from syncline.verbs.writing_sets import write_set

_NAMESPACE = Query("appsetNamespace", "Namespace of the set (default: that of the installation).")
_PROJECTS = Query("projects", "Only those of this project.", many=True)

_SELECTOR = Query("selector", "Only those whose labels fit (tier=web,stage!=test).")


async def list_sets(call: Call) -> dict[str, Any]:
    """Return the sets that may be seen."""
    index = call.backend.live.index
    wanted, namespace = call.texts("projects", "project"), call.text("appsetNamespace")
    labels = selection.labels_of(call)
    items = [
        obj
        for obj in index.of_kind(APPLICATION_SET, namespace)
        if may_see(call, obj)
        and (not wanted or project_of(obj) in wanted)
        and (labels is None or labels.matches(meta.labels(obj)))
    ]
    return shapes.listed("ApplicationSetList", items)


async def _find(call: Call) -> Target[Object]:
    key = AppSetKey(call.text("appsetNamespace") or call.backend.namespace, call.path("name"))
    found = call.backend.live.index.get(appset_key(key))
    if found is None or not namespaces.permitted(key.namespace, call.backend.world.settings):
        missing = NotFound(f'applicationsets.argoproj.io "{key.name}" not found in namespace {key.namespace}')
        return Target(rbac_name("*", key.namespace, key.name, call.backend.namespace), problem=missing)
    return Target(set_rbac(call, found), found)


_SET = Subject("the ApplicationSet in the path, `PROJECT/NAME` or `PROJECT/NAMESPACE/NAME`", _find)


def _set(call: Call) -> Object:
    """Return the set of a request, as the declaration of its endpoint loaded it."""
    return call.of(_SET)


async def get_set(call: Call) -> Object:
    """Return one set."""
    return _set(call)


async def tree(call: Call) -> dict[str, Any]:
    """Return the Applications of a set as nodes of a tree."""
    found = _set(call)
    parent = {
        "group": names.GROUP,
        "kind": "ApplicationSet",
        "namespace": meta.namespace(found),
        "name": meta.name(found),
    }
    namespace, uid = meta.namespace(found), meta.uid(found)
    rows = [row for row in call.backend.shelf.rows() if uid and (row.namespace, row.set_uid) == (namespace, uid)]
    control = call.backend.namespace
    return {
        "nodes": [
            {
                "group": names.GROUP,
                "version": "v1alpha1",
                "kind": "Application",
                "namespace": row.namespace,
                "name": row.name,
                "parentRefs": [parent],
                "health": {"status": row.health},
            }
            for row in rows
            if call.may("applications", "get", row.rbac_name(control))
        ]
    }


async def create(call: Call) -> Object:
    """Create a set, or with `upsert` overwrite the one of its name."""
    named = _body_set(call)
    namespace = meta.namespace(named) or call.backend.namespace
    if not meta.name(named):
        raise Failure(INVALID, "the body is an ApplicationSet with a name")
    if not namespaces.permitted(namespace, call.backend.world.settings):
        raise Failure(INVALID, f"ApplicationSets in namespace {namespace} are not looked after")
    typed = {**named, "apiVersion": names.API_VERSION, "kind": "ApplicationSet"}
    return await write_set(call.backend.home, typed, CallerRights(call), installation(call), upsert=call.flag("upsert"))


def _body_set(call: Call) -> Object:
    return call.raw_body if isinstance(call.raw_body, dict) else {}


async def _find_new(call: Call) -> Target[None]:
    body = _body_set(call)
    namespace = meta.namespace(body) or call.backend.namespace
    # By its template: the mark of a body is only what a caller says.
    return Target(rbac_name(template_project(body), namespace, meta.name(body), call.backend.namespace))


async def _find_present(call: Call) -> Target[None] | None:
    body = _body_set(call)
    key = AppSetKey(meta.namespace(body) or call.backend.namespace, meta.name(body))
    present = call.backend.live.index.get(appset_key(key))
    return Target(set_rbac(call, present)) if present is not None else None


_NEW = Subject("the ApplicationSet in the body", _find_new)
_PRESENT = Subject("the ApplicationSet that has that name already", _find_present)


async def delete(call: Call) -> dict[str, Any]:
    """Delete a set; its Applications go with it."""
    found = _set(call)
    stored = await read_set(call.backend.home, AppSetKey(meta.namespace(found), meta.name(found)))
    # What is stored decides: the live view may have seen another set of this name.
    call.require("applicationsets", "delete", set_rbac(call, stored.obj))
    await delete_set(call.backend.home, stored, orphan=False)
    return {}


async def stream_sets(call: Call) -> Response:
    """Send the sets that may be seen, then each change."""

    def is_wanted(key: ObjectKey) -> bool:
        obj = call.backend.live.index.get(key)
        return obj is not None and may_see(call, obj)

    async def results() -> AsyncIterator[Any]:
        visible = partial(may_see, call)
        async with aclosing(call.backend.feed.changes(APPLICATION_SET, is_wanted, visible)) as changes:
            async for event in changes:
                yield {"type": event.type, "applicationSet": event.obj}

    return stream(call, results())


_LIST = "/api/v1/applicationsets"
_ONE = "/api/v1/applicationsets/{name}"
_ROWS = Filtered("applicationsets", "get", "ApplicationSets")
_GETS = Needs("applicationsets", "get", _SET)
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=_LIST,
        handler=list_sets,
        about="List ApplicationSets.",
        answer=objects.ApplicationSetList,
        permission=_ROWS,
        query=(_PROJECTS, _NAMESPACE, _SELECTOR),
    ),
    Endpoint(
        method="POST",
        path=_LIST,
        handler=create,
        about="Create an ApplicationSet.",
        answer=objects.ApplicationSet,
        permission=(
            Needs("applicationsets", "create", _NEW),
            Needs("applicationsets", "update", _PRESENT, "also without `upsert`"),
        ),
        also=(Also("projects", "update", "all projects (`*`), for a set whose project is a template or missing"),),
        query=(Query("upsert", "Overwrite the one there is.", "boolean"),),
        body=dict,
    ),
    Endpoint(
        method="GET",
        path=_ONE,
        handler=get_set,
        about="Get an ApplicationSet.",
        answer=objects.ApplicationSet,
        permission=_GETS,
        query=(_NAMESPACE,),
    ),
    Endpoint(
        method="DELETE",
        path=_ONE,
        handler=delete,
        about="Delete an ApplicationSet.",
        answer=Empty,
        permission=Needs("applicationsets", ("get", "delete"), _SET),
        query=(_NAMESPACE,),
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/resource-tree",
        handler=tree,
        about="The Applications of a set.",
        answer=apps.SetTree,
        permission=_GETS,
        also=(Also("applications", "get", "Applications of the set"),),
        query=(_NAMESPACE,),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/stream/applicationsets",
        handler=stream_sets,
        about="Follow ApplicationSets.",
        answer=Stream(objects.ApplicationSetEvent),
        permission=_ROWS,
        stream=True,
    ),
)
