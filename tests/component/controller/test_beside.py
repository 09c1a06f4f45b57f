"""Beside Argo CD: observing only reads and says what differs; take-over and hand-back leave no trace in between."""

import orjson
import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import Object
from syncline.controller.coexistence import ownership as beside
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.model.masking import as_stored
from tests.support import beside_story, manifests
from tests.support.beside_story import LAST_APPLIED, MANAGER, How, Recording
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SandboxBed


@pytest.mark.parametrize("how", ["client-side", "server-side"])
def test_an_app_of_argo_cds_is_observed_taken_over_and_handed_back(how: How) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await beside_story.take_over_and_hand_back(bed, how)
        for obj in beside_story.as_delivered(bed, beside_story.after(bed)):
            resource = await bed.resource(obj["apiVersion"], obj["kind"])
            live = await bed.user.get(resource, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
            assert live is not None
            if how == "server-side":
                predicted = await bed.user.apply(resource, obj, manager=MANAGER, dry_run=True)
                assert _bare(predicted) == _bare(live)
            else:
                applied = orjson.loads(live["metadata"]["annotations"][LAST_APPLIED])
                # As kubectl writes it: with annotations, be there any or not.
                wanted = {**obj, "metadata": {"annotations": {}, **obj["metadata"]}}
                assert applied == (as_stored(wanted) if obj["kind"] == "Secret" else wanted)
        assert not bed.failures
        assert not bed.violations
        await bed.stop()

    run_simulated(main)


def _bare(obj: Object) -> Object:
    kept = {name: value for name, value in obj["metadata"].items() if name not in ("managedFields", "resourceVersion")}
    return {**obj, "metadata": kept}


def test_a_verdict_that_differs_is_reported_with_the_object_and_the_field() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await beside_story.deliver_as_argocd(bed, "server-side")
        await bed.patch("Deployment", "web", {"spec": {"replicas": 7}})

        async def scaled() -> bool:
            status = (await bed.must_get("Deployment", "web"))["status"]
            return bool(status.get("availableReplicas") == 7)

        await bed.until(scaled, "scaled by hand")
        controller, _ = await beside_story.observe(bed)
        (found,) = controller.report().differing
        assert (found.ours.sync, found.theirs.sync) == ("OutOfSync", "Synced")
        assert found.why == ("Deployment/web: here OutOfSync (spec.replicas), Argo CD Synced",)
        assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 7, "observing heals nothing"
        assert str(controller.report()).splitlines()[0] == "0 of 1 verdicts equal Argo CD's"
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_another_revision_explains_a_difference() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await beside_story.deliver_as_argocd(bed, "server-side")
        old = (await bed.app_status())["sync"]["revision"]
        new = bed.source.commit({**beside_story.after(bed), "apps/web/web.yaml": manifests.deployment(replicas=5)})
        controller, _ = await beside_story.observe(bed)
        (found,) = controller.report().differing
        assert found.why[0] == f"another revision: here {new[:8]}, Argo CD compared {old[:8]}"
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_observing_writes_nothing_whatever_an_app_asks_for() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        bed.source.commit({**FILES, "apps/web/hook.yaml": manifests.hook("before", "PreSync")})
        wire = Recording(bed.transport())
        controller = bed.controller(wire, mode=OwnershipMode.OBSERVE)
        await controller.start()
        app = bed.application(automated=AUTO)
        app["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
        await bed.apply(app)
        marks = {"argocd.argoproj.io/refresh": "hard"}
        await bed.patch("Application", "web", {"metadata": {"annotations": marks}}, API, bed.control)
        await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)
        broken = bed.application("broken", automated=AUTO)
        broken["spec"]["syncPolicy"]["automated"]["prune"] = True
        broken["spec"]["project"] = "nowhere"
        await bed.apply(broken)
        await bed.quiet()
        await bed.delete("Application", "web", API, bed.control)
        await bed.quiet()
        assert wire.writes == []
        assert len(wire.asked) > 10
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_an_app_that_a_person_paused_is_not_taken_for_ours_and_stays_paused_on_hand_back() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        app = bed.application()
        app["metadata"]["annotations"] = {"argocd.argoproj.io/skip-reconcile": "true"}
        await bed.apply(app)
        given = await beside.hand_back(bed.user, [await bed.app()])
        assert (given.changed, given.unchanged) == ((), ())
        assert (await bed.app())["metadata"]["annotations"] == {"argocd.argoproj.io/skip-reconcile": "true"}
        await bed.stop()

    run_simulated(main)


NAME = {"app.kubernetes.io/name": "argocd-application-controller"}
COMPONENT = {"app.kubernetes.io/component": "application-controller", "app.kubernetes.io/part-of": "argocd"}
OTHER = {"app.kubernetes.io/name": "argocd-server"}


@pytest.mark.parametrize(
    ("labels", "replicas", "found"),
    [
        (NAME, 1, "StatefulSet argocd/rival"),
        (COMPONENT, 1, "StatefulSet argocd/rival"),
        (NAME, 0, "None"),
        (OTHER, 1, "None"),
    ],
)
def test_a_living_controller_of_argo_cds_is_found(labels: dict[str, str], replicas: int, found: str) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        template = {"metadata": {"labels": {"app": "c"}}, "spec": {"containers": [{"name": "c", "image": "c:1"}]}}
        await bed.apply(
            {
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "metadata": {"name": "rival", "namespace": "argocd", "labels": labels},
                "spec": {
                    "replicas": replicas,
                    "serviceName": "rival",
                    "selector": {"matchLabels": {"app": "c"}},
                    "template": template,
                },
            }
        )
        rival = await beside.find_rival(KubeCluster(bed.sandbox.transport()), "argocd")
        assert str(rival) == found
        await bed.stop()

    run_simulated(main)
