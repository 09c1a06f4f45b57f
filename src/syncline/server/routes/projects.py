"""Projects: reading and changing them, their windows, and the tokens of their roles."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.policy import global_projects as global_rules
from syncline.core.policy import windows
from syncline.model import names
from syncline.model.project import JWTToken
from syncline.server.answers import apps, connections, installation, objects, people
from syncline.server.answers.kinds import Empty
from syncline.server.lists import fields, shapes
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Also, Filtered, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.applications.logs import events_of
from syncline.verbs.errors import InvalidRequest, NotFound
from syncline.verbs.projects import change_project, create_project, delete_project

_SETTABLE = ("labels", "annotations", "finalizers", "name")


async def list_projects(call: Call) -> dict[str, Any]:
    """Return the projects that may be seen."""
    index = call.backend.live.index
    keys = index.keys(ObjectKey(names.GROUP, "AppProject", "", "").group_kind, call.backend.namespace)
    seen = [key for key in keys if call.may("projects", "get", key.name)]
    wanted = call.text("name")
    items = [obj for key in seen if wanted in ("", key.name) and (obj := index.get(key)) is not None]
    only = fields.parse(call.text("fields"))
    listed: dict[str, Any] = only.of(shapes.listed("AppProjectList", [shapes.project(obj) for obj in items]))
    return listed


async def _find(call: Call) -> Target[Object]:
    name = call.path("name")
    found = call.backend.project(name)
    missing = NotFound(f'appprojects.argoproj.io "{name}" not found') if found is None else None
    return Target(name, found, missing)


_PROJECT = Subject("the project in the path", _find)


def _project(call: Call) -> Object:
    """Return the project of a request, as the declaration of its endpoint loaded it."""
    return call.of(_PROJECT)


async def get_project(call: Call) -> Object:
    """Return one project."""
    return shapes.project(_project(call))


async def events(call: Call) -> dict[str, Any]:
    """Return the Events about a project."""
    found = _project(call)
    return shapes.listed_events(await events_of(call.backend.home, meta.namespace(found), meta.uid(found)))


async def links(_call: Call) -> dict[str, Any]:
    """Return the links of a project; deep links of settings are not made."""
    return {"items": []}


async def get_detailed(call: Call) -> dict[str, Any]:
    """Return one project with the clusters and repositories of its own that may be seen; never their credentials."""
    from syncline.server.routes.connections import clusters, repositories

    found = _project(call)
    name = meta.name(found)
    rules = call.backend.world.settings.global_projects
    inherited = [one for one in _inherited(call, found) if call.may("projects", "get", meta.name(one))]
    return {
        "globalProjects": [shapes.project(one) for one in inherited],
        "project": shapes.project(global_rules.merged(found, rules, call.backend.project)),
        "repositories": [one for one in await repositories.visible(call) if one.get("project") == name],
        "clusters": [one for one in await clusters.visible(call) if one.get("project") == name],
    }


async def sync_windows(call: Call) -> dict[str, Any]:
    """Return the windows of a project that are active now."""
    typed = call.backend.guard.project(call.path("name"))
    rules = typed.spec.sync_windows if typed is not None else ()
    states = windows.states(rules, call.backend.world.now())
    return {"windows": [msgspec.to_builtins(one.rule) for one in states if one is not None and one.open]}


async def global_projects(call: Call) -> dict[str, Any]:
    """Return the projects that a project inherits from."""
    found = _inherited(call, _project(call))
    return {"items": [shapes.project(one) for one in found if call.may("projects", "get", meta.name(one))]}


def _inherited(call: Call, project: Object) -> list[Object]:
    """Return the global projects that apply to a project."""
    return global_rules.inherited(project, call.backend.world.settings.global_projects, call.backend.project)


def _body_project(call: Call) -> Object:
    body = call.raw_body.get("project") if isinstance(call.raw_body, dict) else None
    if not isinstance(body, dict) or not meta.name(body):
        raise Failure(INVALID, "the body is {project: AppProject} with a name")
    metadata = {name: body["metadata"][name] for name in _SETTABLE if name in body["metadata"]}
    spec = body.get("spec")
    return {
        "apiVersion": names.API_VERSION,
        "kind": "AppProject",
        "metadata": {**metadata, "namespace": call.backend.namespace},
        "spec": spec if isinstance(spec, dict) else {},
    }


async def create(call: Call) -> Object:
    """Create a project."""
    return (await create_project(call.backend.home, _body_project(call), upsert=_upserts(call))).obj


def _upserts(call: Call) -> bool:
    return isinstance(call.raw_body, dict) and bool(call.raw_body.get("upsert"))


def _name_in_body(call: Call) -> str:
    body = call.raw_body.get("project") if isinstance(call.raw_body, dict) else None
    return meta.name(body) if isinstance(body, dict) else ""


async def _find_new(call: Call) -> Target[None]:
    return Target(_name_in_body(call) or "*")


async def _find_present(call: Call) -> Target[None] | None:
    name = _name_in_body(call)
    return Target(name) if _upserts(call) and call.backend.project(name) is not None else None


_NEW = Subject("the project in the body", _find_new)
_PRESENT = Subject("the project that has that name already", _find_present)


async def update(call: Call) -> Object:
    """Replace the spec of a project."""
    present = _project(call)
    wanted = _body_project(call)
    if meta.name(wanted) != meta.name(present):
        raise Failure(INVALID, "the name in the path and the name in the body differ")

    def change(spec: Object) -> None:
        spec.clear()
        spec.update(wanted["spec"])

    return (await change_project(call.backend.home, call.backend.namespace, meta.name(present), change)).obj


async def delete(call: Call) -> dict[str, Any]:
    """Delete a project that no Application uses."""
    await delete_project(call.backend.home, call.backend.namespace, meta.name(_project(call)))
    return {}


class NewProjectToken(msgspec.Struct, frozen=True, rename="camel"):
    """A token of a role; without `expires_in` seconds it never expires."""

    expires_in: int = 0
    id: str = ""
    description: str = ""
    project: str = ""
    role: str = ""


async def create_token(call: Call) -> dict[str, str]:
    """Make a token of a project's role; it is shown this once and kept nowhere."""
    name, role_name = call.path("name"), call.path("role")
    wanted = call.body(NewProjectToken)
    if wanted.expires_in < 0:
        raise InvalidRequest("expiresIn is a number of seconds, or 0 for a token that never expires")
    subject = f"proj:{name}:{role_name}"
    token, claims = call.backend.tokens.issue(subject, seconds=wanted.expires_in, token_id=wanted.id)
    made = JWTToken(iat=int(claims.iat), exp=int(claims.exp), id=claims.jti)

    def change(spec: Object) -> None:
        role = _role(spec, role_name)
        present = role.get("jwtTokens") or []
        if any(one.get("id") == made.id for one in present):
            raise Failure(INVALID, f"the role {role_name} has a token {made.id} already")
        role["jwtTokens"] = [*present, msgspec.to_builtins(made)]

    await _change(call, name, change)
    return {"token": token}


