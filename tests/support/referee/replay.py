"""Has the fleet delivered by a controller of ours on a sandbox, in virtual time with real Git, Helm and Kustomize."""

import pathlib
from collections.abc import Sequence

from syncline import wiring
from syncline.adapters.git.source import GitSource
from syncline.model.settings.settings import Compat, Settings
from syncline.sandbox.cluster import file as cluster_file
from tests.support.loops.hybrid import run_hybrid
from tests.support.referee.case import CLUSTER_FILE, CONTROL, Case, Json
from tests.support.referee.fleet import VIRTUAL, Fleet
from tests.support.world import SandboxBed


def on_sandbox(folder: pathlib.Path, cases: Sequence[Case], compat: Compat) -> dict[str, list[Json]]:
    """Return what Syncline makes of the cases."""

    async def main() -> dict[str, list[Json]]:
        settings = Settings(namespace=CONTROL, refresh_interval=100_000.0, compat=compat)
        source = GitSource(str(folder / "cache"), local_folders=[str(folder)])
        evaluator = wiring.evaluator()
        played = cluster_file.parse(CLUSTER_FILE, "of the fleet").settings
        bed = SandboxBed(settings=settings, source=source, evaluator=evaluator, played=played)
        bed.renderer = wiring.renderer(source, None, settings)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        try:
            verdicts = await Fleet(bed.user, bed.clock, cases, folder / "repositories", VIRTUAL).play()
        finally:
            await controller.stop()
            await evaluator.close()
            await bed.stop()
        assert not bed.failures, bed.failures
        return verdicts

    return run_hybrid(main())
