"""The controller tells people what is due about Applications and causes: once, and again only when it is due again."""

import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

from syncline.controller.controller import Controller
from syncline.controller.notify.outbox import TROUBLE
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from syncline.model.fleet import FleetSnapshot
from syncline.model.notifications import HttpMessage, Message
from syncline.model.progress import TroubleReported
from syncline.model.published_crd import diagnosis_crd
from syncline.ports.notify import NotDelivered
from syncline.sandbox.cluster.controls import Controls, Fault
from tests.component.controller.test_diagnosis import WEB, break_image, until_causes
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SandboxBed

NOTIFIED = "notified.notifications.argoproj.io"
SETTINGS = {
    "service.webhook.ops": "url: https://ops.example/$path\nheaders: [{name: X-Token, value: $token}]\n",
    "template.deployed": "message: '{{.app.metadata.name}} is deployed'\n",
    "template.degraded": "message: '{{.app.metadata.name}} is {{.app.status.health.status}}'\n",
    "trigger.on-deployed": (
        "- when: app.status.operationState.phase in ['Succeeded'] and app.status.health.status == 'Healthy'\n"
        "  oncePer: app.status.operationState?.syncResult?.revision\n"
        "  send: [deployed]\n"
    ),
    "trigger.on-degraded": "- when: app.status.health.status == 'Degraded'\n  send: [degraded]\n",
}


