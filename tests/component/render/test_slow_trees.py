"""Files that come slowly hold up nobody: a tenant's Git server that trickles takes no thread that others need."""

import asyncio
import threading
import time

from syncline.adapters.git.tree import GitTree
from syncline.adapters.render.renderer import ToolRenderer
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from tests.component.render.rendering import CHART, URL, Bench

QUICK = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"


class Trickling(GitTree):
    """A folder whose files are read when the test says so."""

    def __init__(self, tree: GitTree, gate: threading.Event) -> None:
        super().__init__(tree.commit, "app")
        self._gate = gate

    def below(self, folder: str) -> "Trickling":
        return Trickling(super().below(folder), self._gate)

    def read(self, path: str) -> bytes:
        self._gate.wait(120)
        return super().read(path)


def request(project: str) -> RenderRequest:
    source = ApplicationSource(repo_url=URL, path="app")
    return RenderRequest(app_name="shop", namespace="store", project=project, source=source)


async def test_files_that_trickle_hold_up_no_other_project(bench: Bench) -> None:
    tree = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": QUICK})
    renderer, gate = ToolRenderer(), threading.Event()
    try:
        # More than a machine with a few processors has threads that all share.
        hostile = [asyncio.create_task(renderer.render(request("hostile"), Trickling(tree, gate))) for _ in range(64)]
        await asyncio.sleep(0.5)
        began = time.monotonic()
        async with asyncio.timeout(60):
            assert len((await renderer.render(request("innocent"), tree)).objects) == 1
            assert await asyncio.to_thread(lambda: 1) == 1
        assert time.monotonic() - began < 30
        assert not any(task.done() for task in hostile)
    finally:
        gate.set()
    await asyncio.gather(*hostile)
