"""Remembers what scripts returned, so that an unchanged object is not asked about twice.

Used by `syncline.adapters.scripts.evaluator`. An object is told by the version its script came with, which names its
cluster too, and without one by a digest of its content: what a file says of uid and resourceVersion proves nothing.
Scripts that can see the clock or draw lots are never remembered, nor are actions, which are run to have an effect.
Results are kept encoded: every caller gets a value of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict

import orjson

from syncline.model.script import Evaluated, Script, ScriptKind

_MAX_BYTES = 64 * 1024 * 1024
_ENTRY_BYTES = 200
_LUA = re.compile(r"\b(?:os|random|_G|_ENV|package|require|load|loadstring)\b")
"""The clock and chance, and the ways to get at either by another name."""
_CHANGES_BY_ITSELF = {
    ScriptKind.HEALTH: _LUA,
    ScriptKind.DISCOVERY: _LUA,
    ScriptKind.DELETE: re.compile(r"\bnow\b|time"),
}


def key_of(script: Script) -> bytes | None:
    """Return what the result depends on, as a digest; None where it may not be remembered."""
    changing = _CHANGES_BY_ITSELF.get(script.kind)
    if changing is None or changing.search(script.text):
        return None
    try:
        return hashlib.blake2b(
            orjson.dumps(
                [script.kind, script.text, script.open_libraries, script.parameters, script.version or script.obj]
            ),
            digest_size=24,
        ).digest()
    except TypeError:
        return None


class ScriptMemo:
    """The results used last, up to a number of bytes."""

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[bytes, tuple[bytes, str]] = OrderedDict()

    def get(self, key: bytes) -> Evaluated | None:
        """Return the result remembered for a key."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return Evaluated(value=orjson.loads(entry[0]), error=entry[1])

    def put(self, key: bytes, evaluated: Evaluated) -> None:
        """Remember a result, and forget the one unused for longest when there are too many."""
        if key in self._entries:
            return
        entry = (orjson.dumps(evaluated.value), evaluated.error)
        self._entries[key] = entry
        self._bytes += _size(entry)
        while self._bytes > self._max_bytes:
            self._bytes -= _size(self._entries.popitem(last=False)[1])


def _size(entry: tuple[bytes, str]) -> int:
    return _ENTRY_BYTES + len(entry[0]) + len(entry[1])
