"""Adding, changing, trying and removing repositories and credential templates; what proves who we are is never told."""

from __future__ import annotations

from typing import Any

from syncline.controller.clusters.access import read_access
from syncline.model.sources import repository_urls
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, CredentialTemplate, Repository, Way
from syncline.net import urls
from syncline.server.access import claimed_projects as claimed
from syncline.server.requests.call import Call
from syncline.server.requests.failures import DENIED, INVALID, Failure
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.connections.repositories import rbac_name, shown, shown_template
from syncline.verbs import sources
from syncline.verbs.errors import NotFound

_HINT = "with upsert=true it is replaced"
_UPSERT = Query("upsert", "Replace the one there is.", "boolean")
_PROJECT = Query("appProject", "The project it is for.")


async def create(call: Call) -> dict[str, Any]:
    """Add a repository, after trying to read it; one of a project is not tried, as with Argo CD."""
    wanted = sources.described_repository(_body(call, "repositories", "create", "repo"))
    call.require("repositories", "create", rbac_name(wanted))
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    upsert = call.flag("upsert")
    access = await _access(call)
    if upsert and sources.known_repository(access, wanted) is not None:
        call.require("repositories", "update", rbac_name(wanted))
    if not wanted.project:
        await _try(call, wanted, access)
    return await _store(call, wanted, access, replace=upsert)


async def update(call: Call) -> dict[str, Any]:
    """Replace what is known of a repository; credentials that the body does not have are gone then."""
    values = _body(call, "repositories", "update", "repo", call.path("repo"))
    wanted = sources.described_repository({**values, "repo": call.path("repo")})
    call.require("repositories", "update", rbac_name(wanted))
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    access = await _access(call)
    if sources.known_repository(access, wanted) is None:
        raise NotFound(f"repository '{wanted.url}' not found")
    return await _store(call, wanted, access, replace=True)


async def delete(call: Call) -> dict[str, Any]:
    """Remove a repository."""
    wanted = Repository(url=call.path("repo"), project=call.text("appProject"))
    call.require("repositories", "delete", rbac_name(wanted))
    await sources.remove_repository(call.backend.home, call.backend.namespace, wanted, await _access(call))
    return {}


async def validate(call: Call) -> dict[str, Any]:
    """Try to read a repository with the given credentials, and keep nothing."""
    given = call.raw_body if isinstance(call.raw_body, dict) else {}
    wanted = sources.described_repository({**call.request.query_params, **given, "repo": call.path("repo")})
    call.require("repositories", "create", rbac_name(wanted))
    if wanted.project:
        claimed.require_permitted(call.backend, wanted.project, wanted.url)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    await _try(call, wanted, await _access(call))
    return {}


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
    told = (url, way.proxy, credentials.github_app_base_url, credentials.azure_endpoint)
    for text in told:
        host = repository_urls.host(text)
        if host and urls.written_kind(host) is not urls.AddressKind.ORDINARY:
            message = f"{host} is an address of the server's own machine or network: only an admin may name it"
            raise Failure(DENIED, message)


async def _access(call: Call) -> SourceAccess:
    return await read_access(call.backend.home, call.backend.namespace)


def _body(call: Call, resource: str, action: str, member: str, name: str = "") -> dict[str, Any]:
    """Return the body; of one that is not an object only those learn that may do it to anything of the kind."""
    found = call.raw_body
    if not isinstance(found, dict) or not isinstance(found.get(member, name), str) or not found.get(member, name):
        call.require(resource, action, name or "*")
        raise Failure(INVALID, f"the body is an object with {member}")
    return found


async def create_template(call: Call) -> dict[str, Any]:
    """Add a credential template."""
    wanted = sources.described_template(_body(call, "repositories", "create", "url"))
    call.require("repositories", "create", wanted.url)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    upsert = call.flag("upsert")
    access = await _access(call)
    if upsert and sources.known_template(access, wanted.url) is not None:
        call.require("repositories", "update", wanted.url)
    return await _store_template(call, wanted, access, replace=upsert)


async def update_template(call: Call) -> dict[str, Any]:
    """Replace a credential template."""
    values = _body(call, "repositories", "update", "url", call.path("url"))
    wanted = sources.described_template({**values, "url": call.path("url")})
    call.require("repositories", "update", wanted.url)
    _require_ordinary_address(call, wanted.url, wanted.way, wanted.credentials)
    access = await _access(call)
    if sources.known_template(access, wanted.url) is None:
        raise NotFound(f"repository credentials for '{wanted.url}' not found")
    return await _store_template(call, wanted, access, replace=True)


async def _store_template(
    call: Call, wanted: CredentialTemplate, access: SourceAccess, *, replace: bool
) -> dict[str, Any]:
    backend = call.backend
    await sources.store_template(backend.home, backend.namespace, wanted, access, replace=replace, hint=_HINT)
    return shown_template(wanted)


async def delete_template(call: Call) -> dict[str, Any]:
    """Remove a credential template."""
    url = call.path("url")
    call.require("repositories", "delete", url)
    await sources.remove_template(call.backend.home, call.backend.namespace, url, await _access(call))
    return {}


_LIST = "/api/v1/repositories"
_ONE = "/api/v1/repositories/{repo:path}"
_TEMPLATES = "/api/v1/repocreds"
_TEMPLATE = "/api/v1/repocreds/{url:path}"
ENDPOINTS = (
    Endpoint(method="POST", path=_LIST, handler=create, about="Add a repository.", query=(_UPSERT,), body=dict),
    Endpoint(method="POST", path=f"{_ONE}/validate", handler=validate, about="Try to read a repository.", body=dict),
    Endpoint(method="PUT", path=_ONE, handler=update, about="Replace a repository.", body=dict),
    Endpoint(method="DELETE", path=_ONE, handler=delete, about="Remove a repository.", query=(_PROJECT,)),
    Endpoint(
        method="POST",
        path=_TEMPLATES,
        handler=create_template,
        about="Add a credential template.",
        query=(_UPSERT,),
        body=dict,
    ),
    Endpoint(method="PUT", path=_TEMPLATE, handler=update_template, about="Replace a credential template.", body=dict),
    Endpoint(method="DELETE", path=_TEMPLATE, handler=delete_template, about="Remove a credential template."),
)
