"""Warning Events about objects that are not Healthy: they count for health, wake their app, and never fail anything."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.controller.controller import Controller
from syncline.model.look_again import LookAgain
from syncline.model.progress import TroubleReported
from syncline.model.settings.resources import RespectRbac
from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.event_stories import AUTO, claim_file, health, not_found, storage_class
from tests.support.fleet import Fleet, describe
from tests.support.loops.simulated import run_simulated
from tests.support.played import PickyBed, tell
from tests.support.world import SETTINGS, SandboxBed

Told = Callable[[SandboxBed, Controller], Awaitable[None]]
EVENTS = "/api/v1/events"


async def deliver(bed: SandboxBed, health: str, **files: str) -> None:
    bed.source.commit({f"apps/web/{name}.yaml": text for name, text in files.items()})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_status("Synced", health)


def followed(told: Told, **settings: Any) -> None:
    async def main() -> None:
        bed = SandboxBed(settings=msgspec.structs.replace(SETTINGS, **settings))
        await bed.start()
        controller = bed.controller()
        await controller.start()
        await told(bed, controller)
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def event_about(claim: Object, number: int, **fields: Any) -> Object:
    metadata = claim["metadata"]
    about = {name: metadata[name] for name in ("namespace", "name", "uid")}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"data.{number}", "namespace": metadata["namespace"]},
        "involvedObject": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **about},
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": "quota exceeded",
        "lastTimestamp": "2031-01-01T00:00:00Z",
        **fields,
    }


def test_with_compat_argocd_a_claim_that_cannot_be_provisioned_is_progressing() -> None:
    async def story(bed: PickyBed) -> None:
        await deliver(bed, "Progressing", data=claim_file("nowhere"))
        await bed.clock.sleep(30)
        assert await bed.status() == ("Synced", "Progressing")

    tell(story, Compat.ARGOCD)


def test_an_event_that_comes_long_after_its_claim_leads_to_another_look() -> None:
    async def told(bed: SandboxBed, _controller: Controller) -> None:
        # A claim without a class waits in silence; the sandbox says so in a Normal Event.
        await deliver(bed, "Progressing", data=claim_file('""'))
        await bed.clock.sleep(600)
        await bed.apply(event_about(await bed.must_get("PersistentVolumeClaim", "data", "v1"), 1))
        await bed.clock.sleep(5)
        assert await bed.status() == ("Synced", "Degraded")
        assert await health(bed) == {"status": "Degraded", "message": "quota exceeded"}
        await bed.delete("Event", "data.1", "v1")
        await bed.clock.sleep(5)
        assert await bed.status() == ("Synced", "Progressing")

    followed(told, refresh_interval=100_000.0)


def test_an_event_about_a_claim_that_was_deleted_says_nothing_about_its_successor() -> None:
    async def told(bed: SandboxBed, _controller: Controller) -> None:
        await deliver(bed, "Progressing", data=claim_file('""'))
        claim = await bed.must_get("PersistentVolumeClaim", "data", "v1")
        claim["metadata"]["uid"] = "of-the-claim-before"
        await bed.apply(event_about(claim, 1))
        await bed.clock.sleep(10)
        assert await bed.status() == ("Synced", "Progressing")

    followed(told)


def test_a_flood_of_events_leads_to_a_few_looks_and_one_that_only_counts_on_to_none() -> None:
    async def told(bed: SandboxBed, controller: Controller) -> None:
        await deliver(bed, "Progressing", data=claim_file('""'))
        claim = await bed.must_get("PersistentVolumeClaim", "data", "v1")
        await bed.clock.sleep(10)
        taken: list[AppKey] = []
        reconcile = controller.applications.reconcile

        async def counted(key: AppKey) -> LookAgain:
            taken.append(key)
            return await reconcile(key)

        controller.applications.reconcile = counted  # type: ignore[method-assign]
        for number in range(200):
            await bed.apply(event_about(claim, number, message=f"attempt {number}"))
            await bed.clock.sleep(0.1)
        await bed.clock.sleep(10)
        assert 1 <= len(taken) <= 15
        taken.clear()
        for count in range(50):
            await bed.apply(event_about(claim, 199, message="attempt 199", count=count))
            await bed.clock.sleep(1)
        assert taken == []

    followed(told, refresh_interval=100_000.0)


def test_nothing_is_kept_about_objects_that_are_healthy() -> None:
    async def told(bed: SandboxBed, controller: Controller) -> None:
        await deliver(bed, "Degraded", data=claim_file("later"), web=manifests.deployment())
        assert len(controller.live.events) == 1
        pods = await bed.user.list(await bed.resource("v1", "Pod"), namespace=bed.target)
        await bed.apply(storage_class("later"))
        await bed.until_delivered()
        claim = await bed.must_get("PersistentVolumeClaim", "data", "v1")
        for number, about in enumerate((claim, *pods.items)):
            event = event_about(about, number)
            event["involvedObject"]["kind"] = about["kind"]
            await bed.apply(event)
        await bed.clock.sleep(5)
        assert len(controller.live.events) == 0

    followed(told)


@pytest.mark.parametrize(("respected", "said"), [(RespectRbac.OFF, 1), (RespectRbac.NORMAL, 0)])
def test_without_a_right_to_read_events_all_goes_on_without_them_and_that_is_said_once(
    respected: RespectRbac, said: int
) -> None:
    async def story(bed: PickyBed) -> None:
        await deliver(bed, "Progressing", data=claim_file("nowhere"), extra=manifests.CONFIG)
        await bed.clock.sleep(300)
        assert await bed.status() == ("Synced", "Progressing")
        troubles = [event for event in bed.events.seen if isinstance(event, TroubleReported)]
        assert [event.app for event in troubles] == ["/warnings"] * said
        assert all(event.message.startswith("health is assessed without Events: ") for event in troubles)
        # Nothing depends on Events: what Git no longer has is pruned all the same.
        bed.source.commit({"apps/web/data.yaml": claim_file("nowhere")})
        await bed.until_status("Synced", "Progressing")
        await bed.clock.sleep(30)
        assert await bed.get("ConfigMap", "settings", "v1") is None
        bed.forbidden.clear()
        await bed.until_status("Synced", "Degraded")
        troubles = [event for event in bed.events.seen if isinstance(event, TroubleReported)]
        assert [event.resolved for event in troubles] == [False, True][: 2 * said]

    tell(story, forbidden=[("GET", EVENTS)], respect_rbac=respected)


def test_where_only_some_namespaces_are_seen_events_are_read_in_those_alone() -> None:
    async def main() -> None:
        bed, fleet = SandboxBed(), Fleet("east")
        bed.connector = fleet
        await bed.start()
        await fleet.start()
        east, asked = fleet.members["east"], list[str]()
        east.sandbox.on_request = lambda done: asked.append(done.path) if done.user == "syncline" else None
        for namespace in ("web", "shop", "else"):
            obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            await east.user.apply(await bed.resource("v1", "Namespace"), obj, manager="kubectl")
        await bed.apply(describe(bed.control, "east", east.server, namespaces="web,shop"))
        controller = bed.controller()
        await controller.start()
        bed.source.commit({"apps/web/data.yaml": claim_file("nowhere")})
        app = bed.application(automated=AUTO, destination={"namespace": "web", "name": "east"})
        app["spec"]["syncPolicy"]["syncOptions"] = []
        await bed.apply(app)
        await bed.until_status("Synced", "Degraded")
        assert await health(bed) == {"status": "Degraded", "message": not_found("nowhere")}
        read = {path.partition("?")[0] for path in asked if "/events" in path and "/api/v1/" in path}
        assert read == {"/api/v1/namespaces/web/events", "/api/v1/namespaces/shop/events"}
        assert not bed.failures
        await controller.stop()
        await fleet.stop()
        await bed.stop()

    run_simulated(main)


def test_a_controller_that_starts_knows_of_events_from_before() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        first = bed.controller()
        await first.start()
        await deliver(bed, "Degraded", data=claim_file("nowhere"))
        await first.stop()
        await bed.still()
        written = len(bed.writes)
        second = bed.controller()
        await second.start()
        await bed.clock.sleep(60)
        assert await bed.status() == ("Synced", "Degraded")
        assert bed.writes[written:] == [], "the app does not turn Progressing and back"
        await second.stop()
        await bed.stop()

    run_simulated(main)
