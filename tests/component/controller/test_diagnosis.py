"""The controller publishes what is wrong: one resource, written when it changes, after deliveries."""

from collections.abc import Awaitable, Callable
from typing import Any

from syncline.controller.controller import Controller
from syncline.controller.diagnosis.publisher import TROUBLE
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from syncline.model.fleet import FleetSnapshot
from syncline.model.progress import TroubleReported
from syncline.model.published_crd import diagnosis_crd
from syncline.sandbox.cluster.controls import Controls, Fault
from tests.support.loops.hybrid import run_hybrid
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO
from tests.support.world import SandboxBed, default_project

OURS = "syncline.io/v1alpha1"
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:%s
"""


async def think(snapshot: FleetSnapshot) -> Diagnosis:
    return diagnose(snapshot)


def controller(bed: SandboxBed) -> Controller:
    return Controller(bed.world(), on_failure=lambda what, error: bed.failures.append((what, error)), think=think)


def play(told: Callable[[SandboxBed], Awaitable[None]], *, installed: bool = True, with_tools: bool = False) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        if installed:
            await bed.apply(diagnosis_crd())
            await bed.until(lambda: bed.served("diagnoses"), "diagnoses are served")
        running = controller(bed)
        await running.start()
        await told(bed)
        assert not bed.failures
        await running.stop()
        await bed.stop()

    if with_tools:
        run_hybrid(main())
    else:
        run_simulated(main)


async def published(bed: SandboxBed) -> dict[str, Any]:
    found = await bed.get("Diagnosis", "syncline", OURS, bed.control)
    return (found or {}).get("status") or {}


async def until_causes(bed: SandboxBed, count: int) -> dict[str, Any]:
    async def there() -> bool:
        status = await published(bed)
        return bool(status) and status.get("found", 0) == count

    await bed.until(there, f"{count} causes are published")
    return await published(bed)


def written(bed: SandboxBed) -> int:
    return sum("/diagnoses/" in path for path in bed.writes)


async def break_image(bed: SandboxBed, *apps: str) -> None:
    bed.source.commit({f"apps/{app}/web.yaml": WEB % "missing" for app in apps})
    for app in apps:
        source = {"repoURL": "https://git.example/repo.git", "path": f"apps/{app}", "targetRevision": "main"}
        where = {"server": "https://kubernetes.default.svc", "namespace": app}
        await bed.apply(bed.application(app, automated=AUTO, source=source, destination=where))


async def events(bed: SandboxBed) -> list[tuple[str, str]]:
    listed = await bed.user.list(await bed.resource("v1", "Event"), namespace=bed.control)
    return [(one["reason"], one["message"]) for one in listed.items if one["involvedObject"]["kind"] == "Diagnosis"]


def test_health_message_of_an_app_of_a_bounded_project_has_kind_name_and_reason_of_the_cause() -> None:
    async def story(bed: SandboxBed) -> None:
        project = default_project(bed.control)
        rules = {**project["spec"], "destinations": [{"server": "*", "namespace": "cart"}]}
        await bed.apply({**project, "spec": rules})
        await break_image(bed, "cart")
        [cause] = (await until_causes(bed, 1))["causes"]
        await bed.still()
        message = (await bed.app_status("cart"))["health"]["message"]
        assert message.endswith(f"{cause['code']} image: {cause['name']} [{cause['id']}]")
        assert "example/web" not in message

    play(story)


def test_a_tag_that_is_not_there_is_published_once_with_its_apps_and_goes_when_it_is_repaired() -> None:
    async def told(bed: SandboxBed) -> None:
        await break_image(bed, "cart", "shop")
        status = await until_causes(bed, 1)
        [cause] = status["causes"]
        assert "example/web:missing" in cause["message"]
        assert cause["applications"] == ["argocd/cart", "argocd/shop"]
        assert (status["applications"], status.get("ok", 0), status["repairOrder"]) == (2, 0, [cause["id"]])
        await bed.still()
        for app in ("cart", "shop"):
            assert (await bed.app_status(app))["health"]["message"].endswith(f"not in its registry [{cause['id']}]")
        before = written(bed)
        await bed.quiet()
        assert written(bed) == before
        assert [reason for reason, _ in await events(bed)] == ["CauseFound"]
        bed.source.commit({f"apps/{app}/web.yaml": WEB % "1" for app in ("cart", "shop")})
        status = await until_causes(bed, 0)
        assert "message" not in (await bed.app_status("cart"))["health"]
        assert (status["ok"], status.get("causes", [])) == (2, [])
        told_of = await events(bed)
        assert sorted(reason for reason, _ in told_of) == ["CauseFound", "CauseGone"]
        assert all(cause["id"] in message for _, message in told_of)

    play(told)


def test_a_new_process_keeps_the_one_resource_its_ids_and_the_time_of_the_first_look() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await bed.apply(diagnosis_crd())
        await bed.until(lambda: bed.served("diagnoses"), "diagnoses are served")
        first = controller(bed)
        await first.start()
        await break_image(bed, "cart")
        await until_causes(bed, 1)
        # Until nothing changes any more: the Deployment gives up after ten minutes.
        await bed.clock.sleep(700)
        before = await published(bed)
        await first.stop()
        count = written(bed)
        second = controller(bed)
        await second.start()
        await bed.quiet()
        listed = await bed.user.list(await bed.resource(OURS, "Diagnosis"))
        assert [one["metadata"]["name"] for one in listed.items] == ["syncline"]
        after = listed.items[0]["status"]
        assert [(one["id"], one["firstSeen"]) for one in after["causes"]] == [
            (one["id"], one["firstSeen"]) for one in before["causes"]
        ]
        assert written(bed) == count
        assert [reason for reason, _ in await events(bed)] == ["CauseFound"]
        await second.stop()
        await bed.stop()

    run_simulated(main)


def troubles(bed: SandboxBed) -> list[TroubleReported]:
    return [one for one in bed.events.seen if isinstance(one, TroubleReported) and one.app == TROUBLE]


def test_without_the_kind_apps_are_delivered_and_it_is_said_once() -> None:
    async def told(bed: SandboxBed) -> None:
        await break_image(bed, "cart")
        await bed.quiet()
        [said] = troubles(bed)
        assert "not installed" in said.message
        await bed.apply(diagnosis_crd())
        await bed.until(lambda: bed.served("diagnoses"), "diagnoses are served")
        await until_causes(bed, 1)
        assert [one.resolved for one in troubles(bed)] == [False, True]

    play(told, installed=False)


def test_where_it_may_not_be_written_that_is_said_once_and_apps_go_on() -> None:
    async def told(bed: SandboxBed) -> None:
        refused = Fault(methods=("PATCH",), path="*/diagnoses/*", user="syncline", code=403, reason="Forbidden")
        bed.sandbox.controls = Controls(faults=(refused,))
        await break_image(bed, "cart")
        await bed.quiet()
        await bed.quiet()
        assert [one.resolved for one in troubles(bed)] == [False]
        assert (await bed.status("cart"))[0] == "Synced"

    play(told)


def test_a_cause_has_the_line_of_the_overlay_that_sets_it() -> None:
    async def told(bed: SandboxBed) -> None:
        patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n"
        bed.source.commit(
            {
                "base/kustomization.yaml": "resources: [web.yaml]\n",
                "base/web.yaml": WEB % "1",
                "apps/web/kustomization.yaml": "resources: [../../base]\npatches:\n  - path: disk.yaml\n",
                "apps/web/disk.yaml": f"{patch}      nodeSelector:\n        disk: ssd\n",
            }
        )
        await bed.apply(bed.application(automated=AUTO))
        status = await until_causes(bed, 1)
        assert "apps/web/disk.yaml:8" in str(status)

    play(told, with_tools=True)
