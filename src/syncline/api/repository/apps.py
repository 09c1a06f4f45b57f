"""Renders the Applications of a repository one by one, or says why that cannot be done.

Asked by `syncline.api.repository.snapshot`. An app whose files are those of the last look is taken over as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncline.api.applications import RenderFlags, open_application
from syncline.api.repository.found import Found
from syncline.api.repository.left_out import LeftOuts, not_to_blame, source_missing, unfetched
from syncline.api.repository.memory import RenderedApps
from syncline.controller.sources.renders import Look, combined
from syncline.core.diagnose.subjects import RepoApp
from syncline.model import application
from syncline.model.desired import DesiredObject
from syncline.model.errors import SynclineError

if TYPE_CHECKING:
    from syncline.ports.source import Tree
    from syncline.wiring import RenderTools


class AppRenders:
    """Renders with one set of tools; `memory` has the apps of the last look."""

    def __init__(
        self, wanted: RenderFlags, tools: RenderTools, left: LeftOuts, memory: RenderedApps, *, fetch: bool
    ) -> None:
        self._wanted, self._tools, self._left, self._memory, self._fetch = wanted, tools, left, memory, fetch
        self._trees: dict[str, Tree | None] = {}
        """The folders that stand for repositories, from their roots."""

    def known(self, one: Found) -> RepoApp | None:
        """Return an Application with what it renders, where nothing of what it comes from has changed."""
        return self._memory.get(one.item, one.led_by, self._digest)

    def _digest(self, repo_url: str, path: str) -> str:
        """Return the digest of what is at a path of a repository that is read from a folder."""
        folder = self._tools.folder_of(repo_url)
        if folder not in self._trees:
            self._trees[folder] = self._tools.tree(folder) if folder else None
        tree = self._trees[folder]
        return tree.digest_of(path) if tree is not None else ""

    async def rendered(self, one: Found) -> RepoApp:
        """Return an Application with what it renders, or with why that is not known."""
        item, roots = one.item, one.led_by
        try:
            typed = application.parse(item.obj)
            if missing := source_missing(typed, self._tools, fetch=self._fetch):
                self._left.add(roots, *missing)
                return RepoApp(manifest=item, roots=roots)
            opened = await open_application(
                typed, self._wanted, self._wanted.cluster, self._tools, self._wanted.source_repos
            )
            looks = zip(opened.requests, opened.trees, strict=True)
            parts = [await self._tools.renders.render(Look(request, tree, opened.refs)) for request, tree in looks]
            desired = combined(parts, tuple(tree.revision for tree in opened.trees))
        except SynclineError as error:
            if because := not_to_blame(error):
                self._left.add(roots, *because)
                return RepoApp(manifest=item, roots=roots)
            told = f"{error.what} ({error.hint})" if error.hint else error.what
            path = error.missing or _missing_path(item, error)
            return RepoApp(manifest=item, problem=told, missing=path, place=error.place, roots=roots)
        missing_parts = [one for one in desired.fetched if not one.found]
        for fetched in missing_parts:
            self._left.add(roots, *unfetched(fetched))
        app = RepoApp(manifest=item, desired=desired, roots=roots, incomplete=bool(missing_parts))
        if not desired.fetched and all(self._tools.folder_of(source.repo_url) for source in opened.sources):
            self._memory.keep(app, opened.sources, parts)
        return app


def _missing_path(item: DesiredObject, error: SynclineError) -> str:
    """Return the path of an Application where that is what is not there."""
    spec = item.obj.get("spec") or {}
    paths = [str(one.get("path") or "") for one in spec.get("sources") or [spec.get("source") or {}]]
    return next((path for path in paths if path and error.what == f"{path}: app path does not exist"), "")
