"""Applications for the measurements beside this file, and the repository they come from.

The repository is in memory so that Git itself is not measured. Every Application has a folder of its own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

from syncline.model.errors import SourceError
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.integrity import SignatureNote, VerificationMode
from syncline.ports.source import CommitNote, RevisionRequest, TreeFile

REPOSITORY = "https://git.example/fleet.git"
CONTROL = "argocd"


class Files:
    """One commit, below one folder."""

    def __init__(
        self, revision: str, whole: Mapping[str, bytes], folders: Mapping[str, Sequence[str]], at: str
    ) -> None:
        self.revision = revision
        self._whole = whole
        self._folders = folders
        self._at = at
        self.digest = self.digest_of(at)

    def files(self) -> Sequence[TreeFile]:
        """List the files of the folder."""
        return [
            TreeFile(path, hashlib.sha1(self._whole[path]).hexdigest(), len(self._whole[path]))
            for path in self._folders.get(self._at, ())
        ]

    def read(self, path: str) -> bytes:
        """Return a file."""
        return self._whole[path]

    def digest_of(self, path: str) -> str:
        """Return what tells two contents apart."""
        if path in self._whole:
            return hashlib.sha1(self._whole[path]).hexdigest()
        inside = b"".join(self._whole[name] for name in self._folders.get(path, ()))
        return hashlib.sha1(inside).hexdigest() if path in self._folders else ""

    def below(self, folder: str) -> Files:
        """Return another folder of the commit."""
        return Files(self.revision, self._whole, self._folders, folder)


class Repository:
    """A branch in memory."""

    def __init__(self) -> None:
        self._whole: dict[str, bytes] = {}
        self._folders: dict[str, list[str]] = {}
        self._sha = ""

    def commit(self, files: Mapping[str, str]) -> str:
        """Add or change files."""
        whole = dict(self._whole)
        for path, text in files.items():
            if path not in whole:
                self._folders.setdefault(path.rpartition("/")[0], []).append(path)
            whole[path] = text.encode()
        self._whole = whole
        self._sha = hashlib.sha1(f"{self._sha}{len(files)}{time.monotonic()}".encode()).hexdigest()
        return self._sha

    async def resolve(self, _request: RevisionRequest) -> str:
        """Return the newest commit."""
        return self._sha

    async def tree(
        self, _repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> Files:
        """Return a folder; it is every project's."""
        del project, permitted
        if path not in self._folders:
            raise SourceError(f"app path does not exist: {path}")
        return Files(sha, self._whole, self._folders, path)

    async def describe(self, _repo_url: str, _sha: str) -> CommitNote | None:
        """Tell nothing."""
        return None

    async def references(self, _repo_url: str, project: str = "") -> Mapping[str, str]:
        """Have one branch."""
        del project
        return {"refs/heads/main": self._sha}

    async def signatures(self, request: RevisionRequest, _sha: str, _mode: VerificationMode) -> Sequence[SignatureNote]:
        """Know of none."""
        raise SourceError(f"signatures of {request.repo_url} cannot be verified here")

    def use(self, access: SourceAccess) -> None:
        """Need no credentials."""

    def adjust(self, settings: SourceSettings) -> None:
        """Have no settings."""


def config_map(name: str, colour: str = "blue") -> str:
    """Return a plain object as Git holds it."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  colour: {colour}\n  size: big\n"


def application(name: str, repo_url: str = REPOSITORY) -> dict[str, Any]:
    """Return an Application of a folder of its own."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": CONTROL},
        "spec": {
            "project": "default",
            "source": {"repoURL": repo_url, "path": name, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
    }
