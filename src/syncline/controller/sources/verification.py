"""Lets no commit through that its project wants signed and that is not.

Asked by `syncline.controller.sources.desired` before anything is rendered. What was read of a commit is kept: it cannot
change, but the keys it is held against can, and then everything is read again. A demand that is unclear lets nothing
through.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from syncline.core.policy import integrity
from syncline.model.errors import InvalidSpec, SourceError
from syncline.model.project import ProjectSpec
from syncline.model.sources.integrity import SignatureNote, VerificationMode
from syncline.ports.source import RevisionRequest, Signed

_KEPT = 10_000


class UnverifiedError(SourceError):
    """A commit is not signed as its project demands; the text is Argo CD's."""


class Verification:
    """The signatures of all commits in use."""

    def __init__(self, source: Signed) -> None:
        self._source = source
        self._kept: OrderedDict[tuple[RevisionRequest, str, VerificationMode], Sequence[SignatureNote]] = OrderedDict()

    def forget(self) -> None:
        """Read signatures again: keys have changed."""
        self._kept.clear()

    async def check(self, project: ProjectSpec, request: RevisionRequest, sha: str) -> None:
        """Raise `UnverifiedError` for a commit that the project does not let through."""
        try:
            policy = integrity.policy_for(project, request.repo_url)
        except InvalidSpec as unclear:
            raise UnverifiedError(unclear.what, hint=unclear.hint) from None
        if policy is None:
            return
        verdict = integrity.judge(policy, await self._notes(request, sha, policy.mode))
        if not verdict.good:
            raise UnverifiedError(verdict.message())

    async def _notes(self, request: RevisionRequest, sha: str, mode: VerificationMode) -> Sequence[SignatureNote]:
        key = request, sha, mode
        if key not in self._kept:
            self._kept[key] = await self._source.signatures(request, sha, mode)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]


def refuse_handed_in(project: ProjectSpec, repo_urls: Sequence[str]) -> None:
    """Raise `UnverifiedError` where somebody hands objects in although the project wants commits to be signed."""
    for repo_url in repo_urls:
        try:
            demanded = integrity.policy_for(project, repo_url) is not None
        except InvalidSpec as unclear:
            raise UnverifiedError(unclear.what, hint=unclear.hint) from None
        if demanded:
            raise UnverifiedError("Cannot use local manifests when source integrity is enforced")
