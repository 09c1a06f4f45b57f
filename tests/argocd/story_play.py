"""Has the real Argo CD deliver the repository of a story, commit by commit, on a sandbox with the cluster of the story.

Asked by `tests/argocd/test_stories.py`. The sandbox is a process of its own and goes by the clock, as Argo CD does.
"""

import asyncio
import json
import pathlib
import sys

from syncline.adapters.clock import SystemClock
from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import Object
from syncline.cli.run.settling import status_of
from syncline.cli.scenario.play import condition_types
from syncline.cli.scenario.repository import StoryRepository
from syncline.scenarios.story import REPOSITORY, Story
from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.harness import kubectl
from tests.argocd.test_harness import eventually
from tests.real.cluster import spawn, stop_all
from tests.support.referee import resting
from tests.support.referee.resting import Look, Pace

# Pods that become ready after 20 s move nothing for as long.
PACE = Pace(look=2.0, quiet=40.0, limit=1500.0)
_PARTS = ("repo-server", "application-controller", "applicationset-controller")
_FLAGS = {"application-controller": ["--app-resync", "60", "--operation-processors", "25"]}


def played(story: Story, folder: pathlib.Path, programs: Programs) -> dict[str, str]:
    """Return what each app shows in the end: sync status, health and the types of its conditions in one text."""
    (folder / "cluster.yaml").write_text(story.cluster)
    kubeconfig = folder / "kubeconfig"
    program = str(pathlib.Path(sys.executable).with_name("syncline"))
    told = ["--cluster", str(folder / "cluster.yaml"), "--write-kubeconfig", str(kubeconfig)]
    sandbox = spawn([program, "sandbox", *told], folder / "sandbox.log")
    try:
        eventually(kubeconfig.exists, True)
        where = (folder / "argocd", str(kubeconfig), programs)
        with harness.running(*where, parts=_PARTS, flags=_FLAGS, namespace=story.namespace) as argocd:
            rows = asyncio.run(_Play(story, folder / "repo", str(kubeconfig)).whole(argocd))
            assert argocd.ended() == []
            return rows
    finally:
        stop_all([sandbox])


class _Repository(StoryRepository):
    """A repository under the kind of address that Argo CD reads."""

    def told(self, text: str) -> str:
        return text.replace(REPOSITORY, self.url)

    @property
    def url(self) -> str:
        return f"file://{self.folder.resolve()}"


class _Play:
    """One story on one sandbox."""

    def __init__(self, story: Story, folder: pathlib.Path, kubeconfig: str) -> None:
        self._story = story
        self._repository = _Repository(folder)
        self._kubeconfig = kubeconfig

    async def whole(self, argocd: harness.ArgoCD) -> dict[str, str]:
        """Make every commit of the history, and wait after each until nothing moves."""
        first, *later = self._story.history
        await self._repository.begin()
        await self._repository.add(first)
        secret = harness.repository("story", self._repository.url)
        secret["metadata"]["namespace"] = self._story.namespace
        argocd.apply([secret, yaml.load(self._repository.told(yaml.dump(self._story.root)).encode())])
        await self._settle()
        for commit in later:
            await self._repository.add(commit)
            words = ("--all", "-n", self._story.namespace, "--overwrite", f"{resting.REFRESH}=normal")
            kubectl(self._kubeconfig, "annotate", "applications", *words)
            await self._settle()
        return _rows(self._apps())

    async def _settle(self) -> None:
        await resting.settle(self._look, SystemClock(), PACE)

    async def _look(self) -> Look:
        apps = self._apps()
        return Look(_rows(apps), resting.waiting(apps))

    def _apps(self) -> list[Object]:
        found: list[Object] = json.loads(
            kubectl(self._kubeconfig, "get", "applications", "-n", self._story.namespace, "-o", "json")
        )["items"]
        return found


def _rows(apps: list[Object]) -> dict[str, str]:
    return {meta.name(app): " ".join((*status_of(app), *condition_types(app))) for app in apps}
