"""Answers the questions of generators until there are none left.

Called by `syncline.api.applicationsets` for files, with readers of what each question is about. One question is asked
once in a run, however many generators have it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.core.appset.generate import Generated, generate
from syncline.core.appset.globs import matches_file
from syncline.core.appset.questions import (
    Answers,
    ClustersQuestion,
    ConfigMapQuestion,
    DirectoriesQuestion,
    Failure,
    File,
    Files,
    FilesQuestion,
    Folders,
    GeneratorError,
    ObjectsQuestion,
    PageQuestion,
    PluginQuestion,
    Question,
    Unanswered,
)
from syncline.model.cluster import KnownCluster
from syncline.model.errors import SourceError
from syncline.ports.source import Tree, TreeFile

OpenTree = Callable[[str, str, str], Awaitable[Tree]]
"""Returns the files of a repository at a revision, with the credentials of a project."""
Answer = Callable[[Question], Awaitable[Any]]


async def answered(appset: Object, answer: Answer) -> tuple[list[Generated], Answers]:
    """Return the Applications of a set, and all that its generators wanted to know."""
    answers: dict[Question, Any] = {}
    while True:
        try:
            return generate(appset, answers), answers
        except Unanswered as unanswered:
            asked = list(unanswered.questions)
            answers.update(zip(asked, await asyncio.gather(*map(answer, asked)), strict=True))


class Answering:
    """Answers from clusters that are known and from repositories; `by_segments` is how patterns of files are read."""

    def __init__(
        self, open_tree: OpenTree, clusters: Sequence[KnownCluster] = (), *, by_segments: bool = False
    ) -> None:
        self._open_tree = open_tree
        self._clusters = tuple(clusters)
        self._by_segments = by_segments

    async def __call__(self, question: Question) -> Any:
        """Return the answer to one question, or why there is none."""
        match question:
            case ClustersQuestion():
                return self._clusters
            case DirectoriesQuestion() | FilesQuestion():
                return await self._of_repository(question)
            case ConfigMapQuestion() | ObjectsQuestion() | PageQuestion() | PluginQuestion():
                return Failure("generators that need objects or tokens of the control plane need a cluster")

    async def _of_repository(self, question: DirectoriesQuestion | FilesQuestion) -> Folders | Files | Failure:
        try:
            tree = await self._open_tree(question.repo_url, question.revision, question.project)
            if isinstance(question, DirectoriesQuestion):
                return Folders(tree.revision, folders_of(tree.files()))
            return Files(tree.revision, self._files(tree, question))
        except (SourceError, GeneratorError) as error:
            return Failure(str(error))

    def _files(self, tree: Tree, question: FilesQuestion) -> tuple[File, ...]:
        def any_of(patterns: Sequence[str], path: str) -> bool:
            return any(matches_file(pattern, path, by_segments=self._by_segments) for pattern in patterns)

        wanted = [
            file.path
            for file in tree.files()
            if any_of(question.patterns, file.path) and not any_of(question.excluded, file.path)
        ]
        return tuple(File(path, tree.read(path)) for path in sorted(wanted))


def folders_of(files: Sequence[TreeFile]) -> tuple[str, ...]:
    """Return every folder that has a file somewhere below it, parents first; hidden ones and all below are left out."""
    found: set[tuple[str, ...]] = set()
    for file in files:
        segments = tuple(file.path.split("/")[:-1])
        while segments and segments not in found:
            found.add(segments)
            segments = segments[:-1]
    shown = (segments for segments in sorted(found) if not any(one.startswith(".") for one in segments))
    return tuple("/".join(segments) for segments in shown)
