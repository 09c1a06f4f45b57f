"""Causes that are not in the app that is asked about: `why` names them, with the log of the pod where they show."""

from typing import Any

from syncline.cli.show.why_screen import screen
from syncline.verbs.explain import explain
from syncline.verbs.look import looking
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed

AUTO = {"prune": True, "selfHeal": True}
CHILD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: child
  namespace: argocd
spec:
  project: default
  source: {repoURL: "https://git.example/repo.git", path: apps/child, targetRevision: main}
  destination: {server: "https://kubernetes.default.svc", namespace: shop}
  syncPolicy:
    automated: {}
    syncOptions: [CreateNamespace=true]
"""
CRASHING = manifests.deployment(image="example/web:1").replace(
    "image: example/web:1",
    "image: example/web:1\n          command: [sh, -c, \"echo 'no such table: orders'; exit 3\"]",
)


def asked(*, outside: bool) -> str:
    """Return what `why` says of an app that delivers another one, which crashes."""
    shown: list[str] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        controller = bed.controller()
        await controller.start()
        parent = bed.application(automated=AUTO)
        manifest = CHILD.replace("namespace: argocd", f"namespace: {bed.control}")
        bed.source.commit({"apps/web/child.yaml": manifest, "apps/child/web.yaml": CRASHING})
        await bed.apply(parent)
        await bed.clock.sleep(900)

        def world(_cluster: Any, _settings: Any) -> Any:
            return bed.world()

        async with looking(bed.user, bed.control, world) as view:
            found = await explain(view, await bed.app(), outside=outside)
        shown.append(" ".join(screen(found.explanation, bed.clock.now(), width=200, height=60).split()))
        await controller.stop()
        await bed.stop()

    run_simulated(main)
    return shown[0]


def test_an_app_of_apps_says_what_crashes_in_its_child_and_what_it_printed() -> None:
    told = asked(outside=True)
    assert "Deployment/web in shop: container main" in told
    assert "no such table: orders" in told
    assert "because of Deployment/web in shop" in told.partition("Application/child is Degraded")[2]


def test_without_what_is_outside_it_only_leads_to_the_child() -> None:
    told = asked(outside=False)
    assert "no such table" not in told.partition("Application/child")[0]
    assert "syncline why child" in told
