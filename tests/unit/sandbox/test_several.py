"""Several sandboxes in one process: what happens in one is not seen in another."""

from __future__ import annotations

from typing import Any

from syncline.sandbox.cluster import controls
from syncline.sandbox.cluster.settings import NodeSpec, SandboxSettings
from syncline.sandbox.server import Sandbox
from tests.support.clocks import SeededIds
from tests.unit.sandbox.driving import (
    CONFIG_MAPS,
    DEFINITIONS,
    DEPLOYMENTS,
    PODS,
    WIDGETS,
    Kube,
    config_map,
    definition,
    play,
    widget,
    workload,
)


def test_objects_kinds_controls_and_addresses_are_of_one_sandbox_alone() -> None:
    async def story(kube: Kube) -> Any:
        other = Sandbox(kube.clock, SeededIds(5), settings=SandboxSettings(nodes=(NodeSpec(name="far"),)))
        await other.start()
        await other.settled()
        there = Kube(other)
        other.controls = controls.load(b"admission: [{kind: ConfigMap, deny: not here}]")
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        await kube.create(WIDGETS, widget())
        await kube.create(CONFIG_MAPS, config_map("mine"))
        refused = (await there.refusal("POST", CONFIG_MAPS, config_map("mine")))[2]
        kinds = await kube.names(DEFINITIONS), await there.names(DEFINITIONS)
        for one in (kube, there):
            await one.create(DEPLOYMENTS, workload(replicas=1))
            await one.until(f"{DEPLOYMENTS}/web", lambda obj: obj["status"].get("readyReplicas") == 1)
        pods = [(await one.get(PODS))["items"][0] for one in (kube, there)]
        await other.stop()
        return refused, kinds, [(pod["spec"]["nodeName"], pod["status"]["podIP"]) for pod in pods]

    refused, kinds, ((node, address), (other_node, other_address)) = play(story)
    assert refused.endswith("denied the request: not here")
    assert kinds == (["widgets.example.io"], [])
    assert (node, other_node) == ("sandbox-node", "far")
    assert address == other_address
