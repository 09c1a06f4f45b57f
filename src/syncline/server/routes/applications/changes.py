"""What changes Applications: create, replace, patch, delete; each by its verb.

A request may say no more than its right covers: `status` and `operation` of a body are dropped, and another project is
asked about too.
"""

from __future__ import annotations

from functools import partial

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.server.answers import objects
from syncline.server.answers.kinds import Empty
from syncline.server.lists.shelf import project_of, rbac_name
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Also, Chosen, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.applications.found import OF_APP, app_key, application, rbac_of, require_stored, writes
from syncline.verbs.create import CreateRequest, create_application
from syncline.verbs.delete import DeleteRequest, Propagation, delete_application
from syncline.verbs.edit import PatchRequest, ReplaceSpecRequest, patch_application, replace_spec

_KEPT = ("labels", "annotations", "finalizers")
_SETTABLE = (*_KEPT, "name", "namespace")
_OWNERS = "ownerReferences"


async def create(call: Call) -> Object:
    """Create an Application, or with `upsert` overwrite the one of its name."""
    request = CreateRequest(
        app=call.of(_NEW),
        namespace=call.backend.namespace,
        upsert=call.flag("upsert"),
        validate=call.flag("validate", otherwise=True),
    )

    def permit(before: Object, _after: Object) -> None:
        # What is stored decides: the live view may not have seen it yet, or in another project.
        call.require("applications", "update" if request.upsert else "get", rbac_of(call, before))

    return (await create_application(call.backend.home, request, permit)).stored.obj


async def _find_new(call: Call) -> Target[Object]:
    wanted = _body_application(call)
    namespace = meta.namespace(wanted) or call.backend.namespace
    return Target(rbac_name(project_of(wanted), namespace, meta.name(wanted), call.backend.namespace), wanted)


async def _find_present(call: Call) -> Target[Object] | None:
    wanted = call.of(_NEW)
    present = call.backend.application(AppKey(meta.namespace(wanted) or call.backend.namespace, meta.name(wanted)))
    return Target(rbac_of(call, present), present) if present is not None else None


_NEW = Subject("the Application in the body, `PROJECT/NAME`", _find_new)
_PRESENT = Subject("the Application that has that name already", _find_present)


def _upserting(call: Call) -> tuple[str, ...]:
    return ("update" if call.flag("upsert") else "get",)


def _body_application(call: Call) -> Object:
    """Return the Application of a body, without what nobody may set this way: status, operation, owners."""
    body = call.raw_body
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict) or not meta.name(body):
        raise Failure(INVALID, "the body is an Application with a name")
    metadata = {name: body["metadata"][name] for name in _SETTABLE if name in body["metadata"]}
    spec = body.get("spec")
    return {"metadata": metadata, "spec": spec if isinstance(spec, dict) else {}}


async def replace(call: Call) -> Object:
    """Replace spec, labels, annotations and finalizers of an Application."""
    wanted = _body_application(call)
    if meta.name(wanted) != meta.name(application(call)):
        raise Failure(INVALID, "the name in the path and the name in the body differ")
    key, control = app_key(call), call.backend.namespace
    kept = {name: wanted["metadata"][name] for name in _KEPT if name in wanted["metadata"]}
    stored = await replace_spec(
        call.backend.home,
        ReplaceSpecRequest(
            app=key, control=control, spec=wanted["spec"], validate=call.flag("validate", otherwise=True)
        ),
        partial(_require_stored, call),
    )
    if kept:
        request = PatchRequest(app=key, control=control, patch={"metadata": kept}, kind="merge")
        stored = await patch_application(call.backend.home, request, partial(_require_stored, call))
    return stored.obj


def _moved(call: Call, present: Object, project: str) -> Target[None] | None:
    """Return an Application as it is named in the project it is moved to; None where it stays."""
    if project == project_of(present):
        return None
    return Target(rbac_name(project, meta.namespace(present), meta.name(present), call.backend.namespace))


async def _find_moved(call: Call) -> Target[None] | None:
    return _moved(call, application(call), project_of(_body_application(call)))


async def _find_moved_by_spec(call: Call) -> Target[None] | None:
    if not isinstance(call.raw_body, dict):
        raise Failure(INVALID, "the body is a spec")
    return _moved(call, application(call), str(call.raw_body.get("project") or "default"))


def _require_stored(call: Call, before: Object, after: Object) -> None:
    """Require the rights to the stored Application, too: it may have moved since the live view saw it."""
    require_stored(call, before)
    if (moved := _moved(call, before, project_of(after))) is not None:
        call.require("applications", "create", moved.name)


