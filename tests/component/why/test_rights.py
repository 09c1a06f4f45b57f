"""Whoever may read little still gets an answer, and is told what could not be read."""

from typing import Any

from syncline.adapters.kube.client import KubeCluster
from syncline.cli.show.why_screen import screen
from syncline.sandbox.cluster.controls import Controls, Denial
from syncline.verbs.explain import explain
from syncline.verbs.look import looking
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed

CRASHING = manifests.deployment(image="example/web:1").replace(
    "image: example/web:1", 'image: example/web:1\n          command: [sh, -c, "exit 3"]'
)
AUTO = {"prune": True, "selfHeal": True}


def asked(*denied: str) -> str:
    """Return what `why` says of an app that crashes to somebody who may not read these resources."""
    shown: list[str] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        controller = bed.controller()
        await controller.start()
        bed.source.commit({"apps/web/web.yaml": CRASHING})
        await bed.apply(bed.application(automated=AUTO))
        await bed.clock.sleep(120)
        bed.sandbox.controls = Controls(denials=(Denial(users=("reader",), resources=denied),))
        reader = bed.sandbox.transport("reader", ("system:masters",))

        def world(_cluster: Any, _settings: Any) -> Any:
            return bed.world(reader)

        async with looking(KubeCluster(reader), bed.control, world) as view:
            found = await explain(view, await bed.app())
        shown.append(" ".join(screen(found.explanation, bed.clock.now(), width=200, height=60).split()))
        await controller.stop()
        await bed.stop()

    run_simulated(main)
    return shown[0]


def test_what_may_not_be_read_is_named_and_the_cause_too() -> None:
    told = asked("pods/log", "nodes")
    assert "Deployment/web: container main crashed" in told
    assert "exit code 3" in told
    assert "could not be read: Node, pods/log" in told


def test_nothing_is_said_of_what_can_be_read() -> None:
    assert "could not be read" not in asked("widgets")
