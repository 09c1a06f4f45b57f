"""The rights that the table of routes declares are the ones that count (security rows F1, F4, G1).

The table itself is walked: with exactly the declared rights a request gets through, without any one of those that were
asked for it is denied, and what a handler would do plays no part in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import orjson
import pytest
from starlette.requests import Request

from syncline import tasks
from syncline.server import page_files, table
from syncline.server.answers.kinds import Empty
from syncline.server.app import application
from syncline.server.grpcweb.methods import METHODS, endpoints
from syncline.server.requests.dispatch import Dispatcher
from syncline.server.requests.permissions import Chosen, Filtered, Needs, SignedIn, always, needs_of
from syncline.server.requests.routing import Endpoint
from tests.component.server.test_grpcweb import call, filled
from tests.component.server.test_installation import stored
from tests.component.server.test_rights import LISTS, ask, label
from tests.component.server.test_rights_matrix import ASKED, SET, right, set_policy
from tests.support.web import HOST, Browser, Site, on_site

Right = tuple[str, str]
ENDPOINTS = table.ENDPOINTS
GUARDED = [one for one in ENDPOINTS if needs_of(one.permission)]
# What somebody may do to their own account needs no right, and without a name in the body it is one's own.
OF_ONESELF = {"PUT /api/v1/account/password"}


def granted(one: Endpoint) -> Iterator[Right]:
    """Yield what a declaration names, as a policy would grant it."""
    permission = one.permission
    if isinstance(permission, Filtered):
        yield permission.resource, permission.verb
    for need in needs_of(permission):
        for verb in need.each:
            yield from ((need.resource, wide(name)) for name in (verb.shown if isinstance(verb, Chosen) else (verb,)))


def wide(verb: str) -> str:
    """Return a verb for every object: `update/*` for `update/apps/Deployment/shop/web`."""
    word, slash, _ = verb.partition("/")
    return f"{word}/*" if slash else word


def lines(rights: set[Right]) -> list[str]:
    return [f"p, WHO, {resource}, {verb}, *, allow" for resource, verb in sorted(rights)]


def test_the_matrix_and_the_declarations_agree() -> None:
    for one in ASKED:
        resource, verb = right(one)
        assert (resource, verb.partition("/")[0]) in one.rights, label(one)


def test_with_exactly_the_declared_rights_one_gets_through_and_each_that_was_asked_for_is_needed() -> None:
    async def story(site: Site) -> None:
        site.backend.live.note_write(SET)
        ann = await site.as_("ann")
        guard, bad = site.backend.guard, list[str]()
        asked: set[Right] = set()
        may = guard.may

        def noted(who: Any, resource: str, action: str, name: str) -> bool:
            allowed = may(who, resource, action, name)
            if allowed:
                asked.add((resource, wide(action)))
            return allowed

        guard.may = noted  # type: ignore[method-assign]
        for one in [one for one in ASKED if not one.stream]:
            whole = set(granted(one))
            further = {(also.resource, also.verb) for also in one.also}
            await set_policy(site, *lines(whole))
            asked.clear()
            answer = await ask(ann, one)
            if answer.status in (401, 403) or answer.status >= 500:
                bad.append(f"{label(one)} with {sorted(whole)}: {answer.status} {answer.body[:200]!r}")
            needed = (whole & asked) - further
            for missing in sorted(needed):
                await set_policy(site, *lines(whole - {missing}))
                answer = await ask(ann, one)
                rows = answer.json.get(LISTS.get(label(one), "")) if answer.status == 200 else None
                seen = [row for row in rows if row.get("name") != "ann"] if rows is not None else None
                if answer.status != 403 and seen != []:
                    bad.append(f"{label(one)} without {missing}: {answer.status} {answer.body[:200]!r}")
            if not needed and label(one) not in LISTS and not any(one.also):
                bad.append(f"{label(one)} asked for nothing that it declares")
        assert bad == [], "\n".join(bad)

    on_site(story)


async def canary(_call: Any) -> dict[str, Any]:
    return {"canary": "the handler ran"}


def forgetful(site: Site, monkeypatch: pytest.MonkeyPatch, browser: Browser) -> Browser:
    """Return the same browser on a server whose handlers check nothing at all."""
    made = tuple(msgspec.structs.replace(one, handler=canary) for one in ENDPOINTS)
    monkeypatch.setattr(table, "ENDPOINTS", made)
    return Browser(application(site.backend), browser.headers)


def test_handlers_that_check_nothing_are_not_run_for_people_without_rights(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(site: Site) -> None:
        eve = forgetful(site, monkeypatch, await site.as_("eve"))
        admin = Browser(eve.app, (await site.as_("admin")).headers)
        ran = []
        for one in GUARDED:
            if label(one) in OF_ONESELF:
                continue
            answer = await ask(eve, one)
            assert (answer.status, b"canary" in answer.body) == (403, False), label(one)
            ran.append((await ask(admin, one)).body == b'{"canary":"the handler ran"}')
        # Some are about something that does not exist here; most are run for those who may.
        assert sum(ran) > len(ran) // 2

    on_site(story)


def test_grpc_web_enforces_the_same_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(site: Site) -> None:
        eve = forgetful(site, monkeypatch, await site.as_("eve"))
        by_name = endpoints(METHODS, ENDPOINTS)
        asked = 0
        for method in METHODS:
            one = by_name[method.name][1]
            if label(one) in OF_ONESELF or not needs_of(one.permission):
                continue
            message = filled(method) | (
                {"project": {"metadata": {"name": "x"}}} if "ProjectC" in method.request else {}
            )
            got = await call(eve, method.name, message)
            if got.headers["grpc-status"] == "3" and "body is" in got.headers["grpc-message"]:
                continue  # What is wrong with a body is said before anything is looked for.
            assert (got.headers["grpc-status"], got.body) == ("7", b""), f"{method.name} {got.headers}"
            asked += 1
        assert asked > 20

    on_site(story)


def test_nothing_is_served_beside_the_table_but_the_page_and_its_description() -> None:
    """A route that is added to the application itself would have no declaration."""

    async def story(site: Site) -> None:
        served = {getattr(one, "path", "") for one in site.nobody.app.routes}
        beside = served - {one.path for one in ENDPOINTS}
        pages = {getattr(one, "path", "") for one in page_files.routes()}
        assert beside - pages == {"/openapi.json", "/swagger.json"}
        assert [path for path in pages if path.startswith(("/api", "/auth"))] == []

    on_site(story)


def test_whether_something_exists_is_not_told_to_people_without_rights() -> None:
    async def story(site: Site) -> None:
        site.backend.live.note_write(SET)
        eve = await site.as_("eve")
        for one in [one for one in GUARDED if "{name}" in one.path and label(one) not in OF_ONESELF]:
            there = await ask(eve, one)
            absent = await ask(eve, msgspec.structs.replace(one, path=one.path.replace("{name}", "nothing-here")))
            assert (there.status, there.body) == (absent.status, absent.body) == (403, there.body), label(one)

    on_site(story)


async def answered(site: Site, one: Endpoint, token: str) -> Any:
    scope = {
        "type": "http",
        "method": one.method,
        "path": one.path,
        "query_string": b"",
        "headers": [(b"host", HOST.encode()), (b"authorization", token.encode())],
        "path_params": {},
    }

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    failures: list[str] = []
    dispatcher = Dispatcher(site.backend, lambda _what, error: failures.append(str(error)))
    response = await dispatcher.route(one)(Request(scope, receive))
    return response.status_code, failures


def test_a_handler_that_asks_for_a_right_it_does_not_declare_is_a_bug_and_refused() -> None:
    async def curious(call: Any) -> dict[str, Any]:
        return {"may": call.may("logs", "get", "*/*")}

    async def story(site: Site) -> None:
        token = (await site.as_("admin")).headers["authorization"]
        common: dict[str, Any] = {"method": "GET", "path": "/x", "handler": curious, "about": "X.", "answer": Empty}
        undeclared = Endpoint(**common, permission=Needs("applications", "get", always("*/*")))
        assert await answered(site, undeclared, token) == (500, ["GET /x does not declare get logs"])
        assert await answered(site, Endpoint(**common, permission=SignedIn("x")), token) == (
            500,
            ["GET /x does not declare get logs"],
        )
        declared = Endpoint(**common, permission=Needs("logs", "get", always("*/*")))
        assert await answered(site, declared, token) == (200, [])

    on_site(story)


TREE = "/api/v1/stream/applications/shop/resource-tree"


def test_a_stream_ends_when_the_right_is_withdrawn() -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        following = ann.lines(TREE)
        assert "result" in await anext(following)
        await set_policy(site, "p, WHO, projects, get, *, allow")
        last = [line async for line in following]
        assert [line["error"]["http_code"] for line in last] == [403]

    on_site(story, delivered=True)


@pytest.mark.parametrize("wait", [1, 3600])
def test_reading_logs_ends_when_the_right_is_withdrawn(wait: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the next line comes at once: it is not sent."""

    async def quiet(call: Any) -> Any:
        from syncline.server.requests.streams import stream

        async def results() -> Any:
            yield {"content": "first"}
            await call.backend.world.clock.sleep(wait)
            yield {"content": "after the right was withdrawn"}
            await call.backend.world.clock.sleep(3600)

        return stream(call, results())

    async def story(site: Site) -> None:
        silent = tuple(
            msgspec.structs.replace(one, handler=quiet) if one.path.endswith("{name}/logs") else one
            for one in ENDPOINTS
        )
        monkeypatch.setattr(table, "ENDPOINTS", silent)
        ann = Browser(application(site.backend), (await site.as_("ann")).headers)
        following = ann.lines("/api/v1/applications/shop/logs?follow=true")
        assert (await anext(following))["result"]["content"] == "first"
        await set_policy(site, "p, WHO, applications, get, *, allow")
        rest = tasks.start(anext_line(following), name="rest")
        await site.bed.clock.sleep(15)
        assert rest.done(), "the right to logs is gone, and the stream goes on"
        assert (await rest)["error"]["http_code"] == 403

    on_site(story)


