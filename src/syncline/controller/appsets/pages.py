"""Asks code hosts for what generators want, page by page, with the token of a Secret.

Called by `syncline.controller.appsets.reconcile`. A token is read for each question, sent to the host of the set alone,
and never part of an error. Whether a host is asked at all is decided in `syncline.core.policy.set_requests`.
"""

from __future__ import annotations

import base64
import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.appsets import secrets
from syncline.controller.appsets.plugins import ask_plugin
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.questions import Failure, Page, PageQuestion, PluginQuestion
from syncline.core.policy.set_requests import request_refusal
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.core.policy.token_refs import TokenRef
from syncline.ports.web import GitHubApp, WebAnswer, WebError, WebRequest

_KEPT = 2048
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')
_START = re.compile(r"[?&]start=\d+$")
_MEMBERS = ("values", "value")
_SCHEMES = {"bearer": "Bearer", "token": "token"}
_NOT_THERE = (204, 404)


class Pages:
    """What code hosts and plugins have said, each kept until its set wants a newer one; failures are not kept."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live
        self._kept: OrderedDict[_Key, tuple[Any, float]] = OrderedDict()

    async def answer(
        self, namespace: str, question: PageQuestion | PluginQuestion, tenancy: SetTenancy, *, oldest: float
    ) -> Any:
        """Return one answer; one that was asked for before the time `oldest` is asked for again.

        Whether it may be asked is decided each time: what was permitted a moment ago need not be now. An answer is kept
        for those who asked alone: another project does not get it, though it asks the same.
        """
        asking = () if tenancy.is_operators else tuple(one.metadata.name for one in tenancy.behalf)
        key = (namespace, tenancy.is_operators, asking, question)
        means = self._means(namespace, question, tenancy)
        if isinstance(means, Failure):
            return means
        known = self._kept.get(key)
        if known is not None and known[1] >= oldest:
            return known[0]
        asked = self._world.clock.monotonic()
        if isinstance(question, PluginQuestion):
            found = await ask_plugin(self._world, self._live, question, tenancy)
        else:
            found = await read_page(self._world, means, question, tenancy)
        if not isinstance(found, Failure):
            self._kept[key] = (found, asked)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _means(self, namespace: str, question: PageQuestion | PluginQuestion, tenancy: SetTenancy) -> _Means | Failure:
        """Return what a question is asked with, or why it is not asked."""
        settings = self._world.settings
        if refusal := request_refusal(question, tenancy, settings.application_sets):
            return Failure(refusal)
        if isinstance(question, PluginQuestion):
            return _Means()
        token: str | GitHubApp | Failure = ""
        if question.scheme == "app":
            token = secrets.github_app(self._world, self._live, question.secret, _host(question.url), tenancy)
        elif question.secret:
            ref = TokenRef(namespace, question.secret, question.key)
            token = secrets.token(self._world, self._live, ref, tenancy)
        if isinstance(token, Failure):
            return token
        certificates = _certificates(self._live, namespace, question)
        return certificates if isinstance(certificates, Failure) else _Means(token, certificates)


class _Means(NamedTuple):
    """What a code host is shown, and whom we trust to be it."""

    token: str | GitHubApp = ""
    certificates: str = ""


_Key = tuple[str, bool, tuple[str, ...], PageQuestion | PluginQuestion]


async def read_page(world: World, means: _Means, question: PageQuestion, tenancy: SetTenancy) -> Any:
    """Return one page of a list, or why there is none."""
    shown = question.url.partition("?")[0]
    if world.web is None:
        return Failure(f"{shown} cannot be asked from here")
    try:
        answer = await world.web.ask(_request(question, means, leaves_host=tenancy.is_operators))
    except WebError as error:
        return Failure(f"{shown} cannot be asked: {error}")
    if question.missing_is_none and (answer.status in _NOT_THERE or _is_empty(question, answer)):
        return Page((), there=False)
    if answer.status != 200:
        return Failure(f"{shown} {_why(answer)}")
    return _page(question, answer, shown)


def _request(question: PageQuestion, means: _Means, *, leaves_host: bool) -> WebRequest:
    headers = {"Accept": "application/json"}
    authorization, token = "", means.token
    if isinstance(token, GitHubApp):
        return WebRequest(url=question.url, headers=headers, app=token, leaves_host=leaves_host)
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
        certificates=means.certificates,
        insecure=question.insecure,
        leaves_host=leaves_host,
    )


def _certificates(live: LiveCluster, namespace: str, question: PageQuestion) -> str | Failure:
    name, key = question.authority
    if not name:
        return ""
    found = live.index.get(ObjectKey("", "ConfigMap", namespace, name))
    text = str(((found or {}).get("data") or {}).get(key) or "")
    # In these words nobody learns what another ConfigMap holds, or whether it is there.
    if "-----BEGIN CERTIFICATE-----" not in text:
        return Failure(f"ConfigMap {namespace}/{name} has no key {key} with certificates: put those to trust there")
    return text


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
