"""The Application that a request is about: the one way from a name to an object, for endpoints to declare.

`READS` and `writes` are what most endpoints of an Application need; their handlers get it from `application`.
"""

from __future__ import annotations

from typing import Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import AppKey, application_key
from syncline.server.lists.shelf import project_of, rbac_name
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Also, Chosen, Needs, Subject, Target
from syncline.server.requests.routing import Query
from syncline.verbs.applications import read_application
from syncline.verbs.errors import Conflict, NotFound
from syncline.verbs.look import Seen
from syncline.verbs.own_objects import is_own_kind
from syncline.verbs.resources import live_object

OF_APP: Final = (
    Query("appNamespace", "Namespace of the Application (default: that of the installation)."),
    Query("project", "Project that the Application has to be of."),
)

OBJECT: Final = (
    Query("namespace", "Namespace of the object."),
    Query("resourceName", "Name of the object."),
    Query("group", "API group of the object."),
    Query("kind", "Kind of the object."),
    Query("version", "API version of the object."),
)

_INHERITANCE = "server.rbac.disableApplicationFineGrainedRBACInheritance"


def app_key(call: Call) -> AppKey:
    """Return the key of the Application that a request names."""
    return AppKey(call.text("appNamespace") or call.backend.namespace, call.path("name"))


async def _find(call: Call) -> Target[Object]:
    return _target(call, call.backend.application(app_key(call)))


def _target(call: Call, obj: Object | None) -> Target[Object]:
    key, wanted = app_key(call), call.text("project")
    project = project_of(obj) if obj is not None else ""
    if obj is None or (wanted and wanted != project) or not call.backend.is_ours(key.namespace, project):
        # With a right to every Application of that name one may know that there is none.
        asked = rbac_name(wanted or "*", key.namespace, key.name, call.backend.namespace)
        return Target(
            asked, problem=NotFound(f'applications.argoproj.io "{key.name}" not found in namespace {key.namespace}')
        )
    return Target(rbac_name(project, key.namespace, key.name, call.backend.namespace), obj)


APPLICATION: Final = Subject("the Application in the path, `PROJECT/NAME` or `PROJECT/NAMESPACE/NAME`", _find)
READS: Final = Needs("applications", "get", APPLICATION)


def writes(verb: str | Chosen) -> Needs:
    """Return what changing an Application needs: to see it, and the right to the change."""
    return Needs("applications", ("get", verb), APPLICATION)


def application(call: Call) -> Object:
    """Return the Application of a request, as the declaration of its endpoint loaded it."""
    return call.of(APPLICATION)


def require_stored(call: Call, stored: Object) -> None:
    """Raise `PermissionDenied` unless the caller has the declared rights to an Application as it is stored.

    The live view may be behind: the Application may have moved to another project since.
    """
    call.enforce_for(APPLICATION, _target(call, stored))


async def stored_application(call: Call) -> Object:
    """Return the Application of a request as it is stored, for a caller who has the declared rights to that."""
    stored = (await read_application(call.backend.home, app_key(call))).obj
    require_stored(call, stored)
    return stored


def rbac_of(call: Call, obj: Object) -> str:
    """Return the name under which policies speak of an Application."""
    return rbac_name(project_of(obj), meta.namespace(obj), meta.name(obj), call.backend.namespace)


def named_object(call: Call) -> ObjectKey:
    """Return the key of the object that the query names."""
    key = ObjectKey(call.text("group"), call.text("kind"), call.text("namespace"), call.text("resourceName"))
    if not key.kind or not key.name:
        raise Failure(INVALID, "kind and resourceName are needed")
    return key


def application_itself(call: Call, key: ObjectKey) -> Object | None:
    """Return the Application of a request where it is the object: clients of Argo CD ask for what it offers, too."""
    app = application(call)
    return app if key == application_key(AppKey(meta.namespace(app), meta.name(app))) else None


def own_object(call: Call, look: Seen, key: ObjectKey) -> Object | None:
    """Return an Application, a set or a project of this installation that is an object of an Application.

    The home cluster may be a destination by another address too, so its UID tells that it is ours.
    """
    obj = live_object(look, key) if is_own_kind(key) else None
    if obj is None or look.place.live is call.backend.live:
        return obj
    ours = call.backend.live.index.get(key)
    return obj if ours is not None and meta.uid(ours) == meta.uid(obj) else None


def own_objects_need(*verbs: str) -> tuple[Also, ...]:
    """Return the rights that a request needs to an object which is an Application, a set or a project itself."""
    remark = "where the object is one itself"
    needed = [Also(kind, verb, remark) for kind in ("applications", "applicationsets", "projects") for verb in verbs]
    return (*needed, Also("projects", "update", "all projects (`*`), for a set whose project is a template"))


async def seen(call: Call) -> Seen:
    """Return a look at the Application of a request."""
    return await call.backend.looks.see(application(call))


async def seen_as_stored(call: Call) -> Seen:
    """Return a look at the Application as it is stored, before one of its objects is written.

    A look takes its time, so the right is asked for again after it.
    """
    app = await stored_application(call)
    look = await call.backend.looks.see(app)
    if (await stored_application(call))["spec"] != app["spec"]:
        raise Conflict(f"Application {meta.name(app)} was changed at the same time", hint="try again")
    return look


def on_object(action: str) -> Chosen:
    """Return the verb for one object that the query names; since Argo CD 3.0 the bare action does not cover it."""

    def choose(call: Call) -> tuple[str, ...]:
        key = named_object(call)
        exact = f"{action}/{key.group}/{key.kind}/{key.namespace}/{key.name}"
        inherited = call.backend.config("argocd-cm").get(_INHERITANCE, "true").lower() == "false"
        return (action, exact) if inherited else (exact,)

    return Chosen((f"{action}/GROUP/KIND/NAMESPACE/NAME", action), choose)
