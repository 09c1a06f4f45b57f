"""Describes the commits that triggers and templates ask about, and remembers the last of them.

Used by `syncline.controller.notify.applications`: whatever asks for a commit that is not known is run again with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from syncline.apimachinery import times as kube_times
from syncline.apimachinery.keys import Object
from syncline.core.appset.functions.times import ZERO, GoTime
from syncline.core.appset.gotemplate.values import Strings
from syncline.core.notify.errors import CommitUnknown
from syncline.core.notify.variables import Commits
from syncline.model.errors import SourceError
from syncline.ports.source import Source

T = TypeVar("T")
_SECONDS = 30.0
_MOST = 5
"""Commits that one Application may ask about in a pass."""
_KEPT = 500


class KnownCommits:
    """Commits by repository and SHA."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[tuple[str, str], dict[str, Any] | None] = {}

    async def with_commits(self, app: Object, work: Callable[[Commits], T]) -> T:
        """Return what the work gives, with all commits that it asks about described."""
        url = _repository(app)
        commits: dict[str, dict[str, Any] | None] = {}
        while True:
            try:
                return work(commits)
            except CommitUnknown as asked:
                known = len(commits) < _MOST and bool(url)
                commits[asked.sha] = await self._described(url, asked.sha) if known else None

    async def _described(self, url: str, sha: str) -> dict[str, Any] | None:
        if (url, sha) not in self._known:
            try:
                async with asyncio.timeout(_SECONDS):
                    note = await self._source.describe(url, sha)
            except (SourceError, TimeoutError):
                return None
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[url, sha] = None if note is None else {
                "Message": note.message,
                "Author": note.author,
                "Date": _date(note.date),
                "Tags": Strings(),
            }  # fmt: skip
        return self._known[url, sha]


def _repository(app: Object) -> str:
    spec = app.get("spec") or {}
    source = spec.get("source") or next(iter(spec.get("sources") or ()), None) or {}
    return str(source.get("repoURL") or "")


def _date(text: str) -> GoTime:
    try:
        return GoTime(kube_times.parse(text))
    except ValueError:
        return GoTime(ZERO)
