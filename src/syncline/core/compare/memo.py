"""Rows remembered from the last comparison of an Application, so that what did not change is not compared again.

Kept by the caller, one for each Application, and handed to `syncline.core.compare.compare`. A row stands for an
object's cluster, uid and resourceVersion, its desired object and place, and everything else that comparing depends on;
desired objects are told apart by identity first and by digest only where that fails. Objects that are of no cluster are
never remembered, nor are rows with a message: what they tell of (a script that failed, a refused dry run) may pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec
import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare.context import Context, NodeFor
from syncline.core.compare.prepare import Prepared
from syncline.model.comparison import ComparedObject, Comparison
from syncline.model.settings import settings

Compare = Callable[[Prepared, Object | None, Context], ComparedObject]


class _Kept:
    __slots__ = ("_digest", "item", "row", "synced_before", "uid", "version")

    def __init__(self, item: Prepared, uid: str, version: str, row: ComparedObject, *, synced_before: bool) -> None:
        self.item = item
        self.synced_before = synced_before
        self.uid = uid
        self.version = version
        self.row = row
        self._digest = b""

    def is_of(self, live: Object) -> bool:
        """Whether this is the row of the object as it is now."""
        metadata = live["metadata"]
        return bool(metadata.get("resourceVersion") == self.version and metadata.get("uid") == self.uid)

    def stands_for(self, item: Prepared, live: Object, context: Context) -> bool:
        # Whether there was a sync before says who is to blame for a difference; without one it says nothing.
        if self.synced_before != context.synced_before and self.row.differences:
            return False
        if not self.is_of(live):
            return False
        return item is self.item or self._says_the_same(item)

    def _says_the_same(self, item: Prepared) -> bool:
        if item.origin != self.item.origin or item.wave != self.item.wave:
            return False
        if not self._digest:
            self._digest = _digest(self.item.obj)
        return _digest(item.obj) == self._digest


def _digest(obj: Object) -> bytes:
    return hashlib.sha256(orjson.dumps(obj, option=orjson.OPT_SORT_KEYS)).digest()


class ComparisonMemo:
    """The rows of the last comparison. Belongs to one Application and one caller at a time."""

    __slots__ = ("_by_key", "_context", "_node_for", "_order", "_whole", "hits")

    def __init__(self) -> None:
        self._order: list[_Kept | None] = []
        self._by_key: dict[ObjectKey, _Kept] = {}
        self._context = b""
        self._node_for: NodeFor | None = None
        self._whole: tuple[object, Comparison] | None = None
        self.hits = 0
        """How many rows the last comparison took from here."""

    def rows(
        self, items: Sequence[Prepared], live: Mapping[ObjectKey, Object], context: Context, compare: Compare
    ) -> list[ComparedObject]:
        """Return the rows of all objects, comparing those that changed."""
        self._start(context)
        before = self._order if len(self._order) == len(items) else [None] * len(items)
        order: list[_Kept | None] = []
        rows: list[ComparedObject] = []
        for kept, item in zip(before, items, strict=True):
            present = live.get(item.key)
            if kept is None or kept.item is not item or (present is not None and not kept.is_of(present)):
                kept = self._by_key.get(item.key)
            if present is None or kept is None or not kept.stands_for(item, present, context):
                row = compare(item, present, context)
                kept = _kept(item, present, row, context) if item.key not in context.predicted else None
            elif context.predicted and item.key in context.predicted:
                row = compare(item, present, context)
            else:
                row = kept.row
                self.hits += 1
            rows.append(row)
            order.append(kept)
        if self.hits != len(items) or len(self._by_key) != len(items):
            self._by_key = {kept.item.key: kept for kept in order if kept is not None}
        self._order = order
        return rows

    def keep(self, pairs: Iterable[tuple[Prepared, Object]], context: Context, compare: Compare) -> None:
        """Compare some objects ahead of time, if the context is still that of the last comparison."""
        if not self._is_for(context, _context_digest(context)):
            return
        for item, live in pairs:
            if item.key not in context.predicted and (kept := _kept(item, live, compare(item, live, context), context)):
                self._by_key[item.key] = kept

    def _start(self, context: Context) -> None:
        """Forget everything if anything but the objects changed."""
        digest = _context_digest(context)
        if not self._is_for(context, digest):
            self._order, self._by_key = [], {}
        self._context, self._node_for, self.hits = digest, context.node_for, 0

    def _is_for(self, context: Context, digest: bytes) -> bool:
        return digest == self._context and (bool(context.schemas) or context.node_for is self._node_for)

    def changed(
        self, items: Iterable[Prepared], live: Mapping[ObjectKey, Object], context: Context
    ) -> Iterator[tuple[Prepared, Object]]:
        """Yield the objects that are live and would have to be compared, with their live side."""
        usable = self._is_for(context, _context_digest(context))
        for item in items:
            present = live.get(item.key)
            if present is None:
                continue
            kept = self._by_key.get(item.key) if usable and item.key not in context.predicted else None
            if kept is None or not kept.stands_for(item, present, context):
                yield item, present

    def unmatched(self, owned: frozenset[ObjectKey]) -> frozenset[ObjectKey]:
        """Return the keys of which there is no remembered row; sets and dicts know the hashes of their keys."""
        return owned.difference(self._by_key)

    def whole(self, parts: object) -> Comparison | None:
        """Return the last comparison where it was put together from the same parts: sorting takes longest."""
        return self._whole[1] if self._whole is not None and self._whole[0] == parts else None

    def keep_whole(self, parts: object, comparison: Comparison) -> None:
        """Remember a comparison and what it was put together from."""
        self._whole = parts, comparison


def _kept(item: Prepared, live: Object | None, row: ComparedObject, context: Context) -> _Kept | None:
    metadata = meta.metadata(live)
    uid, version = metadata.get("uid"), metadata.get("resourceVersion")
    if not context.cluster or not uid or not version or row.message:
        return None
    return _Kept(item, uid, version, row, synced_before=context.synced_before)


def _context_digest(context: Context) -> bytes:
    parts = (
        settings.digest(context.settings),
        context.rules.all,
        context.rules.expired,
        context.migration_managers,
        context.compare_options,
        context.sync_options,
        context.strategy,
        context.explain,
        context.schemas,
        context.cluster,
    )
    return hashlib.sha256(msgspec.json.encode(parts)).digest()
