"""Repositories in memory: a stand-in for Git in the simulated loop, where no process may run.

Implements `syncline.ports.source.Source`; commits are made with `commit` and named by a digest of their content.
"""

import hashlib
import posixpath
from collections.abc import Awaitable, Callable, Mapping, Sequence

from syncline.apimachinery.nearest import did_you_mean, nearest
from syncline.model.errors import SourceError
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.integrity import SignatureNote, VerificationMode
from syncline.ports.source import CommitNote, RevisionRequest, TreeFile


class MemoryTree:
    """The files of one commit below one folder."""

    def __init__(self, revision: str, files: Mapping[str, str], whole: Mapping[str, str] | None = None) -> None:
        self.revision = revision
        self._whole = files if whole is None else whole
        self._files = {path: text.encode() for path, text in sorted(files.items())}
        self.digest = hashlib.sha256(repr(self._files).encode()).hexdigest()

    def files(self) -> Sequence[TreeFile]:
        return [
            TreeFile(path, hashlib.sha256(content).hexdigest(), len(content)) for path, content in self._files.items()
        ]

    def read(self, path: str) -> bytes:
        if path not in self._whole:
            raise SourceError(f"{path}: no such file in commit {self.revision[:8]}")
        return self._whole[path].encode()

    def digest_of(self, path: str) -> str:
        found = {
            name: text for name, text in self._whole.items() if not path or name == path or name.startswith(f"{path}/")
        }
        return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest() if found else ""

    def below(self, folder: str) -> "MemoryTree":
        files = {name: text for name, text in self._whole.items() if not folder or name.startswith(f"{folder}/")}
        if not files:
            raise SourceError(f"{folder}: app path does not exist")
        return MemoryTree(self.revision, files, self._whole)


class Open:
    """A reader that needs no credentials, has no settings and knows of no signatures."""

    def use(self, access: SourceAccess) -> None:
        """Need none."""

    def adjust(self, settings: SourceSettings) -> None:
        """Have none."""

    async def signatures(self, request: RevisionRequest, sha: str, mode: VerificationMode) -> Sequence[SignatureNote]:
        raise SourceError(f"signatures of {request.repo_url} cannot be verified here")

    async def charts(self, repo_url: str, _project: str = "") -> Mapping[str, Sequence[str]]:
        raise SourceError(f"charts of {repo_url} are not listed here")


class MemorySource(Open):
    """Branches of one repository, whatever its URL."""

    def __init__(self) -> None:
        self._branches: dict[str, str] = {}
        self._commits: dict[str, dict[str, str]] = {}
        self.slow: dict[str, Callable[[], Awaitable[None]]] = {}
        """What is waited for before the files of a folder are handed out."""
        self.silent = False
        """Whether the server gives no answer."""

    def commit(self, files: Mapping[str, str], branch: str = "main") -> str:
        """Put a new commit with exactly these files on a branch."""
        content = f"{len(self._commits)} {sorted(files.items())}"
        sha = hashlib.sha1(content.encode()).hexdigest()
        self._commits[sha] = dict(files)
        self._branches[branch] = sha
        return sha

    def delete_branch(self, branch: str) -> None:
        """Let a branch vanish; its commits stay."""
        del self._branches[branch]

    async def resolve(self, request: RevisionRequest) -> str:
        if self.silent:
            raise SourceError("failed to list refs: the server does not answer")
        revision = request.revision or "main"
        if revision in self._commits:
            return revision
        if revision not in self._branches:
            raise SourceError(
                f"unable to resolve '{revision}' to a commit SHA", hint=did_you_mean(revision, self._branches)
            )
        return self._branches[revision]

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> MemoryTree:
        if path in self.slow:
            await self.slow[path]()
        prefix = "" if path in ("", ".") else f"{path}/"
        files = {name: text for name, text in self._commits[sha].items() if name.startswith(prefix)}
        if not files:
            near = nearest(path, {posixpath.dirname(name) for name in self._commits[sha]})
            raise SourceError(
                f"{path}: app path does not exist", hint=f"nearest existing path: {near[0]}" if near else ""
            )
        return MemoryTree(sha, files, self._commits[sha])

    async def references(self, repo_url: str, project: str = "") -> Mapping[str, str]:
        return {f"refs/heads/{name}": sha for name, sha in self._branches.items()}

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        return CommitNote(sha, "somebody", "2030-01-01T00:00:00Z", "a change")
