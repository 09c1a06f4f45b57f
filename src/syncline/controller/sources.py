"""Desired objects by revision: resolves revisions once per repository, renders once per tree.

Asked by `syncline.controller.observe`; the poller tells the queue which apps a new commit may concern. Work follows
change: one `ls-remote` serves every app of a repository, and an unchanged folder is not rendered again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable

import msgspec

from syncline.controller.queue import AppKey
from syncline.controller.renders import Capabilities, Renders
from syncline.controller.world import World
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.errors import SynclineError
from syncline.model.source import ApplicationSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import RevisionRequest


class Resolved(msgspec.Struct, frozen=True):
    """What a revision text stood for at a time: a SHA, or the error that asking gave."""

    sha: str
    error: SynclineError | None
    at: float


class Sources:
    """Revisions and renders of every repository in use."""

    def __init__(self, world: World, on_new_revision: Callable[[AppKey], None]) -> None:
        self._world = world
        self._on_new_revision = on_new_revision
        self._resolved: dict[RevisionRequest, Resolved] = {}
        self._users: dict[RevisionRequest, set[AppKey]] = defaultdict(set)
        self._request_of: dict[AppKey, RevisionRequest] = {}
        self._renders = Renders()
        self._pollers: dict[str, asyncio.Task[None]] = {}

    async def newest(self, app: AppKey, source: ApplicationSource, *, fresh: bool = False) -> str:
        """Return the SHA a source's revision stands for; asks again when told to, or when nobody polls it yet."""
        request = RevisionRequest(source.repo_url, source.target_revision)
        self._use(app, request)
        known = self._resolved.get(request)
        if known is None or fresh:
            known = await self._resolve(request)
        if known.error is not None:
            raise known.error
        return known.sha

    async def resolve(self, source: ApplicationSource, revision: str) -> str:
        """Return the SHA of a revision somebody named for one sync; asked anew each time."""
        return await self._world.source.resolve(RevisionRequest(source.repo_url, revision))

    def forget(self, app: AppKey) -> None:
        """Stop caring about the revisions of an app that is gone."""
        if request := self._request_of.pop(app, None):
            self._users[request].discard(app)

    async def render(
        self, app: Application, source: ApplicationSource, sha: str, cluster: Capabilities | None = None
    ) -> Desired:
        """Return the desired objects of a source at a commit, for a cluster that can do this much."""
        cluster = cluster or Capabilities()
        renderer = self._world.renderer
        tree = await self._world.source.tree(source.repo_url, sha, source.path)
        request = RenderRequest(
            app_name=app.metadata.name,
            namespace=app.spec.destination.namespace,
            project=app.spec.project,
            source=source,
            kube_version=cluster.kube_version,
            api_versions=cluster.api_versions,
        )
        fingerprint = renderer.fingerprint
        known = self._renders.find(request, fingerprint, tree, {})
        if known is None:
            known = await renderer.render(request, tree)
            self._renders.keep(request, fingerprint, known)
        return known if known.revisions == (sha,) else msgspec.structs.replace(known, revisions=(sha,))

    async def stop(self) -> None:
        """Stop polling."""
        for task in self._pollers.values():
            task.cancel()
        await asyncio.gather(*self._pollers.values(), return_exceptions=True)

    def _use(self, app: AppKey, request: RevisionRequest) -> None:
        if self._request_of.get(app) != request:
            self.forget(app)
            self._request_of[app] = request
            self._users[request].add(app)
        if request.repo_url not in self._pollers:
            task = asyncio.create_task(self._poll(request.repo_url), name=f"poll {request.repo_url}")
            self._pollers[request.repo_url] = task

    async def _resolve(self, request: RevisionRequest) -> Resolved:
        at = self._world.clock.monotonic()
        try:
            resolved = Resolved(await self._world.source.resolve(request), None, at)
        except SynclineError as error:
            resolved = Resolved("", error, at)
        before = self._resolved.get(request)
        self._resolved[request] = resolved
        if before is not None and _outcome(before) != _outcome(resolved):
            for app in sorted(self._users[request]):
                self._on_new_revision(app)
        return resolved

    async def _poll(self, repo_url: str) -> None:
        """Ask again at the refresh interval, for every revision of one repository that an app uses."""
        settings = self._world.settings
        while settings.refresh_interval > 0:  # 0 means: only when somebody asks for a refresh
            jitter = self._world.chance.uniform(0.0, settings.refresh_jitter)
            await self._world.clock.sleep(settings.refresh_interval + jitter)
            for request in self._in_use(repo_url):
                await self._resolve(request)

    def _in_use(self, repo_url: str) -> Iterable[RevisionRequest]:
        used = [request for request, apps in self._users.items() if apps and request.repo_url == repo_url]
        return sorted(used, key=lambda request: request.revision)


def _outcome(resolved: Resolved) -> tuple[str, str]:
    return resolved.sha, str(resolved.error or "")
