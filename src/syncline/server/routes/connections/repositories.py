"""Repositories, credential templates, certificates and signing keys; never what proves who we are."""

from __future__ import annotations

from typing import Any, Final

from syncline.controller.clusters.access import read_access
from syncline.model.logins import without_logins
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import CredentialTemplate, Repository
from syncline.server.answers import connections
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Filtered, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.verbs.errors import NotFound


async def list_repositories(call: Call) -> dict[str, Any]:
    """Return the repositories that may be seen."""
    return {"metadata": {}, "items": await visible(call)}


async def visible(call: Call) -> list[dict[str, Any]]:
    """Return the repositories that may be seen, without credentials."""
    access = await _access(call)
    seen = [one for one in access.repositories if call.may("repositories", "get", rbac_name(one))]
    return [shown(call, access.repository(one.url, one.project)) for one in sorted(seen, key=lambda one: one.url)]


async def _access(call: Call) -> SourceAccess:
    return await read_access(call.backend.home, call.backend.namespace)


def rbac_name(one: Repository) -> str:
    """Return the name under which policies speak of a repository."""
    return f"{one.project}/{one.url}" if one.project else one.url


async def _find(call: Call) -> Target[Repository]:
    asked = Repository(url=call.path("repo"), project=call.text("appProject"))
    return Target(rbac_name(asked), asked)


REPOSITORY: Final = Subject("the repository in the path, `URL`, or `PROJECT/URL` with `appProject`", _find)


async def get_repository(call: Call) -> dict[str, Any]:
    """Return one repository, without credentials."""
    url, project = call.path("repo"), call.text("appProject")
    access = await _access(call)
    known = access.known(url, project)
    if known is None or known.project != project:
        raise NotFound(f"repository '{without_logins(url)}' not found")
    return shown(call, access.repository(url, project))


def shown(call: Call, one: Repository) -> dict[str, Any]:
    """Return what is told of a repository."""
    values: dict[str, Any] = {
        "repo": without_logins(one.url),
        "type": one.kind,
        "name": one.name,
        "project": one.project,
        "username": one.credentials.username,
        "insecure": one.way.insecure,
        "insecureIgnoreHostKey": one.way.ignore_host_key,
        "enableLfs": one.way.lfs,
        "enableOCI": one.way.oci,
        "inheritedCreds": one.inherited,
    }
    kept = {name: value for name, value in values.items() if value}
    return {**kept, "connectionState": _state(call, one.url)}


def _state(call: Call, url: str) -> dict[str, str]:
    """Return whether a repository can be read, by what the controller found for its Applications."""
    rows = [row for row in call.backend.shelf.rows() if url in row.repos]
    at = call.backend.world.now()
    if any(row.revision and row.sync != "Unknown" for row in rows):
        return {"status": "Successful", "message": "", "attemptedAt": at}
    words = "an Application from here could not be compared" if rows else "no Application comes from here"
    return {"status": "Failed" if rows else "Unknown", "message": words, "attemptedAt": at}


async def list_templates(call: Call) -> dict[str, Any]:
    """Return the credential templates that may be seen, without credentials."""
    found = (await _access(call)).templates
    seen = [one for one in found if call.may("repositories", "get", one.url)]
    return {"metadata": {}, "items": [shown_template(one) for one in seen]}


def shown_template(one: CredentialTemplate) -> dict[str, Any]:
    """Return what is told of a credential template."""
    values = {"type": one.kind, "username": one.credentials.username}
    return {"url": without_logins(one.url), **{name: value for name, value in values.items() if value}}


async def list_certificates(call: Call) -> dict[str, Any]:
    """Return the servers whose certificates are trusted."""
    names = sorted((await _access(call)).certificates)
    seen = [name for name in names if call.may("certificates", "get", name)]
    return {"metadata": {}, "items": [{"serverName": name, "certType": "https"} for name in seen]}


async def list_keys(call: Call) -> dict[str, Any]:
    """Return the ids of the keys that commits may be signed with."""
    names = sorted((await _access(call)).signing_keys)
    return {"metadata": {}, "items": [{"keyID": name} for name in names if call.may("gpgkeys", "get", name)]}


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/repositories",
        handler=list_repositories,
        about="List repositories.",
        answer=connections.RepositoryList,
        permission=Filtered("repositories", "get", "repositories"),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/repositories/{repo:path}",
        handler=get_repository,
        about="Get a repository.",
        answer=connections.RepositoryAnswer,
        permission=Needs("repositories", "get", REPOSITORY),
        query=(Query("appProject", "The project it is for."),),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/repocreds",
        handler=list_templates,
        about="List credential templates.",
        answer=connections.TemplateList,
        permission=Filtered("repositories", "get", "credential templates, by their URL"),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/certificates",
        handler=list_certificates,
        about="List certificates.",
        answer=connections.CertificateList,
        permission=Filtered("certificates", "get", "certificates, by their server"),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/gpgkeys",
        handler=list_keys,
        about="List signing keys.",
        answer=connections.SigningKeyList,
        permission=Filtered("gpgkeys", "get", "keys"),
    ),
)
