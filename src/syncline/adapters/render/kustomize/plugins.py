"""Settles what the plug-ins of kustomizations will run, and has it judged before kustomize runs it.

Called by `syncline.adapters.render.kustomize.build` when all files of a render are on disk. An entry of `generators`,
`transformers` or `validators` is a file, a text, or a folder that is a kustomization itself: patches and charts in
there may change settings that look harmless. So such a folder is built first, from the inside out, and what came out
is put in its place: kustomize then runs exactly what was judged.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from syncline.adapters.render.kustomize import references, settings
from syncline.adapters.render.tools import KUSTOMIZATIONS
from syncline.adapters.render.workspace import Workspace, in_thread
from syncline.apimachinery import yaml
from syncline.model.errors import Place, RenderError, SourceError
from syncline.ports.source import Tree

_BASES = ("resources", "bases", "components")
_PLAIN_NAME = re.compile(r"[\w./ @+=~-]*")
_NOT_PRINTED = b"config.kubernetes.io/local-config"
"""What kustomize leaves out of what it prints, but not out of settings."""
Build = Callable[[str], Awaitable[bytes]]
"""Builds a folder of the workspace."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of a field of a kustomization."""

    file: str
    field: str
    text: str

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.file)


@dataclass(slots=True)
class Settled:
    """The kustomizations of one render, each settled once; `names` are the files made here and what they stand for."""

    tree: Tree
    space: Workspace
    build: Build
    helm: bool
    beside: bool
    """Whether kustomize reads files beside the folder of their kustomization."""
    names: dict[str, str] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)
    _open: list[tuple[str, bool]] = field(default_factory=list)
    """The folders on the way to the one at hand, and whether each is there for its settings."""

    async def settle(self, folder: str, *, for_settings: bool = False) -> None:
        """Settle a kustomization and all it stands on; raises `RenderError` for what must not be run."""
        way = [name for name, _for_settings in self._open]
        if folder in way:
            passed = self._open[way.index(folder) + 1 :]
            if for_settings or any(through for _name, through in passed):
                raise RenderError(f"cycle detected: the plug-ins of {folder!r} stand on itself", place=Place(folder))
            return  # Kustomize has its own words for this.
        if folder in self._done:
            return
        self._open.append((folder, for_settings))
        await self._settle(folder)
        self._open.pop()
        self._done.add(folder)

    async def _settle(self, folder: str) -> None:
        found = await in_thread(lambda: self._read(folder))
        if found is None:
            return
        file, kustomization = found
        for text in _texts(kustomization, _BASES):
            path = references.local_path(folder, text)
            if path is not None and self._is_folder(path):
                await self.settle(path)
        changed = dict(kustomization)
        if self.helm:
            self._check_charts(file, kustomization)
            changed = settings.charts_without_repositories(changed)
        for name, entries in kustomization.items():
            if str(name).casefold() in settings.PLUGIN_FIELDS and isinstance(entries, list):
                changed[name] = [
                    await self._settled(_Entry(file, name, entry)) if isinstance(entry, str) else entry
                    for entry in entries
                ]
        if changed != kustomization:
            await in_thread(lambda: self.space.replace(file, yaml.dump(changed).encode()))

    async def _settled(self, entry: _Entry) -> str:
        """Return a file that holds what an entry stands for, judged; or the entry itself, for kustomize to refuse."""
        path = references.local_path(entry.folder, entry.text)
        if path is not None and self._is_folder(path):
            await self.settle(path, for_settings=True)
            await in_thread(lambda: self._refuse_unprinted(entry, path))
            return await self._judged(entry, await self.build(path), path, self._place(entry))
        if path is not None and path in self.space.written:
            below = not entry.folder or path.startswith(f"{entry.folder}/")
            if not below and not self.beside:
                return entry.text
            return await self._judged(entry, await in_thread(lambda: self.space.read(path)), path, None)
        if _PLAIN_NAME.fullmatch(entry.text):
            return entry.text
        return await self._judged(entry, entry.text.encode(), entry.file, self._place(entry))

    async def _judged(self, entry: _Entry, text: bytes, shown: str, place: Place | None) -> str:
        """Judge the settings in a text and lay them down beside their kustomization."""
        documents = self._documents(text, shown, place)
        for document in documents:
            where = _places(document, shown) if place is None else (lambda _steps, at=place: at)
            settings.check(document.value, entry.folder, where)
            for steps, chart in settings.charts(document.value):
                self._refuse_missing(chart, entry.folder, "charts", where(steps))
        values = [settings.without_repositories(document.value) for document in documents]
        name = self._free_name(entry.folder)
        content = "---\n".join(map(yaml.dump, values)).encode()
        await in_thread(lambda: self.space.replace(posixpath.join(entry.folder, name), content))
        self.names[posixpath.join(entry.folder, name)] = shown
        return name

    def _documents(self, text: bytes, shown: str, place: Place | None) -> list[yaml.Document]:
        try:
            documents = yaml.load_documents(text, source=shown)
        except yaml.YamlError as error:
            at = place or Place(shown, error.line, error.column)
            raise RenderError(f"invalid settings of a plug-in: {error.message}", place=at) from None
        if not all(isinstance(document.value, dict) for document in documents):
            what = "invalid settings of a plug-in: they have to be maps"
            raise RenderError(what, place=place or Place(shown), hint="or the name of a file that is there")
        return documents

    def _check_charts(self, file: str, kustomization: dict[str, Any]) -> None:
        home, charts = settings.kustomization_charts(kustomization)
        for chart in charts:
            self._refuse_missing(chart, posixpath.dirname(file), home, self._chart_place(file, chart))

    def _chart_place(self, file: str, chart: dict[str, Any]) -> Place:
        """Return where a kustomization of the repository names a chart; of one that was fetched only the file."""
        try:
            document = yaml.load_documents(self.tree.read(file), source=file)[0]
        except (SourceError, yaml.YamlError, IndexError):
            return Place(file)
        charts = document.value.get("helmCharts") if isinstance(document.value, dict) else None
        for index, one in enumerate(charts if isinstance(charts, list) else ()):
            if isinstance(one, dict) and one.get("name") == chart.get("name"):
                return Place(file, document.position_or_parent(("helmCharts", index)).line)
        return Place(file)

    def _refuse_missing(self, chart: dict[str, Any], folder: str, home: str, place: Place) -> None:
        if self.helm and (missing := settings.missing_chart(chart, folder, home, self._is_folder)):
            what = f"chart {missing} is not fetched: kustomize has no network here"
            raise RenderError(what, place=place, hint=f"commit it to the folder {home}")

    def _refuse_unprinted(self, entry: _Entry, folder: str) -> None:
        for path in sorted(self.space.written):
            if path.startswith(f"{folder}/") and _NOT_PRINTED in self.space.read(path):
                what = f"{_NOT_PRINTED.decode()} is not supported in settings of a plug-in that are in a folder"
                raise RenderError(f"{path}: {what}", place=self._place(entry), hint="name the file itself")

    def _place(self, entry: _Entry) -> Place:
        """Return where an entry stands in the repository; the file on disk may have been rewritten."""
        try:
            documents = yaml.load_documents(self.tree.read(entry.file), source=entry.file)
        except (SourceError, yaml.YamlError):
            return Place(entry.file)
        for document in documents:
            entries = document.value.get(entry.field) if isinstance(document.value, dict) else None
            if isinstance(entries, list) and entry.text in entries:
                steps = (entry.field, entries.index(entry.text))
                return Place(entry.file, document.position_or_parent(steps).line)
        return Place(entry.file)

    def _read(self, folder: str) -> tuple[str, dict[str, Any]] | None:
        """Return the kustomization of a folder as it is on disk now."""
        for name in KUSTOMIZATIONS:
            file = posixpath.join(folder, name)
            if file in self.space.written:
                value = yaml.load(self.space.read(file), source=file)
                return (file, value) if isinstance(value, dict) else None
        return None

    def _is_folder(self, path: str) -> bool:
        return self.space.has_folder(path)

    def _free_name(self, folder: str) -> str:
        number = len(self.names)
        while (name := f"syncline-plugin-{number}.yaml") and posixpath.join(folder, name) in self.space.written:
            number += 1
        return name


def _places(document: yaml.Document, file: str) -> Callable[[yaml.Path], Place]:
    return lambda steps: Place(file, document.position_or_parent(steps).line)


def _texts(kustomization: dict[str, Any], fields: tuple[str, ...]) -> Iterator[str]:
    for name, entries in kustomization.items():
        if str(name).casefold() in fields and isinstance(entries, list):
            yield from (entry for entry in entries if isinstance(entry, str))
