"""The real Argo CD and Syncline make the same Applications of the same ApplicationSets, each on a server of its own.

`tests.argocd.chosen` says what Argo CD is asked now and what is taken from the record, which
`tests/component/controller/test_judged_sets.py` reads too.
"""

import contextlib
import os
import pathlib
from collections.abc import AsyncIterator, Sequence
from unittest import mock

import msgspec
import pytest

from syncline import wiring
from syncline.adapters.clock import SystemClock
from syncline.adapters.kube.client import KubeCluster
from syncline.cli.run.install import create, missing
from syncline.model.settings.settings import Compat, Settings
from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.chosen import chosen, with_recorded
from tests.real import build, cluster
from tests.real.bed import PATIENT, Patient, connect
from tests.support import code_hosts, this_machine
from tests.support.git_http import Repository
from tests.support.judged_sets import CASES, recorded, world
from tests.support.judged_sets.case import CONTROL, Case, Places
from tests.support.judged_sets.known import unknown
from tests.support.judged_sets.playing import Play
from tests.support.loops.running import run_real
from tests.support.verdicts import Verdicts


@pytest.mark.referee
@pytest.mark.timeout(3600)
def test_both_make_the_same_applications(programs: Programs, tmp_path: pathlib.Path) -> None:
    Repository(tmp_path / "repository").commit(dict(world.FILES))
    with code_hosts.serving() as hosts:
        places = {"REPO": f"file://{tmp_path}/repository", "HOST": hosts.address}
        live = by_argocd(tmp_path, programs, places)
        theirs = with_recorded(live, CASES, recorded.verdicts(), recorded.record)
        ours = by_syncline(tmp_path, places)
    found = unknown(recorded.differences(theirs, ours))
    assert not found, found


def by_argocd(folder: pathlib.Path, programs: Programs, places: Places) -> Verdicts:
    """Return what Argo CD makes of the cases."""
    with (
        cluster.serving(folder / "their-cluster", build.build(say=False)) as where,
        harness.running(
            folder / "argocd", where.kubeconfig_path, programs, parts=("repo-server", "applicationset-controller")
        ) as argocd,
    ):
        argocd.apply([harness.repository("cases", places["REPO"], type="git")])
        verdicts = run_real(_play(where, places, chosen(CASES)))
        assert argocd.ended() == []
        return verdicts


def by_syncline(folder: pathlib.Path, places: Places) -> Verdicts:
    """Return what Syncline makes of the cases."""

    async def main() -> Verdicts:
        async with _controller(where, folder):
            return await _play(where, places, CASES)

    permission = {this_machine.VARIABLE: places["HOST"].removeprefix("http://")}
    with (
        mock.patch.dict(os.environ, permission),
        cluster.serving(folder / "our-cluster", build.build(say=False)) as where,
    ):
        return run_real(main())


async def _play(where: cluster.Cluster, places: Places, cases: Sequence[Case]) -> Verdicts:
    transport = connect(where)
    try:
        user = KubeCluster(Patient(transport), timeout=PATIENT)
        return await Play(user, SystemClock(), cases, places).play()
    finally:
        await transport.close()


@contextlib.asynccontextmanager
async def _controller(where: cluster.Cluster, folder: pathlib.Path) -> AsyncIterator[None]:
    transport = connect(where)
    home = KubeCluster(transport)
    settings = msgspec.structs.replace(Settings(namespace=CONTROL), compat=Compat.ARGOCD)
    await create(home, await missing(home, CONTROL))
    ports = wiring.world(home, settings, _Silent(), [str(folder)])
    controller = wiring.controller(ports)
    # Argo CD's Applications are left alone too: only its ApplicationSet controller runs.
    with mock.patch.object(controller.applications, "is_ours", return_value=False):
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