async def anext_line(following: Any) -> Any:
    return await anext(following)


CANARY = "canary-7c1f"
API = "argoproj.io/v1alpha1"
SPEC = {"source": {"repoURL": f"https://{CANARY}.example/x.git", "path": "x"}, "project": "other"}


def canaries(namespace: str) -> list[dict[str, Any]]:
    """Return one row for each list that is filtered, each with a name that must not show."""
    drift = f"- {{kind: ConfigMap, jsonPointers: [/data], reason: {CANARY}}}"
    metadata = {"name": CANARY, "namespace": namespace}
    destination = {"server": "https://kubernetes.default.svc", "namespace": CANARY}
    status = {"resources": [{"kind": "ConfigMap", "namespace": "x", "name": CANARY, "version": "v1"}]}
    return [
        {"apiVersion": API, "kind": "AppProject", "metadata": metadata, "spec": {}},
        {
            "apiVersion": API,
            "kind": "Application",
            "metadata": {**metadata, "annotations": {"syncline.io/accepted-drift": drift}},
            "spec": {**SPEC, "destination": destination},
            "status": status,
        },
        stored("repository", "canary-repo", namespace, url=f"https://{CANARY}.example/x.git", type="git"),
        stored("repo-creds", "canary-creds", namespace, url=f"https://{CANARY}.example", type="git"),
        stored(
            "cluster", "canary-cluster", namespace, name=CANARY, server=f"https://{CANARY}.example:6443", config="{}"
        ),
        config_map(namespace, "argocd-tls-certs-cm", f"{CANARY}.example"),
        config_map(namespace, "argocd-gpg-keys-cm", CANARY),
    ]


