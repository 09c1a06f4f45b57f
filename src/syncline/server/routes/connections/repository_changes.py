"""Adding, changing, trying and removing repositories and credential templates; what proves who we are is never told."""

from __future__ import annotations

from typing import Any

from syncline.controller.clusters.access import read_access
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, CredentialTemplate, Repository, Way
from syncline.server.access import claimed_projects as claimed
from syncline.server.access.inner_addresses import require_ordinary_host
from syncline.server.answers import connections
from syncline.server.answers.kinds import Empty
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Also, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.connections.repositories import REPOSITORY, rbac_name, shown, shown_template
from syncline.verbs import sources
from syncline.verbs.errors import NotFound

_HINT = "with upsert=true it is replaced"
_UPSERT = Query("upsert", "Replace the one there is.", "boolean")
_PROJECT = Query("appProject", "The project it is for.")


async def create(call: Call) -> dict[str, Any]:
    """Add a repository, after trying to read it; one of a project is not tried, as with Argo CD."""
    wanted = call.of(_NEW)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    access = await _access(call)
    if not wanted.project:
        await _try(call, wanted, access)
    return await _store(call, wanted, access, replace=call.flag("upsert"))


async def _find_new(call: Call) -> Target[Repository]:
    if (problem := _problem(call, "repo")) is not None:
        return Target("*", problem=problem)
    wanted = sources.described_repository(call.raw_body)
    return Target(rbac_name(wanted), wanted)


async def _find_present(call: Call) -> Target[None] | None:
    wanted = call.of(_NEW)
    known = call.flag("upsert") and sources.known_repository(await _access(call), wanted) is not None
    return Target(rbac_name(wanted)) if known else None


_NEW = Subject("the repository in the body, `URL` or `PROJECT/URL`", _find_new)
_PRESENT = Subject("the repository that has that URL already", _find_present)


async def update(call: Call) -> dict[str, Any]:
    """Replace what is known of a repository; credentials that the body does not have are gone then."""
    wanted = call.of(_CHANGED)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    access = await _access(call)
    if sources.known_repository(access, wanted) is None:
        raise NotFound(f"repository '{wanted.url}' not found")
    return await _store(call, wanted, access, replace=True)


async def _find_changed(call: Call) -> Target[Repository]:
    url = call.path("repo")
    if (problem := _problem(call, "repo", url)) is not None:
        return Target(url, problem=problem)
    wanted = sources.described_repository({**call.raw_body, "repo": url})
    return Target(rbac_name(wanted), wanted)


_CHANGED = Subject("the repository in the path, `URL`, or `PROJECT/URL` with a project in the body", _find_changed)


async def delete(call: Call) -> dict[str, Any]:
    """Remove a repository."""
    wanted = call.of(REPOSITORY)
    await sources.remove_repository(call.backend.home, call.backend.namespace, wanted, await _access(call))
    return {}


async def validate(call: Call) -> dict[str, Any]:
    """Try to read a repository with the given credentials, and keep nothing."""
    wanted = call.of(_TRIED)
    if wanted.project:
        claimed.require_permitted(call.backend, wanted.project, wanted.url)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    await _try(call, wanted, await _access(call))
    return {}


async def _find_tried(call: Call) -> Target[Repository]:
    given = call.raw_body if isinstance(call.raw_body, dict) else {}
    wanted = sources.described_repository({**call.request.query_params, **given, "repo": call.path("repo")})
    return Target(rbac_name(wanted), wanted)


_TRIED = Subject(_CHANGED.shown, _find_tried)


async def _store(call: Call, wanted: Repository, access: SourceAccess, *, replace: bool) -> dict[str, Any]:
    backend = call.backend
    await sources.store_repository(backend.home, backend.namespace, wanted, access, replace=replace, hint=_HINT)
    return shown(call, wanted)


async def _try(call: Call, wanted: Repository, access: SourceAccess) -> None:
    if call.backend.checker is not None:
        await sources.require_readable(wanted, access, call.backend.checker)


def _require_ordinary_address(call: Call, url: str, way: Way, credentials: Credentials) -> None:
    """Refuse addresses of this machine and of metadata services, unless whoever asks may change every project.

    A Secret opens them, so writing one is the operator's. The words do not depend on what is at the address.
    """
    if call.may("projects", "update", "*"):
        return
    for text in (url, way.proxy, credentials.github_app_base_url, credentials.azure_endpoint):
        require_ordinary_host(text)


async def _access(call: Call) -> SourceAccess:
    return await read_access(call.backend.home, call.backend.namespace)


def _problem(call: Call, member: str, name: str = "") -> Failure | None:
    """Return what is wrong with a body: it has to be an object with a name, unless the path has one."""
    body = call.raw_body
    if isinstance(body, dict) and isinstance(body.get(member, name), str) and body.get(member, name):
        return None
    return Failure(INVALID, f"the body is an object with {member}")


