"""A controller, a sandbox and a repository in memory, in one process, for the measurements beside this file.

The repository is in memory so that Git itself is not measured; everything else is what `syncline up` runs.
"""

from __future__ import annotations

import asyncio
import hashlib
import resource
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from syncline import wiring
from syncline.cli.install import create, missing
from syncline.controller.controller import Controller
from syncline.controller.observe import APPLICATION
from syncline.model.errors import SourceError
from syncline.model.progress import Progress
from syncline.model.settings import Settings
from syncline.ports.kube import ApiResource, Cluster
from syncline.ports.source import CommitNote, RevisionRequest, TreeFile
from syncline.ports.transport import Transport
from syncline.sandbox.server import Sandbox
from syncline.sandbox.settings import SandboxSettings

REPOSITORY = "https://git.example/fleet.git"
_PAUSE = 0.5
SETTINGS = Settings(refresh_interval=1.0, refresh_jitter=0.0)


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

    async def tree(self, _repo_url: str, sha: str, path: str, *, project: str = "") -> Files:
        """Return a folder; it is every project's."""
        del project
        if path not in self._folders:
            raise SourceError(f"app path does not exist: {path}")
        return Files(sha, self._whole, self._folders, path)

    async def describe(self, _repo_url: str, _sha: str) -> CommitNote | None:
        """Tell nothing."""
        return None


class Silent:
    """Tells nobody."""

    def emit(self, event: Progress) -> None:
        """Drop an event."""


@dataclass(slots=True)
class Fleet:
    """What a measurement works with; `requests` counts what the controller wrote."""

    sandbox: Sandbox
    cluster: Cluster
    repository: Repository
    controller: Controller
    writes: list[str]

    async def synced(self, count: int) -> float:
        """Wait until so many Applications are Synced and Healthy and no operation runs; return when that was."""
        done = asyncio.Event()
        looked = time.perf_counter()
        reached = [0.0]

        def look(obj: dict[str, Any]) -> None:
            nonlocal looked
            # Looking at thousands takes time itself, so then it is done seldom.
            if done.is_set() or obj.get("kind") != "Application" or time.perf_counter() - looked < _PAUSE * (count > 1):
                return
            looked = time.perf_counter()
            if self.good() >= count:
                reached[0] = looked
                done.set()

        self.controller.live.listeners.append(look)
        while not done.is_set():
            try:
                await asyncio.wait_for(done.wait(), timeout=_PAUSE)
            except TimeoutError:
                if self.good() >= count:
                    reached[0] = time.perf_counter()
                    done.set()
        self.controller.live.listeners.remove(look)
        return reached[0]

    def good(self) -> int:
        """Return how many Applications are delivered."""
        found = 0
        for obj in self.controller.live.index.of_kind(APPLICATION):
            status = obj.get("status") or {}
            found += (
                (status.get("sync") or {}).get("status") == "Synced"
                and (status.get("health") or {}).get("status") == "Healthy"
                and "operation" not in obj
            )
        return found


@asynccontextmanager
async def fleet(
    repository: Repository, wire: Callable[[Transport], Transport] = lambda inner: inner
) -> AsyncIterator[Fleet]:
    """Yield a started sandbox and a controller that is not started yet, behind a wire."""
    sandbox = wiring.sandbox(SandboxSettings(simulate=False))
    await sandbox.start()
    writes: list[str] = []

    def note(done: Any) -> None:
        if done.method != "GET" and done.user == "syncline":
            writes.append(f"{done.method} {done.path}")

    sandbox.on_request = note
    cluster = wiring.client(wire(sandbox.transport(user="syncline")))
    installer = wiring.client(sandbox.transport(user="admin"))
    await create(installer, await missing(installer, SETTINGS.namespace))
    ports = wiring.world(cluster, SETTINGS, Silent())
    ports.source = repository
    controller = wiring.controller(ports)
    try:
        yield Fleet(sandbox, installer, repository, controller, writes)
    finally:
        await controller.stop()
        await ports.evaluator.close()
        await sandbox.stop()


def config_map(name: str, colour: str = "blue") -> str:
    """Return a plain object as Git holds it."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  colour: {colour}\n  size: big\n"


def application(name: str) -> dict[str, Any]:
    """Return an Application of a folder of its own."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": SETTINGS.namespace},
        "spec": {
            "project": "default",
            "source": {"repoURL": REPOSITORY, "path": name, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
    }


async def add(cluster: Cluster, names: Sequence[str]) -> None:
    """Create Applications."""
    kind = (await cluster.discover()).find(APPLICATION)
    assert isinstance(kind, ApiResource)
    for name in names:
        await cluster.create(kind, application(name), manager="bench")


def peak_mebibytes() -> float:
    """Return the most memory this process has had, and what its dead children had at most."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (own + children) / 1024