def config_map(namespace: str, name: str, key: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {key: "x"}}


FILTERED = [one for one in ENDPOINTS if isinstance(one.permission, Filtered)]
OF_SETS = {**SET, "metadata": {"name": CANARY, "namespace": "argocd", "uid": "canary", "resourceVersion": "7"}}


async def first_lines(browser: Browser, path: str) -> bytes:
    """Return what a stream sends within a minute."""
    taken: list[Any] = []

    async def read() -> None:
        async for line in browser.lines(path):
            taken.append(line)  # noqa: PERF401 - the task is cancelled, and what came until then counts

    task = tasks.start(read(), name="read")
    await asyncio.wait({task}, timeout=60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return orjson.dumps(taken)


ELSEWHERE = [
    ("applications", "team/*"),
    ("applicationsets", "team/*"),
    ("projects", "team"),
    ("repositories", "https://git.example/*"),
    ("clusters", "https://kubernetes.default.svc"),
    ("certificates", "git.example"),
    ("gpgkeys", "0"),
    ("logs", "team/*"),
]


def test_every_filtered_list_and_stream_hides_rows_without_the_right() -> None:
    """Each has a canary row: the admin sees it, a caller with the rights to everything else does not."""

    async def story(site: Site) -> None:
        for obj in canaries(site.bed.control):
            await site.bed.apply(obj)
        await site.settle()
        site.backend.live.note_write(OF_SETS)
        await set_policy(site, *(f"p, WHO, {resource}, get, {name}, allow" for resource, name in ELSEWHERE))
        admin, ann = await site.as_("admin"), await site.as_("ann")
        seen: list[str] = []
        for one in FILTERED:
            path = f"{one.path}?search={CANARY}" if one.path.endswith("/objects") else one.path
            path = f"{path}?resourceVersion=1" if one.stream else path
            bodies = [
                await first_lines(browser, path) if one.stream else (await browser.get(path)).body
                for browser in (admin, ann)
            ]
            assert CANARY.encode() not in bodies[1], label(one)
            seen += [label(one)] * (CANARY.encode() in bodies[0])
        unseen = {label(one) for one in FILTERED} - set(seen)
        assert unseen == {"GET /api/v1/account"}, "no canary: nothing is proven of these"

    on_site(story)


@pytest.mark.parametrize("method", ["PUT", "PUT spec", "PATCH"])
def test_an_application_that_moved_unseen_is_not_changed_by_the_right_to_its_old_project(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The live view may be behind: what is stored counts, too."""

    async def story(site: Site) -> None:
        stale = await site.bed.app("shop")
        await site.bed.patch("Application", "shop", {"spec": {"project": "other"}}, API, site.bed.control)
        await site.settle()
        monkeypatch.setattr(type(site.backend), "application", lambda _self, _key: stale)
        await set_policy(
            site, *(f"p, WHO, applications, {verb}, team/*, allow" for verb in ("get", "update", "create"))
        )
        ann = await site.as_("ann")
        spec = stale["spec"]
        whole = {"metadata": {"name": "shop"}, "spec": stale["spec"]}
        path = "/api/v1/applications/shop"
        patch = {"patch": '{"metadata":{"labels":{"a":"b"}}}', "patchType": "merge"}
        before = (await site.bed.app("shop"))["metadata"]["resourceVersion"]
        asked = {"PUT": (path, whole), "PUT spec": (f"{path}/spec", spec), "PATCH": (path, patch)}[method]
        got = await ann.ask(method.partition(" ")[0], *asked)
        assert (got.status, got.json["message"]) == (403, "permission denied")
        assert (await site.bed.app("shop"))["metadata"]["resourceVersion"] == before

    on_site(story)