class Receiver:
    """Keeps what it is sent; fails as often as it is told."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.failing: list[NotDelivered] = []
        self.attempts = 0

    async def deliver(self, message: Message) -> None:
        self.attempts += 1
        if self.failing:
            raise self.failing.pop(0)
        assert isinstance(message, HttpMessage)
        assert message.url == "https://ops.example/in"
        assert message.headers == {"X-Token": "s3cret-token"}
        self.taken.append(message.body)


async def think(snapshot: FleetSnapshot) -> Diagnosis:
    return diagnose(snapshot)


def controller(bed: SandboxBed, receiver: Receiver) -> Controller:
    world = bed.world()
    world.messenger = receiver
    return Controller(world, on_failure=lambda what, error: bed.failures.append((what, error)), think=think)


async def configure(bed: SandboxBed, **more: str) -> None:
    metadata = {"name": "argocd-notifications-cm", "namespace": bed.control}
    data = {**SETTINGS, **{name.replace("__", "."): text for name, text in more.items()}}
    await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    secret = {"token": "s3cret-token", "path": "in"}
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in secret.items()}
    metadata = {"name": "argocd-notifications-secret", "namespace": bed.control}
    await bed.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": encoded})


Told = Callable[[SandboxBed, Receiver], Awaitable[None]]


def play(told: Told, *, causes: bool = False) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        if causes:
            await bed.apply(diagnosis_crd())
            await bed.until(lambda: bed.served("diagnoses"), "diagnoses are served")
        receiver = Receiver()
        running = controller(bed, receiver)
        await running.start()
        await told(bed, receiver)
        assert not bed.failures
        assert not bed.violations
        await running.stop()
        await bed.stop()

    run_simulated(main)


def subscribed(bed: SandboxBed, *triggers: str) -> dict[str, Any]:
    app = bed.application(automated=AUTO)
    annotations = {f"notifications.argoproj.io/subscribe.{trigger}.ops": "" for trigger in triggers}
    return {**app, "metadata": {**app["metadata"], "annotations": annotations}}


async def until_taken(bed: SandboxBed, receiver: Receiver, *texts: str) -> None:
    async def taken() -> bool:
        return len(receiver.taken) >= len(texts)

    await bed.until(taken, f"taken: {texts}")
    await bed.quiet()
    assert receiver.taken == list(texts)


def troubles(bed: SandboxBed) -> list[str]:
    said = [one for one in bed.events.seen if isinstance(one, TroubleReported) and one.app.startswith(TROUBLE)]
    return [one.message for one in said if not one.resolved]


async def notified(bed: SandboxBed) -> dict[str, int]:
    found: dict[str, int] = json.loads((await bed.app())["metadata"].get("annotations", {}).get(NOTIFIED, "{}"))
    return found


def test_a_deployment_is_told_once_per_revision_and_noted_as_argo_cd_does() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        await configure(bed)
        bed.source.commit(FILES)
        await bed.apply(subscribed(bed, "on-deployed", "on-degraded"))
        await bed.until_delivered()
        await until_taken(bed, receiver, "web is deployed")
        revision = (await bed.app_status())["operationState"]["syncResult"]["revision"]
        [key] = await notified(bed)
        # The key that Argo CD writes for the expression of its catalogue, as many reports about it quote it.
        assert key == f"{revision}:on-deployed:[0].y7b5sbwa2Q329JYH755peeq-fBs:ops:"
        await bed.patch("Application", "web", {"metadata": {"labels": {"a": "b"}}}, API, bed.control)
        await bed.quiet()
        assert receiver.taken == ["web is deployed"]
        assert troubles(bed) == []

    play(told)


def test_a_condition_that_holds_again_is_told_again() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        await configure(bed)
        bed.source.commit({"apps/web/web.yaml": WEB % "1"})
        await bed.apply(subscribed(bed, "on-degraded"))
        await bed.until_delivered()
        assert receiver.taken == []
        for count in (1, 2):
            await bed.patch("Application", "web", {"spec": {"syncPolicy": {"automated": None}}}, API, bed.control)
            spec = {"spec": {"progressDeadlineSeconds": 5}}
            await bed.patch("Deployment", "web", spec)
            image = {"containers": [{"name": "web", "image": "example/web:missing"}]}
            await bed.patch("Deployment", "web", {"spec": {"template": {"spec": image}}})
            await bed.until_status("OutOfSync", "Degraded")
            await until_taken(bed, receiver, *["web is Degraded"] * count)
            await bed.patch("Application", "web", {"spec": {"syncPolicy": {"automated": AUTO}}}, API, bed.control)
            await bed.until_status("Synced", "Healthy")
            await bed.quiet()
            assert await notified(bed) == {}

    play(told)


def test_a_receiver_that_is_down_is_asked_ever_less_often_and_told_when_it_is_back() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        receiver.failing = [NotDelivered("ops.example did not answer: connection refused") for _ in range(4)]
        await configure(bed)
        bed.source.commit(FILES)
        await bed.apply(subscribed(bed, "on-deployed"))
        await bed.until_delivered()
        await bed.clock.sleep(30)
        assert receiver.attempts in (3, 4)
        assert await notified(bed) == {}
        await bed.clock.sleep(120)
        assert (receiver.taken, receiver.attempts) == (["web is deployed"], 5)
        assert len(await notified(bed)) == 1
        [said] = troubles(bed)
        assert said == "a notification was not sent: ops.example did not answer: connection refused"

    play(told)


def test_a_bad_trigger_and_a_missing_one_are_named_and_the_others_go_on() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        await configure(bed, trigger__broken="- when: app.status. ==\n  send: [deployed]\n")
        bed.source.commit(FILES)
        await bed.apply(subscribed(bed, "on-deployed", "broken", "typo"))
        await bed.until_delivered()
        await until_taken(bed, receiver, "web is deployed")
        said = "\n".join(troubles(bed))
        assert "trigger.broken: when of condition 0: unexpected '==' at character 13" in said
        assert "trigger typo does not exist: add trigger.typo" in said
        assert "s3cret" not in said

    play(told)


def test_settings_that_cannot_be_read_are_said_once_asked_for_seldom_and_used_as_soon_as_they_can_be() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        path = "*/secrets/argocd-notifications-secret"
        refused = Fault(methods=("GET",), path=path, user="syncline", code=403, reason="Forbidden")
        bed.sandbox.controls = Controls(faults=(refused,))
        await configure(bed)
        bed.source.commit(FILES)
        await bed.apply(subscribed(bed, "on-deployed"))
        await bed.until_delivered()
        await bed.quiet()
        [said] = troubles(bed)
        assert said.startswith("the settings of notifications cannot be read: ")
        assert receiver.taken == []
        bed.sandbox.controls = Controls()
        await bed.clock.sleep(61)
        await until_taken(bed, receiver, "web is deployed")

    play(told)


def test_everybody_is_subscribed_by_the_config_map_and_by_the_project() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        await configure(bed, subscriptions="- recipients: [ops]\n  triggers: [on-deployed]\n  selector: team=a\n")
        bed.source.commit(FILES)
        await bed.apply(subscribed(bed))
        await bed.until_delivered()
        await bed.quiet()
        assert receiver.taken == []
        await bed.patch("Application", "web", {"metadata": {"labels": {"team": "a"}}}, API, bed.control)
        await until_taken(bed, receiver, "web is deployed")
        annotations = {"notifications.argoproj.io/subscribe.on-deployed.ops": "second"}
        await bed.patch("AppProject", "default", {"metadata": {"annotations": annotations}}, API, bed.control)
        await until_taken(bed, receiver, "web is deployed", "web is deployed")

    play(told)


def test_beside_argo_cds_own_notifications_controller_applications_are_left_to_it() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        labels = {"app.kubernetes.io/name": "argocd-notifications-controller"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "n", "image": "example/n:1"}]}}
        rival = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "argocd-notifications-controller", "namespace": bed.control, "labels": labels},
            "spec": {"selector": {"matchLabels": labels}, "template": template},
        }
        await bed.apply(rival)
        await configure(bed)
        bed.source.commit(FILES)
        await bed.apply(subscribed(bed, "on-deployed"))
        await bed.until_delivered()
        await bed.quiet()
        assert receiver.taken == []
        assert any("tells of Applications" in one for one in troubles(bed))
        name = "argocd-notifications-controller"
        await bed.patch("Deployment", name, {"spec": {"replicas": 0}}, namespace=bed.control)
        await until_taken(bed, receiver, "web is deployed")

    play(told)


def test_a_cause_is_told_once_for_all_its_applications_and_once_when_it_is_gone() -> None:
    async def told(bed: SandboxBed, receiver: Receiver) -> None:
        everybody = "- recipients: [ops]\n  triggers: [on-cause, on-cause-gone]\n"
        await configure(bed, subscriptions=everybody)
        await break_image(bed, "cart", "shop")
        await until_causes(bed, 1)
        await bed.quiet()
        [text] = receiver.taken
        assert "2 Applications are not in order" in text
        assert "argocd/cart" in text
        assert "argocd/shop" in text
        assert "syncline diagnose " in text
        await bed.quiet()
        assert len(receiver.taken) == 1
        bed.source.commit({f"apps/{app}/web.yaml": WEB % "1" for app in ("cart", "shop")})
        await until_causes(bed, 0)
        await bed.clock.sleep(60)
        assert len(receiver.taken) == 1
        await bed.clock.sleep(200)
        assert len(receiver.taken) == 2
        assert receiver.taken[1].endswith("is gone")
        found = await bed.get("Diagnosis", "syncline", "syncline.io/v1alpha1", bed.control)
        assert found is not None
        assert "syncline.io/told-causes" not in found["metadata"].get("annotations", {})

    play(told, causes=True)
