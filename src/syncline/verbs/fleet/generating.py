"""Asks ApplicationSets of a fleet what they generate now, as far as their generators can be asked here.

Called by `syncline.verbs.fleet.rendering`. A set that asks for clusters, tokens or a repository that is not on this
machine is left out: then nobody knows what it generates, and no app is told to be left over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from syncline.apimachinery.keys import Object, key_of
from syncline.controller.appsets.answering import Answering, answered
from syncline.core.appset.generate import GenerationError
from syncline.core.appset.questions import ClustersQuestion, Failure, GeneratorError, Question
from syncline.model import applicationset
from syncline.model.errors import SynclineError
from syncline.model.fleet import Generated
from syncline.ports.source import RevisionRequest, Source, Tree

Here = Callable[[str], bool]
"""Tells whether a repository is on this machine."""


async def generated(sets: Iterable[Object], source: Source, is_here: Here, deadline: float) -> tuple[Generated, ...]:
    """Return the names of what each set generates; sets that cannot be asked are left out."""
    asking = _Asking(source, is_here)
    found = [await _names(one, asking, deadline) for one in sets]
    return tuple(one for one in found if one is not None)


class _Asking:
    """Answers questions about repositories that are here, and no others."""

    def __init__(self, source: Source, is_here: Here) -> None:
        self._source = source
        self._is_here = is_here
        self._answering = Answering(self._tree)

    async def __call__(self, question: Question) -> object:
        if isinstance(question, ClustersQuestion):
            return Failure("Secrets of clusters are not read")
        return await self._answering(question)

    async def _tree(self, repo_url: str, revision: str, project: str) -> Tree:
        if not self._is_here(repo_url):
            raise GeneratorError("its repository is not on this machine")
        sha = await self._source.resolve(RevisionRequest(repo_url, revision, project=project))
        return await self._source.tree(repo_url, sha, "", project=project)


async def _names(appset: Object, asking: _Asking, deadline: float) -> Generated | None:
    try:
        applicationset.parse(appset)
        async with asyncio.timeout_at(deadline):
            applications, _answers = await answered(appset, asking)
    except (SynclineError, GenerationError, GeneratorError, TimeoutError):
        return None
    return Generated(appset=key_of(appset), names=tuple(sorted(one.name for one in applications)))