async def create_template(call: Call) -> dict[str, Any]:
    """Add a credential template."""
    wanted = call.of(_NEW_TEMPLATE)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    return await _store_template(call, wanted, await _access(call), replace=call.flag("upsert"))


async def _find_new_template(call: Call) -> Target[CredentialTemplate]:
    if (problem := _problem(call, "url")) is not None:
        return Target("*", problem=problem)
    wanted = sources.described_template(call.raw_body)
    return Target(wanted.url, wanted)


async def _find_present_template(call: Call) -> Target[None] | None:
    url = call.of(_NEW_TEMPLATE).url
    known = call.flag("upsert") and sources.known_template(await _access(call), url) is not None
    return Target(url) if known else None


_NEW_TEMPLATE = Subject("the URL in the body", _find_new_template)
_PRESENT_TEMPLATE = Subject("the template that has that URL already", _find_present_template)


async def update_template(call: Call) -> dict[str, Any]:
    """Replace a credential template."""
    wanted = call.of(_CHANGED_TEMPLATE)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    access = await _access(call)
    if sources.known_template(access, wanted.url) is None:
        raise NotFound(f"repository credentials for '{wanted.url}' not found")
    return await _store_template(call, wanted, access, replace=True)


async def _find_changed_template(call: Call) -> Target[CredentialTemplate]:
    url = call.path("url")
    if (problem := _problem(call, "url", url)) is not None:
        return Target(url, problem=problem)
    wanted = sources.described_template({**call.raw_body, "url": url})
    return Target(wanted.url, wanted)


_CHANGED_TEMPLATE = Subject("the URL in the path", _find_changed_template)


async def _store_template(
    call: Call, wanted: CredentialTemplate, access: SourceAccess, *, replace: bool
) -> dict[str, Any]:
    backend = call.backend
    await sources.store_template(backend.home, backend.namespace, wanted, access, replace=replace, hint=_HINT)
    return shown_template(wanted)


async def delete_template(call: Call) -> dict[str, Any]:
    """Remove a credential template."""
    url = call.path("url")
    await sources.remove_template(call.backend.home, call.backend.namespace, url, await _access(call))
    return {}


async def _find_template(call: Call) -> Target[None]:
    return Target(call.path("url"))


_TEMPLATE_IN_PATH = Subject(_CHANGED_TEMPLATE.shown, _find_template)
_INNER = Also("projects", "update", "all projects (`*`), for an address of the server's own machine or network")
_LIST = "/api/v1/repositories"
_ONE = "/api/v1/repositories/{repo:path}"
_TEMPLATES = "/api/v1/repocreds"
_TEMPLATE = "/api/v1/repocreds/{url:path}"
ENDPOINTS = (
    Endpoint(
        method="POST",
        path=_LIST,
        handler=create,
        about="Add a repository.",
        answer=connections.RepositoryAnswer,
        also=(_INNER,),
        permission=(Needs("repositories", "create", _NEW), Needs("repositories", "update", _PRESENT, "with `upsert`")),
        query=(_UPSERT,),
        body=dict,
    ),
    Endpoint(
        method="POST",
        path=f"{_ONE}/validate",
        handler=validate,
        about="Try to read a repository.",
        answer=Empty,
        also=(_INNER,),
        permission=Needs("repositories", "create", _TRIED),
        body=dict,
    ),
    Endpoint(
        method="PUT",
        path=_ONE,
        handler=update,
        about="Replace a repository.",
        answer=connections.RepositoryAnswer,
        also=(_INNER,),
        permission=Needs("repositories", "update", _CHANGED),
        body=dict,
    ),
    Endpoint(
        method="DELETE",
        path=_ONE,
        handler=delete,
        about="Remove a repository.",
        answer=Empty,
        permission=Needs("repositories", "delete", REPOSITORY),
        query=(_PROJECT,),
    ),
    Endpoint(
        method="POST",
        path=_TEMPLATES,
        handler=create_template,
        about="Add a credential template.",
        answer=connections.TemplateAnswer,
        also=(_INNER,),
        permission=(
            Needs("repositories", "create", _NEW_TEMPLATE),
            Needs("repositories", "update", _PRESENT_TEMPLATE, "with `upsert`"),
        ),
        query=(_UPSERT,),
        body=dict,
    ),
    Endpoint(
        method="PUT",
        path=_TEMPLATE,
        handler=update_template,
        about="Replace a credential template.",
        answer=connections.TemplateAnswer,
        also=(_INNER,),
        permission=Needs("repositories", "update", _CHANGED_TEMPLATE),
        body=dict,
    ),
    Endpoint(
        method="DELETE",
        path=_TEMPLATE,
        handler=delete_template,
        about="Remove a credential template.",
        answer=Empty,
        permission=Needs("repositories", "delete", _TEMPLATE_IN_PATH),
    ),
)
