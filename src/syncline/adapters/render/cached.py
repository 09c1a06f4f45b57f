"""Keeps renders on disk by what went into them: `syncline.ports.render.Renderer` around another one.

Built by `syncline.wiring` over a `syncline.ports.store.Store`, which may be shared by processes and lost at any time.
A render is found by its request and the programs in use, and used when every file and folder it has read is as it
was, in whatever commit, and branches and ranges of versions by which it fetched more still lead to the same. Renders
that come out differently each time, or that left something out, are not kept. What is kept is bounded by the store;
what cannot be read is made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.adapters.render.renderer import ToolRenderer
from syncline.model.desired import ChartValues, Desired
from syncline.model.settings.settings import Settings
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree
from syncline.ports.store import Store

_FORMAT = "3"
_KEPT_EACH = 3
_MAX_BYTES = 20_000_000
_PLAIN = ("Directory",)


class _Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    kube_version: str
    api_versions: tuple[str, ...]
    desired: Desired


class CachedRenderer:
    """A renderer that looks on disk first."""

    def __init__(self, inner: ToolRenderer, store: Store) -> None:
        self._inner = inner
        self._store = store

    @property
    def fingerprint(self) -> str:
        """Which programs are in use."""
        return self._inner.fingerprint

    def use(self, settings: Settings) -> None:
        """Go on under other settings of the operator."""
        self._inner.use(settings)

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        """Render one source of one Application, unless that was done before."""
        key = self._key(request)
        entries = [] if request.fresh else await self._read(key)
        for entry in entries:
            if not _fits(entry, request) or not _unchanged(entry.desired, tree, refs or {}):
                continue
            if await self._inner.is_current(request, entry.desired):
                return entry.desired.at(tree.revision)
        desired = await self._inner.render(request, tree, refs)
        if desired.inputs and desired.steady:
            entry = _Entry(request.kube_version, request.api_versions, desired)
            await self._write(key, [entry, *entries][:_KEPT_EACH])
        return desired

    async def chart_values(
        self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None
    ) -> ChartValues | None:
        """Ask the chart, always anew."""
        return await self._inner.chart_values(request, tree, refs)

    async def with_values(
        self, request: RenderRequest, tree: Tree, values: Mapping[str, Any], refs: Mapping[str, Tree] | None = None
    ) -> Desired:
        """Render a chart with other values, always anew."""
        return await self._inner.with_values(request, tree, values, refs)

    def _key(self, request: RenderRequest) -> str:
        asked = msgspec.structs.replace(request, kube_version="", api_versions=(), fresh=False)
        content = msgspec.json.encode((_FORMAT, self.fingerprint, asked))
        return f"render {hashlib.sha256(content).hexdigest()}"

    async def _read(self, key: str) -> list[_Entry]:
        found = await self._store.get(key)
        if found is None:
            return []
        try:
            return msgspec.json.decode(found, type=list[_Entry])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return []

    async def _write(self, key: str, entries: list[_Entry]) -> None:
        content = msgspec.json.encode(entries)
        if len(content) > _MAX_BYTES:
            return
        try:
            await self._store.put(key, content)
        except OSError:
            # A full or missing disk costs time, nothing else.
            return


def _fits(entry: _Entry, request: RenderRequest) -> bool:
    if entry.desired.source_types == _PLAIN:
        return True
    return (entry.kube_version, entry.api_versions) == (request.kube_version, request.api_versions)


def _unchanged(desired: Desired, tree: Tree, refs: Mapping[str, Tree]) -> bool:
    for entry in desired.inputs:
        read = refs.get(entry.ref) if entry.ref else tree
        if read is None or read.digest_of(entry.path) != entry.digest:
            return False
    return bool(desired.inputs)
