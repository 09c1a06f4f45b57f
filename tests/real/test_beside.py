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
from tests.support.beside_story import MANAGER, How
from tests.support.loops.running import run_real


class Kubectl:
    """The real kubectl, as the one who applied before us, applies after us, and judges in between."""

    def __init__(self, where: Cluster, folder: pathlib.Path) -> None:
        own = pathlib.Path(sys.executable).parent / "kubectl"
        program = str(own) if own.exists() else shutil.which("kubectl")
        assert program, "kubectl is neither in the virtual environment nor on PATH; install it"
        self._command = [program, "--kubeconfig", where.kubeconfig_path]
        self._file = folder / "desired.json"

    def diff(self, objects: list[Object], *flags: str) -> str:
        """Return what would change; empty when nothing would."""
        done = self._run("diff", objects, *flags)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    def apply(self, objects: list[Object], *flags: str) -> None:
        """Apply objects, those of a new kind after the kind."""
        kinds = [obj for obj in objects if obj["kind"] == "CustomResourceDefinition"]
        for some in (kinds, [obj for obj in objects if obj not in kinds]):
            done = self._run("apply", some, *flags)
            assert done.returncode == 0, done.stderr
            if some is kinds:
                wait = [*self._command, "wait", "--for=condition=Established", "--timeout=120s", "-f", str(self._file)]
                subprocess.run(wait, check=True, capture_output=True)

    def _run(self, verb: str, objects: list[Object], *flags: str) -> subprocess.CompletedProcess[str]:
        self._file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        command = [*self._command, verb, "-f", str(self._file), *flags]
        return subprocess.run(command, capture_output=True, text=True, check=False)


FLAGS: dict[How, tuple[str, ...]] = {
    "client-side": (f"--field-manager={MANAGER}",),
    "server-side": ("--server-side", "--force-conflicts", f"--field-manager={MANAGER}"),
    "kubectl": (),
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("how", FLAGS)
def test_take_over_and_hand_back(how: How, real_cluster: Cluster, tmp_path: pathlib.Path) -> None:
    kubectl, flags = Kubectl(real_cluster, tmp_path), FLAGS[how]

    async def apply(objects: list[Object]) -> None:
        await asyncio.to_thread(kubectl.apply, objects, *flags)

    async def left(wanted: list[Object]) -> str:
        return await asyncio.to_thread(kubectl.diff, wanted, *flags)

    async def main() -> None:
        bed = RealBed(real_cluster)
        await bed.start()
        try:
            await beside_story.take_over_and_hand_back(bed, how, apply)
            assert await left(beside_story.as_delivered(bed, beside_story.after(bed))) == ""
            known = await beside_story.identities(bed)
            # What the other removes next goes away as if nobody else had ever written there.
            wanted = beside_story.as_delivered(bed, beside_story.further(bed))
            await apply(wanted)
            assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "blue"}
            assert await left(wanted) == ""
            assert await beside_story.identities(bed) == known
            assert not bed.failures
            assert not bed.violations
        finally:
            await bed.stop()

    run_real(main())


@pytest.mark.timeout(600)
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
