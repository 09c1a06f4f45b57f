"""A web server over a sandbox, and a client of it, in one process and in virtual time: no sockets.

`served` starts it with two Applications of two projects, accounts and policies; `Browser` asks it as anybody.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

import orjson

from syncline import tasks
from syncline.apimachinery.keys import Object
from syncline.controller.controller import Controller
from syncline.controller.live.cluster import LiveCluster
from syncline.model.script import Evaluated, Script
from syncline.model.settings.settings import Settings
from syncline.ports.auth import DexProgram
from syncline.ports.web import Web
from syncline.server.app import ServerTools, application, prepared
from syncline.server.backend import Backend, Reached
from tests.support.loops.simulated import run_simulated
from tests.support.world import API, SETTINGS, SandboxBed

HOST = "localhost:8080"
PASSWORDS = {"admin": "correct horse", "ann": "ann's own", "ben": "ben's own", "eve": "eve's own"}
POLICY = """\
p, role:team, applications, get, team/*, allow
p, role:team, applications, sync, team/*, allow
p, role:team, logs, get, team/*, allow
p, role:team, projects, get, team, allow
g, ann, role:team
g, ben, role:readonly
"""


class PlainPasswords:
    """Hashes that cost nothing, for virtual time; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def matches(self, password: str, hashed: str) -> bool:
        self.asked += 1
        await asyncio.sleep(0.1)
        return hashed == plain_hash(password)

    async def hashed(self, password: str) -> str:
        return plain_hash(password)


def plain_hash(password: str) -> str:
    return "plain:" + hashlib.sha256(password.encode()).hexdigest()


class CountedSecrets:
    """Texts that differ, in order."""

    def __init__(self) -> None:
        self._count = 0

    def text(self, size: int = 32) -> str:
        self._count += 1
        return hashlib.sha256(f"secret {self._count}".encode()).hexdigest()[: max(size, 16)]


class EmptyScripts:
    """An evaluator for kinds without scripts of their own, which are asked for all the same and say nothing."""

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        assert {script.text for script in batch} <= {"return {}"}
        return [Evaluated(value={}) for _ in batch]

    async def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Got:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def cookie(self) -> str:
        return self.headers.get("set-cookie", "").partition(";")[0]


@dataclass(frozen=True, slots=True)
class Browser:
    """Sends requests to a web application with the headers it was given."""

    app: Any
    headers: dict[str, str] = field(default_factory=dict)

    def using(self, **headers: str) -> Browser:
        """Return the same with other headers (underscores stand for dashes)."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        return replace(self, headers={**self.headers, **more})

    def showing(self, token: str) -> Browser:
        return self.using(authorization=f"Bearer {token}")

    async def get(self, path: str) -> Got:
        return await self.ask("GET", path)

    async def post(self, path: str, value: Any = None) -> Got:
        return await self.ask("POST", path, value)

    async def put(self, path: str, value: Any = None) -> Got:
        return await self.ask("PUT", path, value)

    async def delete(self, path: str) -> Got:
        return await self.ask("DELETE", path)

    async def ask(self, method: str, path: str, value: Any = None, *, body: bytes | None = None) -> Got:
        """Send a request, with a value as its JSON body, or with bytes as they are; read the whole answer."""
        sent = body if body is not None else (b"" if value is None else orjson.dumps(value))
        kind = {"content-type": "application/json"} if value is not None else {}
        messages = [one async for one in self._exchange(method, path, sent, kind)]
        start = messages[0]
        headers = {name.decode(): text.decode() for name, text in start["headers"]}
        return Got(start["status"], headers, b"".join(one.get("body", b"") for one in messages[1:]))

    async def lines(self, path: str) -> AsyncGenerator[Any, None]:
        """Yield the results of a stream, one by one; blank lines are left out."""
        rest = b""
        async with aclosing(self._exchange("GET", path, b"", {})) as messages:
            async for one in messages:
                rest += one.get("body", b"")
                *whole, rest = rest.split(b"\n")
                for line in whole:
                    if line.strip():
                        yield orjson.loads(line)

    async def _exchange(self, method: str, path: str, body: bytes, more: dict[str, str]) -> AsyncGenerator[Any, None]:
        sent: asyncio.Queue[Any] = asyncio.Queue()
        gone = asyncio.Event()
        plain, _, query = path.partition("?")
        headers = {"host": HOST, **more, **self.headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(plain),
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8080),
        }
        parts = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if parts:
                return parts.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def run() -> None:
            try:
                await self.app(scope, receive, sent.put)
            finally:
                await sent.put(None)

        task = tasks.start(run(), name="request")
        try:
            while (message := await sent.get()) is not None:
                yield message
            await task
        finally:
            gone.set()
            if not task.done():
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Site:
    """A server, its cluster, and browsers of people who are signed in."""

    bed: SandboxBed
    backend: Backend
    nobody: Browser
    passwords: PlainPasswords
    failures: list[tuple[str, BaseException]]

    async def as_(self, name: str) -> Browser:
        """Return the browser of somebody who signed in."""
        answer = await self.nobody.post("/api/v1/session", {"username": name, "password": PASSWORDS[name]})
        assert answer.status == 200, answer.body
        return self.nobody.showing(answer.json["token"])

    async def settle(self) -> None:
        """Wait until the live view has seen what was written."""
        await self.bed.clock.sleep(0.5)


def on_site(
    story: Callable[[Site], Awaitable[None]], *, delivered: bool = False, anonymous: bool = False, **options: Any
) -> None:
    """Play a story on a server of its own; with `delivered` a controller runs too."""

    async def main() -> None:
        async with site(delivered=delivered, anonymous=anonymous, **options) as made:
            await story(made)
            assert [(what, repr(error)) for what, error in made.failures] == []

    run_simulated(main)


@asynccontextmanager
async def site(
    *,
    delivered: bool = False,
    anonymous: bool = False,
    policy: str = POLICY,
    web: Web | None = None,
    config: dict[str, str] | None = None,
    dex: DexProgram | None = None,
    say: Callable[[str], None] = lambda _words: None,
    settings: Settings = SETTINGS,
) -> AsyncIterator[Site]:
    """Start a server over a sandbox; `web` is its way out, `config` are further entries of argocd-cm."""
    bed = SandboxBed(evaluator=EmptyScripts(), settings=settings)
    await bed.start()
    for obj in installation(bed.control, policy, anonymous=anonymous, config=config):
        await bed.apply(obj)
    passwords, failures = PlainPasswords(), list[tuple[str, BaseException]]()
    tools = ServerTools(
        passwords=passwords,
        secrets=CountedSecrets(),
        web=web,
        dex=dex,
        say=say,
        on_failure=lambda what, error: failures.append((what, error)),
    )
    world = bed.world()
    controller: Controller | None = bed.controller_of(world) if delivered else None
    live = controller.live if controller else LiveCluster(world.home, world.settings, world.clock, on_change=_nothing)
    await (controller.start() if controller else live.start())
    await live.ready()
    try:
        async with prepared(world, live, tools, Reached()) as backend:
            browser = Browser(application(backend, tools.on_failure))
            yield Site(bed, backend, browser, passwords, failures)
    finally:
        await (controller.stop() if controller else live.stop())
        await bed.stop()


def _nothing(_obj: Object) -> None:
    """Hear nothing."""


def installation(
    namespace: str, policy: str, *, anonymous: bool = False, config: dict[str, str] | None = None
) -> list[Object]:
    """Return settings, accounts, projects and Applications."""
    return [
        _config("argocd-cm", namespace, {**_accounts(anonymous=anonymous), **(config or {})}),
        _config("argocd-rbac-cm", namespace, {"policy.csv": policy}),
        secret(namespace),
        project("team", namespace),
        project("other", namespace),
        app("shop", "team", namespace),
        app("vault", "other", namespace),
    ]


def _accounts(*, anonymous: bool) -> dict[str, str]:
    found = {f"accounts.{name}": "login" for name in ("ben", "eve")} | {"accounts.ann": "login, apiKey"}
    return {**found, "users.anonymous.enabled": "true"} if anonymous else found


def secret(namespace: str) -> Object:
    entries = {"server.secretkey": "the key of this installation, thirty-two bytes and more"}
    for name, password in PASSWORDS.items():
        prefix = "admin" if name == "admin" else f"accounts.{name}"
        entries[f"{prefix}.password"] = plain_hash(password)
        entries[f"{prefix}.passwordMtime"] = "2020-01-01T00:00:00Z"
    data = {name: base64.b64encode(text.encode()).decode() for name, text in entries.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "argocd-secret", "namespace": namespace},
        "data": data,
    }


def _config(name: str, namespace: str, data: dict[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }


def project(name: str, namespace: str) -> Object:
    return {
        "apiVersion": API,
        "kind": "AppProject",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"server": "*", "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
            "roles": [{"name": "ci", "policies": [f"p, proj:{name}:ci, applications, sync, {name}/*, allow"]}],
        },
    }


def app(name: str, project_name: str, namespace: str) -> Object:
    return {
        "apiVersion": API,
        "kind": "Application",
        "metadata": {"name": name, "namespace": namespace, "labels": {"tier": name}},
        "spec": {
            "project": project_name,
            "source": {"repoURL": "https://git.example/repo.git", "path": "apps/web", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
            "syncPolicy": {"syncOptions": ["CreateNamespace=true"]},
        },
    }
