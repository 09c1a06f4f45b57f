"""Has a fleet delivered on a server of its own: by the real Argo CD, or by a controller of ours.

Both get the same cases and the same time to come to rest, on the same ground (`tests.argocd.grounds`); where that has
no controllers, the same player plays them.
"""

import contextlib
import pathlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from syncline import wiring
from syncline.adapters.clock import SystemClock
from syncline.adapters.kube.client import KubeCluster
from syncline.cli.run.install import create, missing
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.settings import Compat, Settings
from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.grounds import BARE, Ground
from tests.real import cluster
from tests.real.bed import PATIENT, Patient, Player, connect
from tests.support.loops.running import run_real
from tests.support.referee.case import CONTROL, Case
from tests.support.referee.fleet import Fleet
from tests.support.rolling import playing as rollouts
from tests.support.rolling.case import Case as Rolling
from tests.support.verdicts import Verdicts

_Played = Callable[[KubeCluster], Awaitable[Verdicts]]
# As often as nobody waits for it: the fleet asks for a refresh itself.
_SELDOM = 3600
_FLAGS = {
    "application-controller": [
        *("--app-resync", str(_SELDOM)),
        *("--operation-processors", "25"),
        *("--repo-error-grace-period-seconds", "0"),
        "--persist-resource-health",
    ],
    "applicationset-controller": ["--enable-progressive-syncs"],
}
# No pause between waves: it changes nothing but the time.
_ENVIRONMENT = {"ARGOCD_SYNC_WAVE_DELAY": "0"}


def by_argocd(folder: pathlib.Path, programs: Programs, cases: Sequence[Case], ground: Ground = BARE) -> Verdicts:
    """Return what Argo CD makes of the cases."""
    parts = ("repo-server", "application-controller")
    return _theirs(folder, programs, ground, parts, _fleet(folder, cases))


def by_syncline(folder: pathlib.Path, cases: Sequence[Case], compat: Compat, ground: Ground = BARE) -> Verdicts:
    """Return what Syncline makes of the cases."""
    settings = Settings(namespace=CONTROL, refresh_interval=float(_SELDOM), compat=compat)
    return _ours(folder, ground, settings, _fleet(folder, cases))


def rolled_by_argocd(folder: pathlib.Path, programs: Programs, cases: Sequence[Rolling]) -> Verdicts:
    """Return how Argo CD rolls sets out."""
    parts = ("repo-server", "application-controller", "applicationset-controller")
    return _theirs(folder, programs, BARE, parts, _rollouts(folder, cases))


def rolled_by_syncline(folder: pathlib.Path, cases: Sequence[Rolling], compat: Compat) -> Verdicts:
    """Return how Syncline rolls sets out."""
    settings = Settings(
        namespace=CONTROL,
        refresh_interval=float(_SELDOM),
        compat=compat,
        application_sets=ApplicationSets(progressive_syncs=True),
    )
    return _ours(folder, BARE, settings, _rollouts(folder, cases))


def _fleet(folder: pathlib.Path, cases: Sequence[Case]) -> _Played:
    return lambda user: Fleet(user, SystemClock(), cases, folder / "repositories").play()


def _rollouts(folder: pathlib.Path, cases: Sequence[Rolling]) -> _Played:
    return lambda user: rollouts.Play(user, SystemClock(), cases, folder / "repositories").play()


def _theirs(
    folder: pathlib.Path, programs: Programs, ground: Ground, parts: Sequence[str], played: _Played
) -> Verdicts:
    with (
        ground.serving(folder / "cluster") as where,
        harness.running(
            folder / "argocd", where.kubeconfig_path, programs, parts=parts, flags=_FLAGS, environment=_ENVIRONMENT
        ) as argocd,
    ):
        verdicts = run_real(_play(where, ground, played))
        assert argocd.ended() == []
        return verdicts


def _ours(folder: pathlib.Path, ground: Ground, settings: Settings, played: _Played) -> Verdicts:
    async def main() -> Verdicts:
        async with _controller(where, folder, settings):
            return await _play(where, ground, played)

    with ground.serving(folder / "cluster") as where:
        return run_real(main())


async def _play(where: cluster.Cluster, ground: Ground, played: _Played) -> Verdicts:
    transport = connect(where)
    user = KubeCluster(Patient(transport), timeout=PATIENT)
    # It reads every object each time; more often would take the processor from whoever is judged.
    player = Player(user, "", CONTROL, "secrets", "services", "pods", "widgets", pause=1.0)
    if ground.played:
        await player.start()
    try:
        return await played(user)
    finally:
        await player.stop()
        await transport.close()


@contextlib.asynccontextmanager
async def _controller(where: cluster.Cluster, folder: pathlib.Path, settings: Settings) -> AsyncIterator[None]:
    transport = connect(where)
    home = KubeCluster(transport)
    await create(home, await missing(home, CONTROL))
    ports = wiring.world(home, settings, _Silent(), [str(folder)])
    controller = wiring.controller(ports)
    await controller.start()
    try:
        yield
    finally:
        await controller.stop()
        await ports.evaluator.close()
        await transport.close()


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing: verdicts are read from the cluster."""
