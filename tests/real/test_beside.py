"""Take-over from Argo CD and hand-back on a real kube-apiserver; kubectl and the audit log are the judges."""

import asyncio
import json
import pathlib
import shutil
import subprocess
import sys
import uuid

import pytest

from syncline.apimachinery.keys import Object
from tests.real import audit
from tests.real.api import Api
from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support import beside_story
from tests.support.beside_story import AFTER, MANAGER, How
from tests.support.loops.running import run_real


def kubectl_diff(where: Cluster, folder: pathlib.Path, objects: list[Object], *arguments: str) -> str:
    """Return what kubectl says would change; empty when nothing would."""
    own = pathlib.Path(sys.executable).parent / "kubectl"
    program = str(own) if own.exists() else shutil.which("kubectl")
    assert program, "kubectl is neither in the virtual environment nor on PATH; install it"
    file = folder / "desired.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    command = [program, "--kubeconfig", where.kubeconfig_path, "diff", "-f", str(file), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.timeout(180)
@pytest.mark.parametrize("how", ["client-side", "server-side"])
def test_take_over_and_hand_back(how: How, real_cluster: Cluster, tmp_path: pathlib.Path) -> None:
    async def main() -> None:
        bed = RealBed(real_cluster)
        await bed.start()
        try:
            await beside_story.take_over_and_hand_back(bed, how)
            flags = ["--server-side", "--force-conflicts", f"--field-manager={MANAGER}"]
            wanted = beside_story.as_delivered(bed, AFTER)
            chosen = flags if how == "server-side" else [f"--field-manager={MANAGER}"]
            left = await asyncio.to_thread(kubectl_diff, real_cluster, tmp_path, wanted, *chosen)
            assert left == ""
            assert not bed.failures
            assert not bed.violations
        finally:
            await bed.stop()

    run_real(main())


@pytest.mark.timeout(120)
def test_the_audit_log_shows_that_observing_only_reads(real_cluster: Cluster, api: Api) -> None:
    async def main() -> RealBed:
        bed = RealBed(real_cluster)
        await bed.start()
        try:
            await beside_story.deliver_as_argocd(bed, "client-side")
            # Whoever plays the controllers of a cluster writes too, so it has to be done first.
            await bed.stop_playing()
            audit.settle(api, uuid.uuid4().hex)
            before = [audit.writes(real_cluster, name) for name in (bed.control, bed.target)]
            controller, _ = await beside_story.observe(bed)
            await controller.stop()
            audit.settle(api, uuid.uuid4().hex)
            assert [audit.writes(real_cluster, name) for name in (bed.control, bed.target)] == before
            return bed
        finally:
            await bed.stop()

    run_real(main())
