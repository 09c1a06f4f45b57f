"""The two breaks that the demo proposes, so that the page can start and heal them too.

Handed by `syncline.cli.run.demo` to the server. One deletes a Deployment, which self-heal brings back; the other
commits a tag that nobody pushed, and is healed by a commit that takes it back.
"""

from __future__ import annotations

from pathlib import Path

from syncline.apimachinery.keys import GroupVersionKind, ObjectKey
from syncline.cli.run.example_repo import git
from syncline.controller.live.cluster import LiveCluster
from syncline.ports.kube import ApiResource, Cluster
from syncline.server.ui.breaks import Break

_DEPLOYMENTS = ApiResource(gvk=GroupVersionKind("apps", "v1", "Deployment"), plural="deployments", namespaced=True)
_WEB = ObjectKey("apps", "Deployment", "hello", "web")
_GOOD, _BAD = "hello:1.0", "hello:broken"
_MESSAGE = "a tag nobody pushed"


def left_broken(repository: Path) -> bool:
    """Whether an earlier run of the demo ended while hello was broken by a commit."""
    file = _web(repository)
    return file.is_file() and _BAD in file.read_text()


def _web(repository: Path) -> Path:
    return repository / "apps/hello/web.yaml"


class DemoBreaks:
    """Breaks the demo with its cluster and its repository."""

    def __init__(self, cluster: Cluster, live: LiveCluster, repository: Path) -> None:
        self._cluster = cluster
        self._live = live
        self._repository = repository

    async def all(self) -> tuple[Break, ...]:
        """Return both, as they stand."""
        web = self._live.index.get(_WEB)
        gone = web is None
        tagged = _BAD in self._file.read_text()
        return (
            Break(
                name="delete",
                title="Delete a Deployment",
                command=f"kubectl delete deployment {_WEB.name} -n {_WEB.namespace}",
                app="hello",
                broken=gone,
                said="gone; self-heal brings it back" if gone else "",
            ),
            Break(
                name="commit",
                title="Commit a tag that nobody pushed",
                command=f'sed -i s/{_GOOD}/{_BAD}/ apps/hello/web.yaml; git commit -am "{_MESSAGE}"',
                app="hello",
                broken=tagged,
                said="committed; the roll-out cannot get ready" if tagged else "",
            ),
        )

    async def start(self, name: str) -> str:
        """Delete, or commit."""
        if name == "delete":
            await self._cluster.delete(_DEPLOYMENTS, _WEB.namespace, _WEB.name, propagation="Background")
            return "deleted; self-heal brings it back"
        if name != "commit":
            raise KeyError(name)
        return await self._committed(_GOOD, _BAD, _MESSAGE)

    async def heal(self, name: str) -> str:
        """Take the commit back; what was deleted comes back without anybody's help."""
        if name == "delete":
            return "nothing to do: self-heal brings it back"
        if name != "commit":
            raise KeyError(name)
        return await self._committed(_BAD, _GOOD, "the tag that is there")

    async def _committed(self, before: str, after: str, message: str) -> str:
        text = self._file.read_text()
        if before not in text:
            return "nothing to do: Git says so already"
        self._file.write_text(text.replace(before, after))
        await git(self._repository, "commit", "--quiet", "-am", message)
        return f"committed “{message}”; the newer commit takes over immediately"

    @property
    def _file(self) -> Path:
        return _web(self._repository)
