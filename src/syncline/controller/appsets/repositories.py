"""Opens the files that git generators look at, and remembers for a while which commit a branch stands for.

Used by `syncline.controller.appsets.reconcile`. A commit that the set's project wants signed, and that is not, is not
read. Answers from one commit never change, so they are kept; the oldest go first.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.appsets.answering import Answering
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.live.index import LiveIndex
from syncline.controller.sources.verification import Verification
from syncline.controller.world import World
from syncline.core.appset.questions import DirectoriesQuestion, Failure, FilesQuestion
from syncline.core.policy.set_requests import asking_project, repository_refusal
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.model import project as projects
from syncline.model.errors import SourceError
from syncline.ports.source import RevisionRequest, Tree

_KEPT = 256


class Repositories:
    """Reads repositories for all sets of one controller."""

    def __init__(self, world: World, index: LiveIndex) -> None:
        self._world = world
        self._index = index
        self._verification = Verification(world.source)
        self._commits: dict[RevisionRequest, tuple[str, float]] = {}
        self._answers: OrderedDict[Any, Any] = OrderedDict()

    def forget(self) -> None:
        """Ask and read everything again: credentials, keys or settings have changed."""
        self._commits.clear()
        self._answers.clear()
        self._verification.forget()

    async def answer(self, question: DirectoriesQuestion | FilesQuestion, tenancy: SetTenancy, *, oldest: float) -> Any:
        """Return the answer to a question; a commit that was asked for before the time `oldest` is asked for again.

        It is asked on behalf of a project that permits the repository, with credentials of that project or of all.
        """
        if refusal := repository_refusal(question.repo_url, tenancy):
            return Failure(refusal)
        asking = asking_project(question.repo_url, tenancy)
        permitted: tuple[str, ...] = ("*",) if asking is None else tuple(asking.spec.source_repos)
        project = question.project if asking is None else asking.metadata.name
        request = RevisionRequest(question.repo_url, question.revision, project=project)
        try:
            sha = await self._commit(request, oldest)
            await self._verify(request, sha)
        except SourceError as error:
            return Failure(str(error))
        key = (question, sha, project, permitted, self._world.settings.application_sets.new_file_globs)
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]

        async def opened(repo_url: str, _revision: str, _project: str) -> Tree:
            return await self._world.source.tree(repo_url, sha, "", project=project, permitted=permitted)

        found = await Answering(opened, by_segments=self._world.settings.application_sets.new_file_globs)(question)
        if not isinstance(found, Failure):
            self._answers[key] = found
            if len(self._answers) > _KEPT:
                self._answers.popitem(last=False)
        return found

    async def _commit(self, request: RevisionRequest, oldest: float) -> str:
        known = self._commits.get(request)
        if known is not None and known[1] >= oldest:
            return known[0]
        asked = self._world.clock.monotonic()
        sha = await self._world.source.resolve(request)
        self._commits[request] = (sha, asked)
        if len(self._commits) > _KEPT:
            del self._commits[min(self._commits, key=lambda one: self._commits[one][1])]
        return sha

    async def _verify(self, request: RevisionRequest, sha: str) -> None:
        """Raise `SourceError` for a commit that the project does not let through; a template names no project yet."""
        if not request.project:
            return
        home = self._world.settings.namespace
        obj = self._index.get(ObjectKey(PROJECT.group, PROJECT.kind, home, request.project))
        if obj is None:
            raise SourceError(f"project {request.project} does not exist", hint=f"create it in namespace {home}")
        await self._verification.check(projects.parse(obj).spec, request, sha)
