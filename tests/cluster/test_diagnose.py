"""Faults on a whole control plane: real controllers, a real scheduler and real quotas say what is wrong, no sandbox.

`diagnose` names each of them, and nothing else. What only a kubelet notices (an image that is not there, a missing
ConfigMap, a probe) cannot be had here: KWOK runs every pod that was scheduled.
"""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model import names
from syncline.model.diagnosis import Diagnosis
from syncline.model.fleet import FleetSnapshot
from syncline.verbs.fleet.reading import Wish, read_cluster
from tests.cluster.plane import node
from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support.breakages import AUTO, CLAIM, HELD, MOUNTED, config, deployment
from tests.support.loops.running import run_real

QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small}\nspec:\n  hard: {pods: '1'}\n"
REQUESTS = "resources:\n  requests:\n    {}: {}\n"
PATIENCE = 240.0


@dataclasses.dataclass(frozen=True)
class Fault:
    """One app that is broken: its files, and the code and the thing that its cause is found at, in namespace NS."""

    files: dict[str, str]
    code: str
    thing: str
    later: dict[str, str] | None = None
    """Its files once it runs."""


FAULTS = {
    "class": Fault({"a": CLAIM, "b": deployment(pod=MOUNTED)}, "WKL-101", "StorageClass/fast-ssd"),
    "selector": Fault({"a": deployment(pod="nodeSelector: {disk: nvme}\n")}, "WKL-001", "nodes disk=nvme"),
    "memory": Fault({"a": deployment(container=REQUESTS.format("memory", "640Gi"))}, "WKL-001", "Deployment/web in NS"),
    "gpu": Fault(
        {"a": deployment(container="resources:\n  limits: {example.com/gpu: 1}\n")}, "WKL-001", "nodes example.com/gpu"
    ),
    "quota": Fault({"a": QUOTA, "b": deployment(replicas=3)}, "WKL-004", "ResourceQuota/small in NS"),
    "account": Fault({"a": deployment(pod="serviceAccountName: runner\n")}, "SEC-004", "ServiceAccount/runner in NS"),
    "taint": Fault({"a": deployment(pod="nodeSelector: {pool: data}\n")}, "WKL-001", "nodes team=data:NoSchedule"),
    "namespace": Fault({"a": deployment(), "b": HELD}, "LIV-010", "ConfigMap/held in NS"),
    "immutable": Fault({"a": deployment()}, "OWN-007", "Deployment/web in NS", {"a": deployment(app="shop")}),
}
TAINTED = node("diagnosed", {"pool": "data"}, [{"key": "team", "value": "data", "effect": "NoSchedule"}])
WELL = {"a": deployment(replicas=2), "b": config("settings")}


class PlaneBed(RealBed):
    """A bed on a control plane, where nobody has to play its controllers."""

    patience = PATIENCE

    async def start(self) -> None:
        await super().start()
        await self.stop_playing()

    async def deliver(self, name: str) -> None:
        app = self.application(name, automated=AUTO)
        app["spec"]["source"]["path"] = f"apps/{name}"
        app["spec"]["destination"]["namespace"] = self.place(name)
        await self.apply(app)

    def place(self, name: str) -> str:
        """Return the namespace of an app."""
        return f"{self.target}-{name}"

    async def diagnosed(self) -> Diagnosis:
        """Return what is found half an hour from now: what is being deleted is given ten minutes."""
        read = await read_cluster(self.user, Wish(name="plane", server=names.IN_CLUSTER_SERVER))
        as_of = (self.clock.now() + timedelta(minutes=30)).isoformat()
        return diagnose(FleetSnapshot(as_of=as_of, origin="the control plane", clusters=(read.snapshot,)))


def files(**apps: dict[str, str]) -> dict[str, str]:
    return {f"apps/{app}/{name}.yaml": text for app, texts in apps.items() for name, text in texts.items()}


@pytest.mark.timeout(900)
def test_each_fault_is_named_and_nothing_else(control_plane: Cluster) -> None:
    found: dict[str, Any] = {}
    bed = PlaneBed(control_plane)
    expected = {(fault.code, fault.thing.replace("NS", bed.place(name))) for name, fault in FAULTS.items()}

    async def main() -> None:
        await bed.start()
        controller = bed.controller()
        await controller.start()
        try:
            await bed.apply(TAINTED)
            bed.source.commit(files(well=WELL, **{name: fault.files for name, fault in FAULTS.items()}))
            for name in ("well", *FAULTS):
                await bed.deliver(name)
            await bed.until_status("Synced", "Healthy", "well")
            for name in ("immutable", "namespace"):
                await bed.until_status("Synced", "Healthy", name)
            await bed.delete("Namespace", bed.place("namespace"), "v1", "")
            bed.source.commit(files(well=WELL, **{name: fault.later or fault.files for name, fault in FAULTS.items()}))

            async def named() -> bool:
                diagnosis = await bed.diagnosed()
                found["causes"] = {(one.finding.code, str(one.thing)) for one in diagnosis.causes}
                found["unexplained"] = [one.message for one in diagnosis.unexplained]
                found["good"] = diagnosis.good
                return found["causes"] == expected and not diagnosis.unexplained

            try:
                await bed.until(named, "every fault is named")
            except AssertionError:
                assert found["causes"] == expected
                raise
        finally:
            await controller.stop()
            await bed.delete("Node", "diagnosed", "v1", "")
            free = {"metadata": {"finalizers": None}}
            await bed.patch("ConfigMap", "held", free, "v1", bed.place("namespace"))
            for name in ("well", *FAULTS):
                await bed.delete("Namespace", bed.place(name), "v1", "")
            await bed.stop()

    run_real(main())
    assert found["good"] == 1
