"""Where desired objects come from: repositories, revisions, trees of files.

The controller asks `resolve` first (cheap, shared by every app of a repository), then `tree` for a revision it has not
seen. Implemented by `syncline.adapters.git`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class RevisionRequest(msgspec.Struct, frozen=True):
    """A repository and the revision text of an Application (`main`, a tag, a SHA, empty for HEAD)."""

    repo_url: str
    revision: str


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
        """The commit SHA."""
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

    async def tree(self, repo_url: str, sha: str, path: str) -> Tree:
        """Return the files of a commit below `path`."""
        ...

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        """Return the note of a commit, or None where it cannot be told."""
        ...
