"""Asks code hosts for what generators want, page by page, with the token of a Secret.

Called by `syncline.controller.appsets.reconcile`. A token is read for each question, sent to the host of the set alone,
and never part of an error. The operator says whether code hosts are asked at all, and which.
"""

from __future__ import annotations

import base64
import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.apimachinery import globs
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.appsets import secrets
from syncline.controller.appsets.plugins import ask_plugin
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.questions import Failure, Page, PageQuestion, PluginQuestion
from syncline.ports.web import GitHubApp, WebAnswer, WebError, WebRequest

_KEPT = 2048
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')
_START = re.compile(r"[?&]start=\d+$")
_MEMBERS = ("values", "value")
_SCHEMES = {"bearer": "Bearer", "token": "token"}
_NOT_THERE = (204, 404)
_PUBLIC = ("https://api.github.com", "https://gitlab.com", "https://api.bitbucket.org", "https://dev.azure.com")
"""Hosts that are asked where a set names no other; what the operator allows is said of others alone."""


class Pages:
    """What code hosts and plugins have said, each kept until its set wants a newer one; failures are not kept."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live
        self._kept: OrderedDict[tuple[str, PageQuestion | PluginQuestion], tuple[Any, float]] = OrderedDict()

    async def answer(self, namespace: str, question: PageQuestion | PluginQuestion, *, oldest: float) -> Any:
        """Return one answer; one that was asked for before the time `oldest` is asked for again."""
        known = self._kept.get((namespace, question))
        if known is not None and known[1] >= oldest:
            return known[0]
        asked = self._world.clock.monotonic()
        if isinstance(question, PluginQuestion):
            found = await ask_plugin(self._world, self._live, question)
        else:
            found = await read_page(self._world, self._live, namespace, question)
        if not isinstance(found, Failure):
            self._kept[namespace, question] = (found, asked)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


async def read_page(world: World, live: LiveCluster, namespace: str, question: PageQuestion) -> Any:
    """Return one page of a list, or why there is none."""
    shown = question.url.partition("?")[0]
    if refusal := _refusal(world, question.url):
        return Failure(f"{shown} is not asked: {refusal}")
    if world.web is None:
        return Failure(f"{shown} cannot be asked from here")
    token: str | GitHubApp | Failure = ""
    if question.scheme == "app":
        token = secrets.github_app(world, live, question.secret, _host(question.url))
    elif question.secret:
        token = secrets.token(world, live, namespace, question.secret, question.key)
    certificates = _certificates(live, namespace, question)
    if isinstance(token, Failure):
        return token
    if isinstance(certificates, Failure):
        return certificates
    try:
        answer = await world.web.ask(_request(question, token, certificates))
    except WebError as error:
        return Failure(f"{shown} cannot be asked: {error}")
    if question.missing_is_none and (answer.status in _NOT_THERE or _is_empty(question, answer)):
        return Page((), there=False)
    if answer.status != 200:
        return Failure(f"{shown} {_why(answer)}")
    return _page(question, answer, shown)


def _request(question: PageQuestion, token: str | GitHubApp, certificates: str) -> WebRequest:
    headers = {"Accept": "application/json"}
    authorization = ""
    if isinstance(token, GitHubApp):
        return WebRequest(url=question.url, headers=headers, app=token)
    if token and question.scheme == "private-token":
        headers["Private-Token"] = token
    elif token and question.scheme == "basic":
        authorization = "Basic " + base64.b64encode(f"{question.user}:{token}".encode()).decode()
    elif token:
        authorization = f"{_SCHEMES[question.scheme]} {token}"
    return WebRequest(
        url=question.url,
        headers=headers,
        authorization=authorization,
        certificates=certificates,
        insecure=question.insecure,
    )


def _certificates(live: LiveCluster, namespace: str, question: PageQuestion) -> str | Failure:
    name, key = question.authority
    if not name:
        return ""
    found = live.index.get(ObjectKey("", "ConfigMap", namespace, name))
    text = ((found or {}).get("data") or {}).get(key)
    if not text:
        return Failure(f"ConfigMap {namespace}/{name} has no key {key}: put the certificates to trust there")
    return str(text)


def _is_empty(question: PageQuestion, answer: WebAnswer) -> bool:
    """Whether one thing was asked for and there is none: some hosts say so with an answer that is empty."""
    return question.form == "one" and answer.status in (200, 204) and not answer.body.strip()


def _why(answer: WebAnswer) -> str:
    """Return what an answer that is none means."""
    limited = answer.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in answer.headers
    if answer.status == 429 or (answer.status == 403 and limited):
        return f"takes no more requests for now (status {answer.status}): ask less often, or with a token"
    return f"answers with status {answer.status}: check the repository, the token and its rights"


def _page(question: PageQuestion, answer: WebAnswer, shown: str) -> Page | Failure:
    if question.form == "there":
        return Page(())
    member = question.form if question.form in _MEMBERS else ""
    try:
        if question.form == "list":
            items, body = msgspec.json.decode(answer.body, type=tuple[dict[str, Any], ...]), {}
        else:
            body = msgspec.json.decode(answer.body, type=dict[str, Any])
            items = msgspec.convert(body[member] if member else (body,), tuple[dict[str, Any], ...])
    except (msgspec.DecodeError, msgspec.ValidationError, KeyError):
        what = "a list" if question.form != "one" else "an object"
        return Failure(f"{shown} does not answer with {what}: is it the address of the API?")
    following = _following(question.url, answer, body)
    if following and _host(following) != _host(question.url):
        return Failure(f"{shown} goes on at another host, which is not given the token")
    return Page(items, following)


def _following(url: str, answer: WebAnswer, body: Mapping[str, Any]) -> str:
    """Return where a list goes on: by a header, by an address in the answer, or by the number of the next entry."""
    if found := _NEXT.search(answer.headers.get("link", "")):
        return found[1]
    if isinstance(body.get("next"), str):
        return str(body["next"])
    start = body.get("nextPageStart")
    if body.get("isLastPage") is False and isinstance(start, int):
        kept = _START.sub("", url)
        return f"{kept}{'&' if '?' in kept else '?'}start={start}"
    return ""


def _host(url: str) -> str:
    return "/".join(url.split("/")[:3])


def _refusal(world: World, url: str) -> str:
    settings = world.settings.application_sets
    if not settings.scm_providers:
        return "applicationsetcontroller.enable.scm.providers is false"
    allowed = settings.allowed_scm_providers
    if allowed and _host(url) not in _PUBLIC and not any(_is_below(url, one.rstrip("/")) for one in allowed):
        return "it is not in applicationsetcontroller.allowed.scm.providers"
    return ""


def _is_below(url: str, allowed: str) -> bool:
    """Whether an address begins with one that the operator allows; its host may be a pattern."""
    path = allowed.removeprefix(_host(allowed))
    return globs.matches(_host(url), _host(allowed)) and url.removeprefix(_host(url)).startswith(f"{path}/")
