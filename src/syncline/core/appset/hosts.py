"""Code hosts as generators ask them: where the API of each begins, how the token is shown, and how lists go on.

Used by `syncline.core.appset.pull_requests` and `syncline.core.appset.repositories`. Pages are asked for as questions,
one after the other; a token goes by the name of its Secret, and is nowhere in here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from syncline.core.appset.context import Context
from syncline.core.appset.questions import Form, GeneratorError, Page, PageQuestion, page
from syncline.model.applicationset import Provider

_MOST_PAGES = 100
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
        question = PageQuestion(
            url,
            self.question.scheme,
            self.question.secret,
            self.question.key,
            missing_is_none,
            form,
            self.question.user,
            self.question.insecure,
            self.question.authority,
        )
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
    """Return a text as one segment of a path, or as a value of a query."""
    return _UNSAFE.sub(lambda found: b"%%%02X" % found[0][0], str(text).encode()).decode()


def path(text: str) -> str:
    """Return a text as a path of several segments."""
    return "/".join(map(part, text.split("/")))


def github(given: Provider) -> Host:
    """Return GitHub, or an enterprise server, whose API is below /api/v3 unless its address says otherwise."""
    api = str(given.get("api") or "https://api.github.com").rstrip("/")
    host = api.partition("://")[2].partition("/")[0]
    if given.get("api") and not api.endswith("/api/v3") and not host.startswith("api.") and ".api." not in host:
        api += "/api/v3"
    if app := given.get("appSecretName"):
        return _host("GitHub", api, "app", {"secretName": app})
    return _host("GitHub", api, "bearer", given.get("tokenRef"))


def gitlab(given: Provider) -> Host:
    """Return GitLab."""
    api = str(given.get("api") or "https://gitlab.com").rstrip("/")
    api = api if api.endswith("/api/v4") else f"{api}/api/v4"
    return _host("GitLab", api, "private-token", given.get("tokenRef"), given)


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
    api = str(given.get("api") or "https://api.bitbucket.org/2.0").rstrip("/")
    if given.get("appPasswordRef"):
        return _host("Bitbucket", api, "basic", given["appPasswordRef"], user=str(given.get("user") or ""))
    return _atlassian("Bitbucket", api, given)


def azure(given: Provider, token: str) -> Host:
    """Return an organization of Azure DevOps; `token` is the field that names the Secret."""
    api = str(given.get("api") or "https://dev.azure.com").rstrip("/")
    return _host("Azure DevOps", f"{api}/{part(given.get('organization'))}", "basic", given.get(token))


def _atlassian(name: str, api: str, given: Provider) -> Host:
    if bearer := given.get("bearerToken"):
        return _host(name, api, "bearer", bearer.get("tokenRef"), given)
    basic = given.get("basicAuth") or {}
    return _host(name, api, "basic", basic.get("passwordRef"), given, user=str(basic.get("username") or ""))


def _host(
    name: str,
    api: str,
    scheme: str,
    ref: Mapping[str, Any] | None,
    given: Provider | None = None,
    user: str = "",
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
    )
    return Host(name, api, question)
