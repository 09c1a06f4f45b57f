"""Builds the readers of Git, charts and images, and what renders files into objects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from syncline.model.settings.parts import ToolSettings
from syncline.model.settings.settings import Settings
from syncline.wiring.local_servers import reach
from syncline.wiring.machine import clock, usable_cache_folder
from syncline.wiring.repositories import repositories

if TYPE_CHECKING:
    from syncline.adapters.asked_once import SilentServers
    from syncline.adapters.charts.source import ChartSource
    from syncline.adapters.git.trust import TrustReader
    from syncline.adapters.render.found import FoundVersions
    from syncline.adapters.render.known_files import FileMemory, KnownFiles
    from syncline.adapters.render.renderer import ToolRenderer
    from syncline.controller.sources.render_stores import RenderStore
    from syncline.controller.sources.renders import RenderCache
    from syncline.model.sources.access import SourceAccess
    from syncline.model.sources.repository import Repository
    from syncline.ports.folders import Listing
    from syncline.ports.images import Images
    from syncline.ports.render import Explainer
    from syncline.ports.source import Charts, Checkable, FullSource, Source, Tree
    from syncline.ports.store import Store

_MAX_RENDER_BYTES = 500_000_000
_MAX_SILENT_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class RenderTools:
    """What a command renders with, away from any controller; `folders` are read in place of addresses.

    `look` is what all Applications of one look at a checkout share of its files.
    """

    source: Source
    charts: Charts | None
    renders: RenderCache
    explainer: Explainer
    folders: Mapping[str, str]
    look: FolderLook | None = None
    build_options: str = ""

    def folder_of(self, repo_url: str) -> str:
        """Return the folder whose files, committed or not, stand for a repository; empty where none does."""
        from syncline.model.sources.repository_urls import mirror

        return mirror(self.folders, repo_url)

    def tree(self, path: str, below: str = "") -> Tree:
        """Return a folder of this machine as a tree of files."""
        return folder(path, below) if self.look is None else self.look.tree(path, below)


class FolderLook:
    """The folders that one look at a checkout reads, each file of them looked up once; `memory` is for later ones."""

    def __init__(self, memory: FileMemory) -> None:
        self._memory = memory
        self._known: dict[str, KnownFiles] = {}

    def tree(self, path: str, below: str = "") -> Tree:
        """Return a folder of this machine as a tree of files."""
        from syncline.adapters.render.folder import FolderTree

        return FolderTree(path, below, known=self._of(path))

    def walk(self, path: str, enters: Callable[[Listing, str], bool]) -> Iterator[tuple[str, Listing]]:
        """Yield the folders below one, in order, each by its path from there.

        `enters` says whether a folder is looked into, by what lies beside it and its name.
        """
        known, waiting = self._of(path), [""]
        while waiting:
            below = waiting.pop()
            try:
                found = known.listing(below)
            except OSError:
                continue
            yield below, found
            kept = [name for name in reversed(found.folders) if enters(found, name)]
            waiting += [f"{below}/{name}" if below else name for name in kept]

    def _of(self, path: str) -> KnownFiles:
        from syncline.adapters.render.known_files import KnownFiles

        known = self._known.get(path)
        if known is None:
            known = self._known[path] = KnownFiles(os.path.realpath(path), self._memory)
        return known


class FolderLooks:
    """Looks at folders one after the other: what has not changed since the last one is not read again.

    Of folders that lie `still` even what was written a moment ago is as it was.
    """

    def __init__(self, *, still: bool = False) -> None:
        from syncline.adapters.render.known_files import FileMemory

        self._memory = FileMemory()
        self._still = still

    def begin(self) -> FolderLook:
        """Return the next look."""
        if not self._still:
            self._memory.begin()
        return FolderLook(self._memory)


def tools(
    repos: Sequence[str] = (),
    *,
    local: bool = False,
    access: SourceAccess | None = None,
    build_options: str = "",
    kept: Mapping[str, str] | None = None,
    offline: bool = False,
    memory: RenderStore | None = None,
    look: FolderLook | None = None,
) -> RenderTools:
    """Return what a command renders with; `repos` are `URL=PATH`, `kept` is the mapping of the sandbox that is asked.

    Without `access` everything is read as anybody could. `build_options` are those of kustomize, as operators set them.
    With `offline` nobody is contacted. `memory` keeps renders for others that are made later in this process.
    """
    from syncline.adapters import asked_once
    from syncline.adapters.git.source import GitSource
    from syncline.controller.sources.render_stores import StoredRenders
    from syncline.controller.sources.renders import RenderCache
    from syncline.model.sources import repository_urls

    mirrors = repositories(repos, kept=kept)
    git = GitSource(str(usable_cache_folder() / "git"), local_folders=["/"], mirrors=mirrors, reach=reach())
    folders = repository_urls.mirrors(mirrors) if local else {}
    fetched = charts()
    if access is not None:
        git.use(access)
        fetched.use(access)
    # With logins that may change at any time nothing is remembered from one run to the next.
    silent = asked_once.SilentServers(_silent_store() if access is None else None, clock())
    if offline:
        silent = asked_once.NobodyAsked(clock())
    source = asked_once.SourceAskedOnce(git, silent, lambda url: _is_elsewhere(url, mirrors))
    chart_source = asked_once.ChartsAskedOnce(fetched, silent)
    settings = Settings(tools=ToolSettings(kustomize_build_options=build_options))
    tool = renderer(source, chart_source, settings, silent=silent)
    # A command ends before anybody installs another helm.
    lasting = StoredRenders(render_store())
    renders = RenderCache(tool, memory=memory, lasting=lasting, fingerprint=tool.fingerprint)
    return RenderTools(source, chart_source, renders, tool, folders, look, build_options)


def folder(path: str, below: str = "") -> Tree:
    """Return a folder of this machine as a tree of files."""
    from syncline.adapters.render.folder import FolderTree

    return FolderTree(path, below)


def charts(*, for_others: bool = False) -> ChartSource:
    """Return the reader of Helm repositories and registries."""
    from syncline.adapters.charts.source import ChartSource

    return ChartSource(str(usable_cache_folder() / "charts"), reach=reach(for_others=for_others))


def checker(repository: Repository, access: SourceAccess, *, for_others: bool = False) -> Checkable:
    """Return what can tell whether a repository can be read with what an installation has.

    For others it reads nothing of this machine and asks no server on it.
    """
    from syncline.adapters.charts.source import ChartSource
    from syncline.adapters.git.source import GitSource

    registry = repository.kind in ("helm", "oci") or repository.way.oci or repository.url.startswith("oci://")
    folder = str(usable_cache_folder() / ("charts" if registry else "git"))
    permitted = reach(for_others=for_others)
    local = () if for_others else ("/",)
    reader = (
        ChartSource(folder, reach=permitted) if registry else GitSource(folder, local_folders=local, reach=permitted)
    )
    reader.use(access)
    return reader


def trust() -> TrustReader:
    """Return the reader of certificates, host keys and signing keys that people hand in."""
    from syncline.adapters.git.trust import TrustReader

    return TrustReader()


def images(*, on: bool) -> Images:
    """Return what looks images up in their registries; switched off it asks nobody."""
    from syncline.adapters.images.lookup import RegistryImages

    return RegistryImages(on=on, reach=reach())


def renderer(
    git: Source | None = None,
    fetched: Charts | None = None,
    settings: Settings | None = None,
    *,
    for_others: bool = False,
    silent: SilentServers | None = None,
) -> ToolRenderer:
    """Return what turns files into objects: tools as pinned in syncline.toml, plugins of the operator's folder."""
    from syncline.adapters.asked_once import FilesAskedOnce
    from syncline.adapters.render import pins
    from syncline.adapters.render.means import RenderMeans
    from syncline.adapters.render.plugins import specs as plugin_specs
    from syncline.adapters.render.plugins.run import Plugins
    from syncline.adapters.render.programs import Programs
    from syncline.adapters.render.remote import Files, RemoteSources
    from syncline.adapters.render.remote_files import RemoteFiles
    from syncline.adapters.render.renderer import ToolRenderer

    wanted = pins.PinFile(os.environ.get("SYNCLINE_CONFIG") or "syncline.toml")
    plugins = plugin_specs.read(os.environ.get("SYNCLINE_PLUGINS") or "/etc/syncline/plugins")
    files: Files = RemoteFiles(reach(for_others=for_others))
    if silent is not None:
        files = FilesAskedOnce(files, silent)
    means = RenderMeans(remote=RemoteSources(fetched, git, files), plugins=Plugins(plugins))
    made = ToolRenderer(Programs(pins=wanted, known=found_versions()), means)
    made.adjust(settings or Settings())
    return made


