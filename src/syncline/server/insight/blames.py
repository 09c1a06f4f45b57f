"""Who wrote the lines that an Application is rendered from: files with their lines, lines with their commits.

Used by the routes of blame and of differences. History is read once per file and commit, for everybody who asks, and
where it cannot be read the line is told without its commit.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import Any

from syncline import tasks
from syncline.controller.sources.capabilities import capabilities
from syncline.controller.sources.desired import render_request
from syncline.controller.sources.render_stores import StoredRenders
from syncline.controller.sources.renders import Look, RenderCache
from syncline.controller.world import World
from syncline.core.sources import is_chart, sources_of
from syncline.model.errors import Place, SourceError
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import Explainer
from syncline.ports.source import ChartRequest, CommitNote, Historian, Tree
from syncline.verbs.blaming import RenderedPart
from syncline.verbs.errors import InvalidRequest
from syncline.verbs.look import Seen

_KEPT = 200
_AT_ONCE = 2
_PATIENCE = 60.0
Lines = Sequence[CommitNote | None]


class Blames:
    """Histories of files, the last few of them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(_AT_ONCE))
        self._known: OrderedDict[tuple[str, str, str, str], asyncio.Task[Lines]] = OrderedDict()

    async def note(self, source: ApplicationSource, revision: str, project: str, place: Place) -> CommitNote | None:
        """Return the commit that wrote a line; None where nobody can tell."""
        if is_chart(source) or not place.file or place.line < 1 or not isinstance(self._world.source, Historian):
            return None
        # By project: what one may read with its credentials is not for another.
        key = (source.repo_url, revision, place.file, project)
        if key not in self._known:
            self._known[key] = tasks.start(self._read(self._world.source, *key), name="history of a file")
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        lines = await asyncio.shield(self._known[key])
        return lines[place.line - 1] if place.line <= len(lines) else None

    async def _read(self, source: Historian, repo_url: str, revision: str, file: str, project: str) -> Lines:
        try:
            async with self._turns[project], asyncio.timeout(_PATIENCE):
                return await source.lines(repo_url, revision, file, project)
        except (SourceError, TimeoutError):
            return ()

    async def stop(self) -> None:
        """Give up what is being read."""
        running = list(self._known.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def rendered_parts(world: World, found: Seen, permitted: tuple[str, ...]) -> list[RenderedPart]:
    """Return each source of an Application as it was rendered for the look, with the files that was made from."""
    app, revisions = found.assessment.app, found.assessment.revisions
    sources, explainer = sources_of(app), world.renderer
    if not isinstance(explainer, Explainer) or len(revisions) != len(sources):
        raise InvalidRequest("the source could not be rendered, so nobody can tell who wrote it")
    lasting = StoredRenders(world.store) if world.store is not None else None
    renders = RenderCache(world.renderer, lasting=lasting)
    pairs = list(zip(sources, revisions, strict=True))
    trees = [await _tree(world, one, revision, app.spec.project, permitted) for one, revision in pairs]
    refs = {source.ref: tree for source, tree in zip(sources, trees, strict=True) if source.ref}
    discovery = found.place.live.discovery
    able = capabilities(discovery)
    made = []
    for source, tree in zip(sources, trees, strict=True):
        request = render_request(app, source, able, permitted)
        desired = await renders.render(Look(request, tree, refs))
        made.append(RenderedPart(source, tree, request, refs, desired, explainer))
    return made


async def _tree(
    world: World, source: ApplicationSource, revision: str, project: str, permitted: tuple[str, ...]
) -> Tree:
    if not is_chart(source):
        return await world.source.tree(source.repo_url, revision, source.path, project=project, permitted=permitted)
    if world.charts is None:
        raise InvalidRequest("charts are not fetched here")
    tree = await world.charts.tree(ChartRequest(source.repo_url, source.chart, revision, project, permitted))
    return tree.below(source.path) if source.path and not source.chart else tree


def note_json(note: CommitNote | None) -> dict[str, Any] | None:
    """Return a commit as pages show it: who, when, and the first line of what they said."""
    if note is None:
        return None
    title = note.message.strip().partition("\n")[0]
    return {"revision": note.revision, "author": note.author, "date": note.date, "message": title}
