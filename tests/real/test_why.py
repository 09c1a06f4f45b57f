"""What a real kube-apiserver says when it refuses an object: `why` reads the field, and names the line and the fix."""

from typing import Any

import pytest

from syncline.cli.show.why_screen import screen
from syncline.verbs.explain import explain
from syncline.verbs.look import looking
from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support.breakages import AUTO, config, deployment
from tests.support.loops.running import run_real

REFUSED = {
    "field": (deployment("field").replace("replicas:", "replcas:"), "apps/field/a.yaml:6: replcas: → replicas:"),
    "typed": (
        deployment("typed").replace("replicas: 1", "replicas: two"),
        "decide: correct spec.replicas at apps/typed/a.yaml:6",
    ),
    "chosen": (
        deployment("chosen", container="imagePullPolicy: Alwayss\n"),
        "apps/chosen/a.yaml:18: Alwayss → Always",
    ),
    "labels": (
        deployment("labels").replace("        app: labels\n    spec", "        app: lables\n    spec"),
        "decide: correct spec.template.metadata.labels at apps/labels/a.yaml:12",
    ),
    "version": (deployment("version").replace("apps/v1", "app/v1"), "apps/version/a.yaml:1: app/v1 → apps/v1"),
    "spelled": (deployment("spelled").replace("kind: Deployment", "kind: Deploymnet"), "Deploymnet → Deployment"),
    "removed": (
        "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: a\nspec:\n  schedule: 0 0 1 1 *\n",
        "Kubernetes 1.25 removed it, and batch/v1 replaces it",
    ),
    "nowhere": (
        config("a").replace("  name: a\n", "  name: a\n  namespace: no-such-place\n"),
        "ConfigMap/a: namespace no-such-place does not exist",
    ),
}


@pytest.mark.timeout(900)
def test_the_words_of_a_real_server_are_understood(real_cluster: Cluster) -> None:
    shown: dict[str, str] = {}

    async def main() -> None:
        bed = RealBed(real_cluster)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        door = bed.transport()
        try:
            bed.source.commit({f"apps/{name}/a.yaml": text for name, (text, _words) in REFUSED.items()})
            for name in REFUSED:
                app = bed.application(name, automated=AUTO)
                app["spec"]["source"]["path"] = f"apps/{name}"
                await bed.apply(app)
            await bed.clock.sleep(20)

            def world(_cluster: Any, _settings: Any) -> Any:
                return bed.world(door)

            for name in REFUSED:
                async with looking(bed.user, bed.control, world) as view:
                    found = await explain(view, await bed.app(name))
                shown[name] = " ".join(screen(found.explanation, bed.clock.now(), width=200, height=60).split())
        finally:
            await door.close()
            await controller.stop()
            await bed.stop()

    run_real(main())
    assert {name: told for name, told in shown.items() if REFUSED[name][1] not in told} == {}
