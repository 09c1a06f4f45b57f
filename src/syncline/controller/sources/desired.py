"""Desired objects by revision: verifies commits and renders, once per tree.

Asked by `syncline.controller.deliver.observe`; `syncline.controller.sources.revisions` says what revisions stand for
and tells the queue which apps a new commit may concern. Work follows change: an unchanged folder is not rendered again.
A source with `ref` lends its files to the others; where it has a path as well, it is rendered like them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import msgspec

from syncline.controller.app_key import AppKey
from syncline.controller.sources.backoffs import RenderBackoffs
from syncline.controller.sources.capabilities import Capabilities
from syncline.controller.sources.errors import told
from syncline.controller.sources.render_stores import MemoryRenders, StoredRenders
from syncline.controller.sources.renders import Look, RenderCache, combined, digest_below, unchanged
from syncline.controller.sources.revisions import Asked, RevisionResolver
from syncline.controller.sources.verification import Verification
from syncline.controller.world import World
from syncline.core.sources import generate_paths, is_chart, revision_names
from syncline.model import names
from syncline.model.application import Application
from syncline.model.desired import Desired, Fetched, ValuesLayer
from syncline.model.errors import SynclineError
from syncline.model.project import ProjectSpec
from syncline.model.settings.settings import Compat, Settings
from syncline.model.sources.permitted import repo_permitted
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import LayerReader, RenderRequest
from syncline.ports.source import ChartRequest, RevisionRequest, Tree


class _Good(msgspec.Struct, frozen=True):
    """The last render of an app that went well, and of what."""

    sources: Sequence[ApplicationSource] = ()
    project: str = ""
    permitted: tuple[str, ...] = ()
    desired: Desired | None = None


class DesiredSources:
    """Revisions and renders of every repository in use."""

    def __init__(self, world: World, on_new_revision: Callable[[AppKey], None]) -> None:
        self._world = world
        self._revisions = RevisionResolver(world, on_new_revision)
        self._verification = Verification(world.source)
        self._backoffs = RenderBackoffs(world.clock)
        self._renders = RenderCache(
            world.renderer,
            memory=MemoryRenders(),
            lasting=StoredRenders(world.store) if world.store is not None else None,
            moved=lambda fetched, project: self._revisions.moved(_asked_besides(fetched, project)),
            backoffs=self._backoffs,
        )
        self._last_good: dict[AppKey, _Good] = {}

    async def newest(
        self,
        app: AppKey,
        sources: Sequence[ApplicationSource],
        *,
        project: str = "",
        permitted: Sequence[str] = (),
        fresh: bool = False,
    ) -> tuple[str, ...]:
        """Return the SHA each source's revision stands for; asks again when told to, or when nobody polls it yet.

        What earlier renders fetched besides is asked again too, as far as the project (`permitted`) still lets it.
        """
        self._revisions.leave_out(app, lambda url: not repo_permitted(url, permitted))
        requests = [request_of(source, source.target_revision, project) for source in sources]
        return await self._revisions.newest(app, requests, fresh=fresh)

    async def resolve(
        self,
        sources: Sequence[ApplicationSource],
        revisions: Sequence[str],
        newest: Sequence[str],
        *,
        project: str = "",
    ) -> tuple[str, ...]:
        """Return the SHAs of revisions named for one sync, resolved again each time; the newest where none is named."""
        found = list(newest)
        for index, (source, revision) in enumerate(zip(sources, revisions, strict=False)):
            if revision:
                found[index] = await self._revisions.ask(request_of(source, revision, project))
        return tuple(found)

    def forget(self, app: AppKey) -> None:
        """Stop caring about an app that is gone."""
        self._last_good.pop(app, None)
        self._revisions.forget(app)

    def access_changed(self) -> None:
        """Ask again for what could not be fetched, and judge signatures again: credentials or keys have changed."""
        self._revisions.forget_failures()
        self._verification.forget()

    def settings_changed(self, before: Settings) -> None:
        """Read and render under the settings the world has now, as far as they are about that."""
        now, renderer = self._world.settings, self._world.renderer
        if now.sources != before.sources:
            self._revisions.adjust()
        if (now.tools, now.sources) != (before.tools, before.sources):
            renderer.adjust(now)

    async def render(
        self,
        app: Application,
        sources: Sequence[ApplicationSource],
        revisions: Sequence[str],
        cluster: Capabilities | None = None,
        *,
        project: ProjectSpec | None = None,
        awaited: bool = True,
    ) -> Desired:
        """Return the desired objects of all sources at these commits, for a cluster that can do this much.

        Nothing is rendered unless every commit is signed as the project demands. What nobody waits for comes later.
        """
        key = AppKey(app.metadata.namespace, app.metadata.name)
        try:
            await self._verify(app, sources, revisions, project or ProjectSpec())
            known = cluster or Capabilities()
            parts = await self._parts(app, sources, revisions, known, project or ProjectSpec(), awaited=awaited)
        except SynclineError:
            self._revisions.failed(key, failed=True)
            raise
        desired = combined(parts, tuple(revisions))
        self._revisions.failed(key, failed=False)
        self._revisions.stands_on(key, _asked_besides(desired.fetched, app.spec.project))
        permitted = (project or ProjectSpec()).source_repos
        self._last_good[key] = _Good(tuple(sources), app.spec.project, permitted, desired)
        return desired

    async def _verify(
        self, app: Application, sources: Sequence[ApplicationSource], revisions: Sequence[str], project: ProjectSpec
    ) -> None:
        for source, revision, text in zip(sources, revisions, revision_names(app, sources), strict=True):
            request = request_of(source, text, app.spec.project)
            if isinstance(request, RevisionRequest):
                await self._verification.check(project, request, revision)

    async def _parts(
        self,
        app: Application,
        sources: Sequence[ApplicationSource],
        revisions: Sequence[str],
        cluster: Capabilities,
        project: ProjectSpec,
        *,
        awaited: bool,
    ) -> list[Desired]:
        numbered = list(enumerate(zip(sources, revisions, strict=True), start=1))
        trees: list[Tree] = []
        for number, (source, revision) in numbered:
            async with self._told(app, number, len(sources), source, revision, project):
                trees.append(await self._tree(source, revision, app.spec.project, project.source_repos))
        refs = {source.ref: tree for source, tree in zip(sources, trees, strict=True) if source.ref}
        paths = generate_paths(app)
        parts: list[Desired] = []
        for (number, (source, revision)), tree in zip(numbered, trees, strict=True):
            request = render_request(app, source, cluster, project.source_repos, awaited=awaited)
            async with self._told(app, number, len(sources), source, revision, project):
                parts.append(await self._renders.render(Look(request, tree, refs, paths)))
        return parts

    async def layers(
        self, app: Application, sources: Sequence[ApplicationSource], revisions: Sequence[str]
    ) -> tuple[tuple[ValuesLayer, ...], ...]:
        """Return for each source that is a chart what sets its values at these commits, the weakest first."""
        reader = self._world.renderer
        if not isinstance(reader, LayerReader):
            return ()
        trees = await self.trees(app, sources, revisions)
        refs = {source.ref: tree for source, tree in zip(sources, trees, strict=True) if source.ref}
        found = []
        for source, tree in zip(sources, trees, strict=True):
            request = render_request(app, source, Capabilities(), ("*",))
            found.append(await reader.layers(request, tree, refs))
        return tuple(layers for layers in found if layers)

    async def trees(
        self, app: Application, sources: Sequence[ApplicationSource], revisions: Sequence[str]
    ) -> list[Tree]:
        """Return the files of each source at these commits, for somebody who has rendered them."""
        pairs = zip(sources, revisions, strict=True)
        return [await self._tree(source, revision, app.spec.project, ("*",)) for source, revision in pairs]

    def _told(
        self, app: Application, number: int, count: int, source: ApplicationSource, revision: str, rules: ProjectSpec
    ) -> AbstractAsyncContextManager[None]:
        reader, permitted = self._world.source, rules.source_repos
        return told(number, count, source, revision, reader=reader, project=app.spec.project, permitted=permitted)

    def last_renders(self) -> list[tuple[AppKey, Desired]]:
        """Return the last render of every app that went well, for somebody who wants to name lines."""
        return [(app, good.desired) for app, good in self._last_good.items() if good.desired is not None]

    def last_good(self, app: Application) -> tuple[Desired | None, str]:
        """Return the last render of these very sources that went well, and words about it; nothing is synced from it.

        Under Argo CD's rules there is none: every object is Unknown then.
        """
        good = self._last_good.get(AppKey(app.metadata.namespace, app.metadata.name), _Good())
        desired = good.desired
        if desired is None or good.sources != app.spec.all_sources or self._world.settings.compat is Compat.ARGOCD:
            return None, ""
        shown = ", ".join(dict.fromkeys(revision[:7] for revision in desired.revisions))
        return desired, f"; stale: objects are compared with the last good render, of {shown}, and nothing is synced"

    async def untouched(
        self, app: Application, sources: Sequence[ApplicationSource], before: Sequence[str], now: Sequence[str]
    ) -> bool:
        """Whether nothing changed between two commits below the paths of which the app says that they alone count."""
        paths = generate_paths(app)
        good = self._last_good.get(AppKey(app.metadata.namespace, app.metadata.name), _Good())
        if not paths or not len(sources) == len(before) == len(now):
            return False
        try:
            for source, old, new in zip(sources, before, now, strict=True):
                if old != new and (is_chart(source) or await self._differ(source, (old, new), paths, good)):
                    return False
        except SynclineError:
            return False
        return True

    async def _differ(
        self, source: ApplicationSource, revisions: tuple[str, str], paths: Sequence[str], good: _Good
    ) -> bool:
        trees = [await self._tree(source, revision, good.project, good.permitted) for revision in revisions]
        return len({digest_below(tree, source.path, paths) for tree in trees}) > 1

    async def concerns(self, app: AppKey) -> bool:
        """Whether the newest commit changes a file that the last render of an app has read; True where nobody knows."""
        good = self._last_good.get(app, _Good())
        resolved = list(self._revisions.known(app).values())
        if good.desired is None or len(good.sources) != 1 or len(resolved) != 1 or resolved[0].error is not None:
            return True
        if self._revisions.moved(_asked_besides(good.desired.fetched, good.project)):
            return True
        try:
            tree = await self._tree(good.sources[0], resolved[0].sha, good.project, good.permitted)
        except SynclineError:
            return True
        return not unchanged(good.desired, tree, {})

    async def _tree(self, source: ApplicationSource, revision: str, project: str, permitted: Sequence[str]) -> Tree:
        if not is_chart(source):
            reader = self._world.source
            return await reader.tree(source.repo_url, revision, source.path, project=project, permitted=permitted)
        request = ChartRequest(source.repo_url, source.chart, revision, project, tuple(permitted))
        tree = await self._revisions.charts().tree(request)
        return tree.below(source.path) if source.path and not source.chart else tree

    def backing_off(self) -> int:
        """Return how many renders ran into a limit and are not tried again yet."""
        return self._backoffs.waiting()

    async def stop(self) -> None:
        """Stop polling."""
        await self._revisions.stop()


def request_of(source: ApplicationSource, revision: str, project: str = "") -> Asked:
    """Return the question which commit, or which version of a chart, a revision of a source is."""
    if is_chart(source):
        return ChartRequest(source.repo_url, source.chart, revision, project)
    return RevisionRequest(source.repo_url, revision, source.tag_prefix, project)


def render_request(
    app: Application,
    source: ApplicationSource,
    cluster: Capabilities,
    source_repos: tuple[str, ...],
    *,
    partial: bool = False,
    awaited: bool = True,
) -> RenderRequest:
    """Return the request to render one source of an Application; `partial` for somebody who only looks."""
    return RenderRequest(
        app_name=app.metadata.name,
        namespace=app.spec.destination.namespace,
        project=app.spec.project,
        source=source,
        kube_version=cluster.kube_version,
        api_versions=cluster.api_versions,
        source_repos=source_repos,
        fresh=not partial and app.metadata.annotations.get(names.REFRESH) == "hard",
        partial=partial,
        awaited=awaited,
    )


def _asked_besides(fetched: Sequence[Fetched], project: str) -> dict[Asked, str]:
    """Return what a render fetched besides its sources, as it is asked for, with what it was."""
    return {
        ChartRequest(one.repo_url, one.chart, one.revision, project)
        if one.chart
        else RevisionRequest(one.repo_url, one.revision, project=project): one.found
        for one in fetched
    }
