"""What revisions stand for right now: asked once per repository, and again at the refresh interval.

Held by `syncline.controller.sources.desired`. One question serves every Application that asks it. Besides the revisions
of its sources an Application may stand on what a render fetched: a remote base at a branch, a chart in a range of
versions. These are asked again like the others; nothing is rendered before one of them moved.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from syncline import tasks
from syncline.controller.app_key import AppKey
from syncline.controller.world import World
from syncline.model.errors import InvalidSpec, SynclineError
from syncline.model.logins import without_logins
from syncline.ports.source import ChartRequest, Charts, RevisionRequest

Asked = RevisionRequest | ChartRequest
"""What is asked of a repository: a commit, or a version of a chart."""


class Resolved(msgspec.Struct, frozen=True):
    """What a revision text stood for: a SHA, or the error that asking gave."""

    sha: str
    error: SynclineError | None = None


class RevisionResolver:
    """Everything that is asked of repositories, by who wants to know."""

    def __init__(self, world: World, on_new: Callable[[AppKey], None]) -> None:
        self._world = world
        self._on_new = on_new
        self._resolved: dict[Asked, Resolved] = {}
        self._users: dict[Asked, set[AppKey]] = defaultdict(set)
        self._requests_of: dict[AppKey, frozenset[Asked]] = {}
        self._besides_of: dict[AppKey, frozenset[Asked]] = {}
        self._again: set[AppKey] = set()
        self._pollers: dict[str, asyncio.Task[None]] = {}
        self.adjust()

    async def newest(self, app: AppKey, requests: Sequence[Asked], *, fresh: bool = False) -> tuple[str, ...]:
        """Return what each request of an app stands for; asks again when told to, or when nobody polls it yet."""
        if self._requests_of.get(app) != frozenset(requests):
            self._ask_for(app, frozenset(requests))
        self._have_polled(requests)
        asked: dict[Asked, Resolved] = {}
        for request in dict.fromkeys(requests):
            known = self._resolved.get(request)
            asked[request] = await self._resolve(request) if known is None or fresh else known
        for request in sorted(self._besides_of.get(app, ()), key=str) if fresh else ():
            await self._resolve(request)
        for known in asked.values():
            if known.error is not None:
                raise known.error
        return tuple(asked[request].sha for request in requests)

    async def ask(self, request: Asked) -> str:
        """Return what a request stands for, asked of its server."""
        if isinstance(request, ChartRequest):
            return await self.charts().resolve(request)
        return await self._world.source.resolve(request)

    def adjust(self) -> None:
        """Tell the readers of the settings the world has now."""
        self._world.source.adjust(self._world.settings.sources)
        if self._world.charts is not None:
            self._world.charts.adjust(self._world.settings.sources)

    def charts(self) -> Charts:
        """Return the reader of charts; raises `InvalidSpec` where there is none."""
        if self._world.charts is None:
            raise InvalidSpec("charts of Helm repositories are not read here", hint="name a path of a Git repository")
        return self._world.charts

    def known(self, app: AppKey) -> dict[Asked, Resolved]:
        """Return what the requests of an app stood for when they were last asked."""
        return {
            request: self._resolved[request] for request in self._requests_of.get(app, ()) if request in self._resolved
        }

    def stands_on(self, app: AppKey, found: Mapping[Asked, str]) -> None:
        """Note what a render of an app has fetched besides its sources, and what that was."""
        self._drop(app, self._besides_of.pop(app, frozenset()) - self._requests_of.get(app, frozenset()))
        if found:
            self._besides_of[app] = frozenset(found)
            for request, sha in found.items():
                if request not in self._resolved or self._resolved[request].error is None:
                    self._resolved[request] = Resolved(sha)
            self._use(app, found)

    def leave_out(self, app: AppKey, forbidden: Callable[[str], bool]) -> None:
        """Ask no more for what a render of an app has fetched from addresses that are forbidden by now."""
        dropped = frozenset(one for one in self._besides_of.get(app, ()) if forbidden(one.repo_url))
        if dropped:
            self._besides_of[app] -= dropped
            self._drop(app, dropped - self._requests_of.get(app, frozenset()))

    def moved(self, found: Mapping[Asked, str]) -> bool:
        """Whether something that a render fetched has become something else; a server that is silent says nothing."""
        resolved = ((self._resolved.get(request), sha) for request, sha in found.items())
        return any(now is not None and now.error is None and now.sha != sha for now, sha in resolved)

    def failed(self, app: AppKey, *, failed: bool) -> None:
        """Note whether an app could be rendered; one that could not is tried again at the next interval."""
        (self._again.add if failed else self._again.discard)(app)

    def forget(self, app: AppKey) -> None:
        """Stop caring about an app that is gone, or has other sources now."""
        self._again.discard(app)
        self._drop(app, self._requests_of.pop(app, frozenset()) | self._besides_of.pop(app, frozenset()))

    def forget_failures(self) -> None:
        """Ask again what could not be told, the next time somebody wants to know: credentials have changed."""
        self._resolved = {request: known for request, known in self._resolved.items() if known.error is None}

    async def stop(self) -> None:
        """Stop polling."""
        pollers = list(self._pollers.values())
        for task in pollers:
            task.cancel()
        await asyncio.gather(*pollers, return_exceptions=True)

    def _ask_for(self, app: AppKey, requests: frozenset[Asked]) -> None:
        """Note that the sources of an app are others now; what it asks for still is not asked again."""
        before = self._requests_of.get(app, frozenset()) | self._besides_of.pop(app, frozenset())
        self._again.discard(app)
        self._requests_of[app] = requests
        self._use(app, requests)
        self._drop(app, before - requests)

    def _use(self, app: AppKey, requests: Iterable[Asked]) -> None:
        for request in requests:
            self._users[request].add(app)
        self._have_polled(requests)

    def _have_polled(self, requests: Iterable[Asked]) -> None:
        """See to it that repositories are asked again; with an interval of 0 that is done when somebody says so."""
        if self._world.settings.refresh_interval <= 0:
            return
        for repo_url in sorted({request.repo_url for request in requests} - self._pollers.keys()):
            name = f"poll {without_logins(repo_url)}"
            self._pollers[repo_url] = tasks.watch_over(self._poll(repo_url), name=name)

    def _drop(self, app: AppKey, requests: Iterable[Asked]) -> None:
        """Forget that an app asks; what nobody asks for any more is not kept: branches come and go."""
        for request in requests:
            self._users[request].discard(app)
            if not self._users[request]:
                del self._users[request]
                self._resolved.pop(request, None)

    async def _resolve(self, request: Asked) -> Resolved:
        try:
            resolved = Resolved(await self.ask(request))
        except SynclineError as error:
            resolved = Resolved("", error)
        before = self._resolved.get(request)
        self._resolved[request] = resolved
        if before is not None and _outcome(before) != _outcome(resolved):
            for app in sorted(self._users.get(request, ())):
                self._on_new(app)
        return resolved

    async def _poll(self, repo_url: str) -> None:
        """Ask again at the refresh interval, for every revision of one repository, as long as an app uses one."""
        try:
            while (settings := self._world.settings).refresh_interval > 0:
                jitter = self._world.chance.uniform(0.0, settings.refresh_jitter)
                await self._world.clock.sleep(settings.refresh_interval + jitter)
                in_use = [request for request in self._users if request.repo_url == repo_url]
                if not in_use:
                    return
                for request in sorted(in_use, key=str):
                    if request in self._users:
                        await self._resolve(request)
                users = {app for request in in_use for app in self._users.get(request, ())}
                for app in sorted(users & self._again):
                    self._again.discard(app)
                    self._on_new(app)
        finally:
            del self._pollers[repo_url]


def _outcome(resolved: Resolved) -> tuple[str, str]:
    return resolved.sha, str(resolved.error or "")
