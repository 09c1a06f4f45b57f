"""Repositories and credential templates that people add, change and remove: Secrets of the installation.

Used by `syncline.cli.repo` and the server. What nobody here knows in a Secret stays when it is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.controller.clusters.access import SECRETS
from syncline.model.errors import InvalidSpec
from syncline.model.logins import without_logins
from syncline.model.sources import repository_urls
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import (
    CredentialTemplate,
    Repository,
    parse_repository,
    parse_template,
    repository_secret,
    template_secret,
    updated_secret,
)
from syncline.ports.kube import Cluster
from syncline.ports.source import Checkable
from syncline.verbs.applications import MANAGER
from syncline.verbs.errors import InvalidRequest, NotFound

Checker = Callable[[Repository, SourceAccess], Checkable]
"""Builds what can tell whether a repository can be read; `syncline.wiring.checker` is one."""


def described_repository(values: Mapping[str, Any]) -> Repository:
    """Return the repository that a body describes, in the words of Argo CD's API, which are those of its Secrets."""
    try:
        return parse_repository({"metadata": {"name": ""}, "stringData": _texts(values, "repo")})
    except InvalidSpec as error:
        raise _told(error) from None


def described_template(values: Mapping[str, Any]) -> CredentialTemplate:
    """Return the credential template that a body describes."""
    try:
        return parse_template({"metadata": {"name": ""}, "stringData": _texts(values, "url")})
    except InvalidSpec as error:
        raise _told(error) from None


def _told(error: InvalidSpec) -> InvalidRequest:
    return InvalidRequest(error.what.removeprefix("Secret :").strip())


def _texts(values: Mapping[str, Any], address: str) -> dict[str, str]:
    """Return the values as texts; one of a kind that no field has is refused without being repeated."""
    found = {}
    for name, value in values.items():
        if isinstance(value, bool):
            found[name] = "true" if value else "false"
        elif isinstance(value, str | int):
            found[name] = str(value)
        elif value is not None and name != "connectionState":
            raise InvalidRequest(f"{name} is a text, a number or a switch")
    return {**found, "url": found.get(address, "")}


def known_repository(access: SourceAccess, wanted: Repository) -> Repository | None:
    """Return the repository of that address and project, where it is known."""
    found = (one for one in access.repositories if _same(one.url, wanted.url) and one.project == wanted.project)
    return next(found, None)


def known_template(access: SourceAccess, url: str) -> CredentialTemplate | None:
    """Return the template of that address, where there is one."""
    return next((one for one in access.templates if _same(one.url, url)), None)


def _same(one: str, other: str) -> bool:
    return repository_urls.same(one, other)


async def require_readable(repository: Repository, access: SourceAccess, checker: Checker) -> None:
    """Raise `SourceError` where a repository cannot be read with what is known."""
    others = tuple(one for one in access.repositories if one != known_repository(access, repository))
    known = SourceAccess(
        repositories=(*others, repository),
        templates=access.templates,
        known_hosts=access.known_hosts,
        certificates=access.certificates,
    )
    await checker(repository, known).check(repository.url, repository.project)


async def store_repository(
    home: Cluster, namespace: str, wanted: Repository, access: SourceAccess, *, replace: bool, hint: str
) -> None:
    """Add a repository, or replace the one of its address where that was asked for."""
    known = known_repository(access, wanted)
    what = f"repository '{without_logins(wanted.url)}'"
    if known is not None and not replace:
        raise InvalidRequest(f"{what} already exists", hint=hint)
    secret = repository_secret(wanted, namespace)
    if known is not None:
        secret["metadata"]["name"] = known.secret
    await put_secret(home, secret, replace=replace, what=what, hint=hint)


async def store_template(
    home: Cluster, namespace: str, wanted: CredentialTemplate, access: SourceAccess, *, replace: bool, hint: str
) -> None:
    """Add a credential template, or replace the one of its address where that was asked for."""
    known = known_template(access, wanted.url)
    what = f"repository credentials '{without_logins(wanted.url)}'"
    if known is not None and not replace:
        raise InvalidRequest(f"{what} already exists", hint=hint)
    secret = template_secret(wanted, namespace)
    if known is not None:
        secret["metadata"]["name"] = known.secret
    await put_secret(home, secret, replace=replace, what=what, hint=hint)


async def remove_repository(home: Cluster, namespace: str, wanted: Repository, access: SourceAccess) -> None:
    """Remove a repository; Applications that come from it are left as they are."""
    known = known_repository(access, wanted)
    if known is None or not known.secret:
        raise NotFound(f"repository '{without_logins(wanted.url)}' not found")
    await remove_secret(home, namespace, known.secret)


async def remove_template(home: Cluster, namespace: str, url: str, access: SourceAccess) -> None:
    """Remove a credential template."""
    known = known_template(access, url)
    if known is None:
        raise NotFound(f"repository credentials for '{without_logins(url)}' not found")
    await remove_secret(home, namespace, known.secret)


async def put_secret(home: Cluster, secret: Object, *, replace: bool, what: str, hint: str) -> None:
    """Create a Secret, or replace the one there is where that was asked for."""
    namespace, name = secret["metadata"]["namespace"], secret["metadata"]["name"]
    known = await home.get(SECRETS, namespace, name)
    if known is None:
        await home.create(SECRETS, secret, manager=MANAGER)
        return
    if not replace:
        raise InvalidRequest(f"{what} already exists", hint=hint)
    stored = {"apiVersion": "v1", "kind": "Secret", **known}
    await home.replace(SECRETS, updated_secret(stored, secret), manager=MANAGER)


async def remove_secret(home: Cluster, namespace: str, name: str) -> None:
    """Delete a Secret."""
    await home.delete(SECRETS, namespace, name, propagation="Background")