async def delete_token(call: Call) -> dict[str, Any]:
    """Delete a token of a project's role: it is good no longer."""
    name, role_name, iat = call.path("name"), call.path("role"), call.path("iat")
    wanted = call.text("id")

    def change(spec: Object) -> None:
        role = _role(spec, role_name)
        present = role.get("jwtTokens") or []
        kept = [one for one in present if not (str(one.get("iat")) == iat and wanted in ("", one.get("id")))]
        if len(kept) == len(present):
            raise NotFound(f"the role {role_name} has no such token")
        role["jwtTokens"] = kept

    await _change(call, name, change)
    return {}


def _role(spec: Object, name: str) -> Object:
    for role in spec.get("roles") or ():
        if role.get("name") == name:
            found: Object = role
            return found
    raise NotFound(f"the project has no role {name}")


async def _change(call: Call, name: str, change: Any) -> None:
    """Change a project, and have its tokens count at once."""
    stored = (await change_project(call.backend.home, call.backend.namespace, name, change)).obj
    call.backend.live.note_write({"apiVersion": names.API_VERSION, "kind": "AppProject", **stored})


_LIST = "/api/v1/projects"
_ONE = "/api/v1/projects/{name}"
_GETS = Needs("projects", "get", _PROJECT)
_UPDATES = Needs("projects", "update", _PROJECT)
_INHERITED = Also("projects", "get", "global projects that it inherits from")
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=_LIST,
        handler=list_projects,
        about="List projects.",
        answer=objects.AppProjectList,
        permission=Filtered("projects", "get", "projects"),
        query=(Query("name"), Query("fields", "Show only these fields.")),
    ),
    Endpoint(
        method="POST",
        path=_LIST,
        handler=create,
        about="Create a project.",
        answer=objects.AppProject,
        permission=(
            Needs("projects", "create", _NEW),
            Needs("projects", "update", _PRESENT, "with `upsert`"),
        ),
        body=dict,
    ),
    Endpoint(
        method="GET",
        path=_ONE,
        handler=get_project,
        about="Get a project.",
        answer=objects.AppProject,
        permission=_GETS,
    ),
    Endpoint(
        method="PUT",
        path=_ONE,
        handler=update,
        about="Replace a project.",
        answer=objects.AppProject,
        permission=_UPDATES,
        body=dict,
    ),
    Endpoint(
        method="DELETE",
        path=_ONE,
        handler=delete,
        about="Delete a project.",
        answer=Empty,
        permission=Needs("projects", "delete", _PROJECT),
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/detailed",
        handler=get_detailed,
        about="Get a project with what is its own.",
        answer=connections.DetailedProject,
        permission=_GETS,
        also=(
            _INHERITED,
            Also("repositories", "get", "repositories of the project"),
            Also("clusters", "get", "clusters of the project"),
        ),
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/events",
        handler=events,
        about="List the Events about a project.",
        answer=objects.EventList,
        permission=_GETS,
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/links",
        handler=links,
        about="Links of a project.",
        answer=apps.NamedLinks,
        permission=_GETS,
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/syncwindows",
        handler=sync_windows,
        about="List windows that are active.",
        answer=installation.ActiveWindows,
        permission=_GETS,
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/globalprojects",
        handler=global_projects,
        about="List projects it inherits from.",
        answer=connections.GlobalProjects,
        permission=_GETS,
        also=(_INHERITED,),
    ),
    Endpoint(
        method="POST",
        path=f"{_ONE}/roles/{{role}}/token",
        handler=create_token,
        about="Make a token of a role.",
        answer=people.NewlyMade,
        permission=_UPDATES,
        body=NewProjectToken,
    ),
    Endpoint(
        method="DELETE",
        path=f"{_ONE}/roles/{{role}}/token/{{iat}}",
        handler=delete_token,
        about="Delete a token of a role.",
        answer=Empty,
        permission=_UPDATES,
        query=(Query("id", "The id of the token."),),
    ),
)
