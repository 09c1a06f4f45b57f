"""A drain that a PodDisruptionBudget blocks: `why` says so, and each way out that it prints lets the pod go."""

import dataclasses
import json

import pytest

from syncline.ports.transport import Request
from syncline.sandbox.cluster.settings import NodeSpec, SandboxSettings
from tests.support.breakages import Breakage, deployment
from tests.support.loops.simulated import run_simulated
from tests.support.repairs import Repairs
from tests.support.world import SandboxBed

BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app: web
"""
DRAINED = Breakage(name="drained", files={"web.yaml": deployment(), "budget.yaml": BUDGET}, says=())
TWO = SandboxSettings(nodes=(NodeSpec(name="node-a"), NodeSpec(name="node-b")))


@dataclasses.dataclass
class Drained:
    """What `why` said before and after a way was followed, and whether the pod could be evicted then."""

    refused: int = 0
    before: str = ""
    after: str = ""
    evicted: int = 0


async def cordon(bed: SandboxBed) -> str:
    """Cordon the node of the first pod, and return the pod's name."""
    pods = (await bed.user.list(await bed.resource("v1", "Pod"), namespace="drained")).items
    node = pods[0]["spec"]["nodeName"]
    await bed.user.patch(
        await bed.resource("v1", "Node"), "", node, {"spec": {"unschedulable": True}}, manager="kubectl"
    )
    return str(pods[0]["metadata"]["name"])


async def evict(bed: SandboxBed, pod: str) -> int:
    """Ask for the eviction of a pod as kubectl drain does; return how that is answered."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": "drained"}}
    path = f"/api/v1/namespaces/drained/pods/{pod}/eviction"
    headers = {"Content-Type": "application/json"}
    response = await bed.transport().send(
        Request(method="POST", path=path, headers=headers, body=json.dumps(body).encode())
    )
    await response.read()
    return response.status


def drained(way: int, *, cordoned: bool = True) -> Drained:
    told = Drained()

    async def main() -> None:
        bed = SandboxBed(played=TWO)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        repairs = Repairs(bed, [dataclasses.replace(DRAINED, way=way)])
        await repairs.break_all()
        pod = await cordon(bed) if cordoned else ""
        told.refused = await evict(bed, pod) if pod else 0
        await repairs.ask_all()
        told.before = repairs.told["drained"].words
        if way:
            await repairs.repair_all()
            told.after = repairs.told["drained"].shown_after
            told.evicted = await evict(bed, pod)
        await controller.stop()
        await bed.stop()

    run_simulated(main)
    return told


@pytest.mark.parametrize("way", [1, 2, 3])
def test_each_way_that_is_printed_lets_the_node_be_drained(way: int) -> None:
    told = drained(way)
    assert told.refused == 429
    assert "PodDisruptionBudget/web never lets a pod go: minAvailable is 1 with 1 pod" in told.before
    assert "apps/drained/budget.yaml:6 minAvailable: 1" in told.before
    assert "apps/drained/web.yaml:6 replicas: 1" in told.before
    assert "nothing to explain" in told.after
    assert told.evicted in (201, 404), "it may go, or is gone already"


def test_a_budget_that_nobody_asks_is_no_trouble() -> None:
    assert "nothing to explain" in drained(0, cordoned=False).before
