"""Where desired objects come from: repositories, revisions, trees of files.

The controller asks `resolve` first (cheap, shared by every app of a repository), then `tree` for a revision it has not
seen. `Source` is implemented by `syncline.adapters.git`, `Charts` by `syncline.adapters.charts`. Whoever only reads
(a renderer that needs a remote base) is given these; the controller is given `FullSource` and `FullCharts`, which can
also be handed credentials and settings. A chart is a tree like any other: its root is the chart's own folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from syncline.model.settings.parts import SourceSettings
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.integrity import SignatureNote, VerificationMode

LOCAL = "local"
"""What stands for the revision of files that are in no commit."""


class RevisionRequest(msgspec.Struct, frozen=True):
    """A repository and the revision text of an Application (`main`, a tag, a SHA, `1.x`, empty for HEAD)."""

    repo_url: str
    revision: str
    tag_prefix: str = ""
    """Left out of tag names before a version constraint is matched against them."""
    project: str = ""
    """Whose credentials count, where a project has its own."""


class ChartRequest(msgspec.Struct, frozen=True):
    """A chart of a Helm repository or of a registry, and a version or version constraint.

    Without a chart name the address itself (`oci://registry/path`) names the artifact, and the version is its tag.
    """

    repo_url: str
    chart: str
    version: str
    project: str = ""
    permitted: tuple[str, ...] = ()
    """The sourceRepos of the project: an archive that its index places on another host is fetched with credentials, or
    from this machine, only where they permit that address."""


class TreeFile(msgspec.Struct, frozen=True):
    """One file of a tree: its path from the root of the repository, and the digest of its content."""

    path: str
    digest: str
    size: int
    is_link: bool = False


class Tree(Protocol):
    """The files of one revision below one folder; never changes."""

    @property
    def revision(self) -> str:
        """The commit SHA; of a chart, its exact version; of an artifact in a registry, its digest."""
        ...

    @property
    def digest(self) -> str:
        """Digest of the folder's whole content: equal digests, equal files."""
        ...

    def files(self) -> Sequence[TreeFile]:
        """List every file below the folder, sorted by path."""
        ...

    def read(self, path: str) -> bytes:
        """Return the content of a file of the commit, by its path from the root; links are followed inside it."""
        ...

    def digest_of(self, path: str) -> str:
        """Digest of the file or folder at a path from the root, links followed; empty where there is none."""
        ...

    def below(self, folder: str) -> Tree:
        """Return the same commit below another folder; raises `SourceError` where there is none."""
        ...


class CommitNote(msgspec.Struct, frozen=True):
    """Who committed what and when, for people who ask where a change came from."""

    revision: str
    author: str
    date: str
    message: str


class Source(Protocol):
    """Reads repositories. Errors are `syncline.model.errors.SourceError` with repository and revision named."""

    async def resolve(self, request: RevisionRequest) -> str:
        """Return the commit SHA a revision text stands for right now."""
        ...

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> Tree:
        """Return the files of a commit below `path`, with the credentials of a project where it has its own.

        Other repositories that the commit leads to (submodules) are read where `permitted`, a list of sourceRepos, has
        them.
        """
        ...

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        """Return the note of a commit, or None where it cannot be told."""
        ...


class Charts(Protocol):
    """Reads charts and artifacts. Errors are `syncline.model.errors.SourceError` with repository and chart named."""

    async def resolve(self, request: ChartRequest) -> str:
        """Return the exact version (of an artifact without chart name: the digest) a request stands for right now."""
        ...

    async def tree(self, request: ChartRequest) -> Tree:
        """Return the files of a chart, unpacked; the version is one that `resolve` returned."""
        ...


class Accessible(Protocol):
    """A reader that can be handed credentials, host keys and certificates."""

    def use(self, access: SourceAccess) -> None:
        """Use these from the next request on; what was handed in before is forgotten."""
        ...


class AdjustableSource(Protocol):
    """A reader that can be told of other settings while it runs."""

    def adjust(self, settings: SourceSettings) -> None:
        """Go on under other limits and habits of the operator, from the next request on."""
        ...


class Checkable(Protocol):
    """A reader that can tell whether a repository can be read at all."""

    async def check(self, repo_url: str, project: str = "") -> None:
        """Raise `SourceError` where it cannot."""
        ...


class Signed(Protocol):
    """A reader that can tell who signed a commit."""

    async def signatures(self, request: RevisionRequest, sha: str, mode: VerificationMode) -> Sequence[SignatureNote]:
        """Return the signature of a commit (or of the tag asked for), newest first; strict: of its history too."""
        ...


@runtime_checkable
class Historian(Protocol):
    """A reader that knows the history of repositories; errors are `SourceError`."""

    async def branches(self, repo_url: str, project: str = "") -> Sequence[str]:
        """List branches, the default one first."""
        ...

    async def fork(self, repo_url: str, one: str, other: str, project: str = "") -> str:
        """Return the last commit that two commits have in common; the other one where they have none."""
        ...

    async def lines(self, repo_url: str, sha: str, path: str, project: str = "") -> Sequence[CommitNote | None]:
        """Return the commit that wrote each line of a file; None for a line whose history is not there."""
        ...


class Listing(Protocol):
    """A reader that can tell which branches and tags there are."""

    async def references(self, repo_url: str, project: str = "") -> Mapping[str, str]:
        """Return the commit of each reference, by its full name (refs/heads/main, refs/tags/v1)."""
        ...


class ChartListing(Protocol):
    """A reader that knows which charts there are; errors are `SourceError`."""

    async def charts(self, repo_url: str, project: str = "") -> Mapping[str, Sequence[str]]:
        """Return the versions of each chart of a Helm repository, as its index has them."""
        ...


class FullSource(Source, Listing, Signed, Accessible, AdjustableSource, Protocol):
    """A reader of repositories with all that a controller needs.

    One that cannot tell who signed a commit says so with a `SourceError`.
    """


class FullCharts(Charts, ChartListing, Accessible, AdjustableSource, Protocol):
    """A reader of charts with all that a controller needs."""