async def put_spec(call: Call) -> Object:
    """Replace the spec of an Application."""
    request = ReplaceSpecRequest(
        app=app_key(call),
        control=call.backend.namespace,
        spec=call.raw_body,
        validate=call.flag("validate", otherwise=True),
    )
    spec: Object = (await replace_spec(call.backend.home, request, partial(_require_stored, call))).obj["spec"]
    return spec


class Patch(msgspec.Struct, frozen=True, rename="camel"):
    """A patch of an Application: `patch` is JSON as text."""

    patch: str
    patch_type: str = "json"
    name: str = ""


async def patch(call: Call) -> Object:
    """Patch an Application."""
    wanted = call.body(Patch)
    if wanted.patch_type not in ("json", "merge"):
        raise Failure(INVALID, "patchType is json or merge")
    try:
        change = msgspec.json.decode(wanted.patch)
    except (msgspec.DecodeError, RecursionError):
        raise Failure(INVALID, "patch is not JSON") from None
    request = PatchRequest(
        app=app_key(call),
        control=call.backend.namespace,
        patch=change,
        kind="json" if wanted.patch_type == "json" else "merge",
    )

    def permit(before: Object, after: Object) -> None:
        _refuse_side_doors(before, after)
        _require_stored(call, before, after)

    return (await patch_application(call.backend.home, request, permit)).obj


def _refuse_side_doors(before: Object, after: Object) -> None:
    """Refuse to start or fake an operation by a patch: that has rights of its own.

    What the patch makes is looked at, not what it says: a move, a copy and a null lead to the same places.
    """
    if _beside(before) != _beside(after):
        raise Failure(INVALID, "a patch may change spec and metadata", hint="use sync, rollback or terminate instead")
    if before["metadata"].get(_OWNERS) != after["metadata"].get(_OWNERS):
        raise Failure(INVALID, "a patch may not change the owners of an Application")


def _beside(app: Object) -> Object:
    return {name: value for name, value in app.items() if name not in ("spec", "metadata")}


async def delete(call: Call) -> Object:
    """Delete an Application, and with `cascade` its objects."""
    policy = call.text("propagationPolicy")
    if policy not in [one.value for one in Propagation]:
        raise Failure(INVALID, "propagationPolicy is foreground or background")
    request = DeleteRequest(
        app=app_key(call),
        cascade=call.flag("cascade", otherwise=True),
        propagation=Propagation(policy),
        uid=meta.uid(application(call)),
    )
    await delete_application(call.backend.home, request, partial(require_stored, call))
    return {}


_MOVED = Subject("the Application under its new project", _find_moved)
_MOVED_BY_SPEC = Subject(_MOVED.shown, _find_moved_by_spec)
_WHEN_MOVED = "when the project changes"
_LIST = "/api/v1/applications"
_APP = "/api/v1/applications/{name}"
_VALIDATE = Query("validate", "Check the spec first (default: true).", "boolean")
ENDPOINTS = (
    Endpoint(
        method="POST",
        path=_LIST,
        handler=create,
        about="Create an Application.",
        answer=objects.Application,
        permission=(
            Needs("applications", "create", _NEW),
            Needs(
                "applications", Chosen(("update", "get"), _upserting), _PRESENT, "`update` with `upsert`, else `get`"
            ),
        ),
        query=(Query("upsert", "Overwrite the one there is.", "boolean"), _VALIDATE),
        body=dict,
    ),
    Endpoint(
        method="PUT",
        path=_APP,
        handler=replace,
        about="Replace an Application.",
        answer=objects.Application,
        permission=(writes("update"), Needs("applications", "create", _MOVED, _WHEN_MOVED)),
        query=(*OF_APP, _VALIDATE),
        body=dict,
    ),
    Endpoint(
        method="PUT",
        path=f"{_APP}/spec",
        handler=put_spec,
        about="Replace the spec of an Application.",
        answer=objects.AppSpec,
        permission=(writes("update"), Needs("applications", "create", _MOVED_BY_SPEC, _WHEN_MOVED)),
        query=(*OF_APP, _VALIDATE),
        body=dict,
    ),
    Endpoint(
        method="PATCH",
        path=_APP,
        handler=patch,
        about="Patch an Application.",
        answer=objects.Application,
        permission=writes("update"),
        also=(Also("applications", "create", f"{_MOVED.shown}: {_WHEN_MOVED}"),),
        query=OF_APP,
        body=Patch,
    ),
    Endpoint(
        method="DELETE",
        path=_APP,
        handler=delete,
        about="Delete an Application.",
        answer=Empty,
        permission=writes("delete"),
        query=(*OF_APP, Query("cascade", "Delete its objects too.", "boolean"), Query("propagationPolicy")),
    ),
)
