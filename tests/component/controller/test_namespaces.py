"""Applications outside the control-plane namespace: settings say whether they are looked at, projects what they may."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.controller.runtime.lease import Terms
from syncline.controller.runtime.shards import Shards, Share
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SETTINGS, SandboxBed, default_project

TEAMS = msgspec.structs.replace(SETTINGS, application_namespaces=("team-*", "/^squad[0-9]$/"))


def app_in(bed: SandboxBed, namespace: str, name: str = "web") -> Object:
    app = bed.application(name, automated=AUTO)
    app["metadata"]["namespace"] = namespace
    return app


async def status_in(bed: SandboxBed, namespace: str, name: str = "web") -> dict[str, Any]:
    return ((await bed.get("Application", name, API, namespace)) or {}).get("status") or {}


async def begin(bed: SandboxBed, *namespaces: str, permits: tuple[str, ...] = ()) -> None:
    await bed.start()
    for namespace in namespaces:
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    project = default_project(bed.control)
    project["spec"]["sourceNamespaces"] = list(permits)
    await bed.apply(project)
    bed.source.commit(FILES)


@pytest.mark.parametrize("namespace", ["team-shop", "squad7"])
def test_an_app_in_a_permitted_namespace_is_delivered_and_marks_its_objects_with_it(namespace: str) -> None:
    async def main() -> None:
        bed = SandboxBed(settings=TEAMS)
        await begin(bed, namespace, permits=("team-*", "squad7"))
        controller = bed.controller()
        await controller.start()
        await bed.apply(app_in(bed, namespace))

        async def delivered() -> bool:
            status = await status_in(bed, namespace)
            return (status.get("sync") or {}).get("status") == "Synced"

        await bed.until(delivered, "delivered")
        mark = (await bed.must_get("Deployment", "web"))["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"]
        assert mark == f"{namespace}_web:apps/Deployment:web/web"
        await bed.delete("Deployment", "web")

        async def healed() -> bool:
            return await bed.get("Deployment", "web") is not None

        await bed.until(healed, "a change of its objects wakes it")
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_an_app_in_another_namespace_is_not_looked_at() -> None:
    async def main() -> None:
        bed = SandboxBed(settings=TEAMS)
        await begin(bed, "elsewhere", permits=("*",))
        controller = bed.controller()
        await controller.start()
        await bed.apply(app_in(bed, "elsewhere"))
        await bed.quiet()
        assert not await status_in(bed, "elsewhere")
        assert bed.writes == []
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_an_app_in_another_namespace_is_not_looked_at_by_a_shard_either() -> None:
    """Security row G2: also where it is told of by a change alone, and after a shard was taken over."""

    async def main() -> None:
        bed = SandboxBed(settings=TEAMS)
        await begin(bed, "elsewhere", "team-shop", permits=("*",))
        await bed.apply(app_in(bed, "elsewhere"))
        await bed.apply(app_in(bed, "team-shop", "permitted"))
        share = Share(shards=2, shard=0, terms=Terms())
        shards = Shards(bed.user, bed.clock, share, namespace=bed.control, identity="zero")
        controller = bed.controller(shards=shards)
        await controller.start()

        async def seen() -> bool:
            return bool(await status_in(bed, "team-shop", "permitted"))

        await bed.until(seen, "the permitted one is looked at")
        refresh = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}}
        await bed.patch("Application", "web", refresh, API, "elsewhere")
        await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, "elsewhere")
        await bed.quiet()
        assert not await status_in(bed, "elsewhere")
        left = await bed.get("Application", "web", API, "elsewhere")
        assert left is not None
        assert "operation" in left
        assert "argocd.argoproj.io/refresh" in left["metadata"]["annotations"]
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_an_app_whose_project_does_not_permit_its_namespace_is_told_so_and_not_delivered() -> None:
    async def main() -> None:
        bed = SandboxBed(settings=TEAMS)
        await begin(bed, "team-shop", permits=("team-other",))
        controller = bed.controller()
        await controller.start()
        await bed.apply(app_in(bed, "team-shop"))

        async def told() -> bool:
            return bool((await status_in(bed, "team-shop")).get("conditions"))

        await bed.until(told, "a condition")
        conditions = (await status_in(bed, "team-shop"))["conditions"]
        assert [(item["type"], item["message"]) for item in conditions] == [
            (
                "UnknownError",
                (
                    "application 'web' in namespace 'team-shop' is not permitted to use project 'default' "
                    "(spec.sourceNamespaces does not list it; to add it: "
                    "syncline proj add-source-namespace default team-shop)"
                ),
            )
        ]
        await bed.quiet()
        assert await bed.get("Deployment", "web") is None
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_apps_of_the_same_name_in_two_namespaces_do_not_touch_each_others_objects() -> None:
    async def main() -> None:
        bed = SandboxBed(settings=TEAMS)
        await begin(bed, "team-shop", permits=("team-*",))
        controller = bed.controller()
        await controller.start()
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        other = app_in(bed, "team-shop")
        other["spec"]["destination"]["namespace"] = "shop"
        await bed.apply(other)

        async def delivered() -> bool:
            return bool((await status_in(bed, "team-shop")).get("sync", {}).get("status") == "Synced")

        await bed.until(delivered, "the other one is delivered")
        bed.source.commit({"apps/web/empty.yaml": "# nothing\n"})
        await bed.quiet()
        assert await bed.get("Deployment", "web") is not None
        assert await bed.get("Deployment", "web", namespace="shop") is not None
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    run_simulated(main)
