"""Has the cases played by a controller of ours on a sandbox, in virtual time with real Git."""

import pathlib
from collections.abc import Sequence

from syncline import wiring
from syncline.adapters.git.source import GitSource
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.settings import Compat, Settings
from tests.support.loops.hybrid import run_hybrid
from tests.support.referee.case import CONTROL
from tests.support.rolling.case import Case
from tests.support.rolling.playing import VIRTUAL, Play
from tests.support.sets import start
from tests.support.verdicts import Verdicts
from tests.support.world import SandboxBed


def on_sandbox(folder: pathlib.Path, cases: Sequence[Case], compat: Compat) -> Verdicts:
    """Return what Syncline makes of the cases."""

    async def main() -> Verdicts:
        settings = Settings(
            namespace=CONTROL,
            refresh_interval=100_000.0,
            compat=compat,
            application_sets=ApplicationSets(progressive_syncs=True),
        )
        source = GitSource(str(folder / "cache"), local_folders=[str(folder)])
        evaluator = wiring.evaluator()
        bed = SandboxBed(settings=settings, source=source, evaluator=evaluator)
        bed.renderer = wiring.renderer(source, None, settings)
        await start(bed)
        controller = bed.controller()
        await controller.start()
        try:
            verdicts = await Play(bed.user, bed.clock, cases, folder / "repositories", VIRTUAL).play()
        finally:
            await controller.stop()
            await evaluator.close()
            await bed.stop()
        assert not bed.failures, bed.failures
        return verdicts

    return run_hybrid(main())