def found_versions() -> FoundVersions:
    """Return what programs said of their versions, on this machine, since they were installed."""
    from syncline.adapters.render.found import FoundVersions

    return FoundVersions(usable_cache_folder() / "programs.json")


def render_store() -> Store:
    """Return where renders are kept between runs, by all processes of this machine together."""
    from syncline.adapters.store import FileStore

    return FileStore(str(usable_cache_folder() / "renders"), max_bytes=_MAX_RENDER_BYTES)


def _is_elsewhere(repo_url: str, mirrors: Mapping[str, str]) -> bool:
    """Whether a repository is on another machine, and not one whose checkout is read in its place."""
    from syncline.model.sources import repository_urls

    local = repo_url.startswith(("/", ".", "file:"))
    return not local and not repository_urls.mirror(repository_urls.mirrors(mirrors), repo_url)


def _silent_store() -> Store:
    from syncline.adapters.store import FileStore

    return FileStore(str(usable_cache_folder() / "silent"), max_bytes=_MAX_SILENT_BYTES)


def source(local_folders: Sequence[str] = (), *, for_others: bool = False) -> FullSource:
    """Return the reader of Git repositories; those on this machine only below `local_folders`."""
    from syncline.adapters.git.source import GitSource

    folder = str(usable_cache_folder() / "git")
    return GitSource(folder, local_folders=local_folders, reach=reach(for_others=for_others))
