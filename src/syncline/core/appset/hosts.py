"""Code hosts as generators ask them: where the API of each begins, how the token is shown, and how lists go on.

Used by `syncline.core.appset.pull_requests` and `syncline.core.appset.repositories`. Pages are asked for as questions,
one after the other; a token goes by the name of its Secret, and is nowhere in here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from syncline.core.appset.context import Context
from syncline.core.appset.questions import Form, GeneratorError, Page, PageQuestion, page
from syncline.model.applicationset import Provider

_MOST_PAGES = 100
_GITHUB = "https://api.github.com"
_GITLAB = "https://gitlab.com/api/v4"
_BITBUCKET = "https://api.bitbucket.org/2.0"
_AZURE = "https://dev.azure.com"
_UNSAFE = re.compile(rb"[^A-Za-z0-9._~-]")
AT_ONCE = 100
"""How many entries a page of a host has that counts them and does not say where the next begins."""


class Host(NamedTuple):
    """One code host: where its API begins, and what every question to it says."""

    name: str
    api: str
    question: PageQuestion

    def ask(self, path: str, form: Form, context: Context, *, missing_is_none: bool = False) -> Page:
        """Return the answer at an address below the API."""
        url = path if path.startswith(("https://", "http://")) else f"{self.api}{path}"
        question = msgspec.structs.replace(self.question, url=url, missing_is_none=missing_is_none, form=form)
        return page(context.answers, question)

    def every(
        self, path: str, context: Context, form: Form = "list", *, missing_is_none: bool = False
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the entries of a list, page by page."""
        following = path
        for _ in range(_MOST_PAGES):
            found = self.ask(following, form, context, missing_is_none=missing_is_none)
            yield from found.items
            if not found.following:
                return
            following = found.following
        raise GeneratorError(f"{self.api}{path.partition('?')[0]} has more than {_MOST_PAGES} pages")

    def counted(self, path: str, context: Context, *, missing_is_none: bool = False) -> Iterator[Mapping[str, Any]]:
        """Yield the entries of a list whose pages are found by how many entries came before."""
        for number in range(_MOST_PAGES):
            url = f"{path}&$top={AT_ONCE}" + (f"&$skip={number * AT_ONCE}" if number else "")
            found = self.ask(url, "value", context, missing_is_none=missing_is_none)
            yield from found.items
            if len(found.items) < AT_ONCE:
                return
        raise GeneratorError(f"{self.api}{path.partition('?')[0]} has more than {_MOST_PAGES} pages")


def part(text: object) -> str:
    """Return a text as one segment of a path, or as a value of a query; one that leads upwards is refused."""
    if str(text) in (".", ".."):
        raise GeneratorError(f"{str(text)!r} is not a name: servers take it for a step in the path")
    return _UNSAFE.sub(lambda found: b"%%%02X" % found[0][0], str(text).encode()).decode()


def path(text: str) -> str:
    """Return a text as a path of several segments."""
    return "/".join(map(part, text.split("/")))


def github(given: Provider) -> Host:
    """Return GitHub, or an enterprise server, whose API is below /api/v3 unless its address says otherwise."""
    api = str(given.get("api") or _GITHUB).rstrip("/")
    host = api.partition("://")[2].partition("/")[0]
    if given.get("api") and not api.endswith("/api/v3") and not host.startswith("api.") and ".api." not in host:
        api += "/api/v3"
    if app := given.get("appSecretName"):
        return _host("GitHub", api, "app", {"secretName": app}, public=_GITHUB)
    return _host("GitHub", api, "bearer", given.get("tokenRef"), public=_GITHUB)


def gitlab(given: Provider) -> Host:
    """Return GitLab."""
    api = str(given.get("api") or "https://gitlab.com").rstrip("/")
    api = api if api.endswith("/api/v4") else f"{api}/api/v4"
    return _host("GitLab", api, "private-token", given.get("tokenRef"), given, public=_GITLAB)


def gitea(given: Provider) -> Host:
    """Return a Gitea server."""
    return _host("Gitea", str(given.get("api") or "").rstrip("/") + "/api/v1", "token", given.get("tokenRef"), given)


def bitbucket_server(given: Provider) -> Host:
    """Return a Bitbucket server, whose API is below /rest."""
    api = str(given.get("api") or "").rstrip("/")
    api = api if api.endswith("/rest") else f"{api}/rest"
    return _atlassian("Bitbucket Server", f"{api}/api/1.0", given)


def bitbucket_cloud(given: Provider) -> Host:
    """Return Bitbucket's cloud; repositories are listed with an app password, pull requests with that of a user."""
    api = str(given.get("api") or _BITBUCKET).rstrip("/")
    if given.get("appPasswordRef"):
        user = str(given.get("user") or "")
        return _host("Bitbucket", api, "basic", given["appPasswordRef"], user=user, public=_BITBUCKET)
    return _atlassian("Bitbucket", api, given, public=_BITBUCKET)


def azure(given: Provider, token: str) -> Host:
    """Return an organization of Azure DevOps; `token` is the field that names the Secret."""
    api = str(given.get("api") or _AZURE).rstrip("/")
    home = f"{api}/{part(given.get('organization'))}"
    found = _host("Azure DevOps", home, "basic", given.get(token), public=_AZURE)
    # An organization is below what the set says to be the API.
    return found._replace(question=msgspec.structs.replace(found.question, api=api))


def _atlassian(name: str, api: str, given: Provider, *, public: str = "") -> Host:
    if bearer := given.get("bearerToken"):
        return _host(name, api, "bearer", bearer.get("tokenRef"), given, public=public)
    basic = given.get("basicAuth") or {}
    user = str(basic.get("username") or "")
    return _host(name, api, "basic", basic.get("passwordRef"), given, user=user, public=public)


def _host(
    name: str,
    api: str,
    scheme: str,
    ref: Mapping[str, Any] | None,
    given: Provider | None = None,
    user: str = "",
    *,
    public: str = "",
) -> Host:
    ref, given = ref or {}, given or {}
    authority = given.get("caRef") or {}
    question = PageQuestion(
        api,
        scheme,
        str(ref.get("secretName") or ""),
        str(ref.get("key") or ""),
        user=user,
        insecure=bool(given.get("insecure")),
        authority=(str(authority.get("configMapName") or ""), str(authority.get("key") or "")),
        api=api,
        public_api=public,
    )
    return Host(name, api, question)
