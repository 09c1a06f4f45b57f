"""Provides chart dependencies that are not vendored in charts/: those of the same repository, and those that may be
fetched.

Called by `syncline.adapters.render.helm.chart` once, after helm has said which ones it misses. Charts named by `file://`
are copied into the private tree. `helm dependency build` packs them where there are no others: it goes after all that
is declared, also what is in charts/ already. Else they are laid unpacked into charts/, as are charts of other
repositories, in the version that Chart.lock names. What cannot be fetched is named, with what to do.
"""

from __future__ import annotations

import functools
import posixpath
from dataclasses import dataclass
from typing import Any

from syncline.adapters.render.remote import RemoteSources, fetched_chart
from syncline.adapters.render.workspace import Workspace, in_thread
from syncline.apimachinery import yaml
from syncline.model.desired import Fetched, Input
from syncline.model.errors import Place, RenderError, SourceError
from syncline.ports.render import RenderRequest
from syncline.ports.source import ChartRequest, Tree

BUILD = ("dependency", "build", "--skip-refresh", "--", ".")
_LOCAL = "file://"


@dataclass(frozen=True, slots=True)
class _Declared:
    """One entry of `dependencies`, in the version that the lock file has."""

    name: str
    repository: str
    version: str


@dataclass(frozen=True, slots=True)
class Provided:
    """What was copied or fetched; `build` says that helm has to pack charts of the same repository."""

    inputs: tuple[Input, ...] = ()
    fetched: tuple[Fetched, ...] = ()
    build: bool = False


class Provider:
    """Finds the missing dependencies of one chart."""

    def __init__(self, folder: str, tree: Tree, space: Workspace) -> None:
        self._folder = folder
        self._tree = tree
        self._space = space
        self._file, self._declared = _declared(folder, tree)
        self._inputs: list[Input] = []
        self._fetched: list[Fetched] = []

    async def provide(self, missing: list[str], request: RenderRequest, remote: RemoteSources) -> Provided:
        """Copy or fetch charts; raises `RenderError` where one cannot be fetched."""
        found = [self._declared.get(name, _Declared(name, "", "")) for name in missing]
        local = [one for one in found if one.repository.startswith(_LOCAL)]
        elsewhere = [one for one in found if one not in local]
        refused: list[str] = []
        silent: list[Fetched] = []
        places: list[Place] = []
        for one in elsewhere:
            try:
                tree = await self._fetch(one, request, remote)
                await in_thread(functools.partial(self._space.put_tree, tree, self._place(one)))
            except (RenderError, SourceError) as error:
                named = f"{one.name} {one.version}".strip() + (f" from {one.repository}" if one.repository else "")
                refused.append(f"{named}: {error.what}" if one.repository else named)
                places.append(self._line(one))
                silent += [Fetched(one.repository, one.version, "", one.name)] if isinstance(error, SourceError) else []
        if refused:
            hint = "commit them to charts/ with `helm dependency build`, or permit their repository in the project"
            what = f"chart dependencies are missing: {'; '.join(refused)}"
            raise RenderError(what, place=places[0], hint=hint, fetched=(*self._fetched, *silent))
        whole = _all_of(self._folder, self._tree)
        build = bool(local) and all(one.repository.startswith(_LOCAL) for one in whole)
        for one in whole if build else local:
            await in_thread(functools.partial(self._copy, one, as_chart=not build))
        return Provided(tuple(self._inputs), tuple(self._fetched), build=build)

    async def _fetch(self, one: _Declared, request: RenderRequest, remote: RemoteSources) -> Tree:
        if not one.repository or one.repository.startswith(("@", "alias:")):
            raise RenderError("it has no repository URL")
        asked = ChartRequest(one.repository, one.name, one.version, request.project)
        tree = await remote.chart(request, asked)
        self._fetched += fetched_chart(asked, tree)
        return tree

    def _line(self, one: _Declared) -> Place:
        """Return where a dependency is declared; it may be declared in a lock file alone."""
        try:
            documents = yaml.load_documents(self._tree.read(self._file), source=self._file)
        except (SourceError, yaml.YamlError):
            return Place(self._file)
        for index, entry in enumerate(_entries(self._file, self._tree) or ()):
            if entry.get("name") == one.name and documents:
                return Place(self._file, documents[0].position_or_parent(("dependencies", index)).line)
        return Place(self._file, 1)

    def _place(self, one: _Declared) -> str:
        if not one.name or "/" in one.name or one.name in (".", ".."):
            raise RenderError(f"invalid dependency name {one.name[:80]!r}", place=self._line(one))
        return posixpath.join(self._folder, "charts", one.name)

    def _copy(self, one: _Declared, *, as_chart: bool) -> None:
        path = posixpath.normpath(posixpath.join(self._folder, one.repository.removeprefix(_LOCAL)))
        if one.repository.startswith(f"{_LOCAL}/") or path.startswith("../") or path == "..":
            what = f"chart dependency {one.name!r} resolved to outside repository root"
            hint = f"repository: {one.repository}; name a folder of the same repository"
            raise RenderError(what, place=self._line(one), hint=hint)
        path = "" if path == "." else path
        try:
            if as_chart:
                self._space.put_tree(self._tree.below(path), self._place(one), below=path)
            else:
                self._space.put_folder(self._tree, path)
        except SourceError as error:
            what = f"chart dependency {one.name!r}: {error.what}"
            hint = error.hint or f"repository: {one.repository}"
            raise RenderError(what, place=self._line(one), hint=hint) from None
        self._inputs.append(Input(path, self._tree.digest_of(path)))


def _all_of(folder: str, tree: Tree) -> tuple[_Declared, ...]:
    """Return whatever helm might take for a dependency of a chart."""
    found: dict[_Declared, None] = {}
    for name in ("Chart.yaml", "Chart.lock", "requirements.yaml", "requirements.lock"):
        for entry in _entries(posixpath.join(folder, name), tree) or ():
            found[_Declared(str(entry.get("name")), str(entry.get("repository") or ""), "")] = None
    return tuple(found)


def _declared(folder: str, tree: Tree) -> tuple[str, dict[str, _Declared]]:
    """Return the file that declares dependencies, and each by its name."""
    for name, lock in (("requirements.yaml", "requirements.lock"), ("Chart.yaml", "Chart.lock")):
        file = posixpath.join(folder, name)
        entries = _entries(file, tree)
        if entries is None:
            continue
        locked = {entry.get("name"): entry for entry in _entries(posixpath.join(folder, lock), tree) or ()}
        found = {}
        for entry in entries:
            chosen = {**entry, **locked.get(entry.get("name"), {})}
            repository, version = str(chosen.get("repository") or ""), str(chosen.get("version") or "")
            found[str(entry.get("name"))] = _Declared(str(entry.get("name")), repository, version)
        return file, found
    return posixpath.join(folder, "Chart.yaml"), {}


def _entries(file: str, tree: Tree) -> list[dict[str, Any]] | None:
    try:
        content: Any = yaml.load(tree.read(file), source=file)
    except (SourceError, yaml.YamlError):
        return None
    entries = content.get("dependencies") if isinstance(content, dict) else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else None
