"""Settings and project rules change while the controller runs, and take effect without a restart."""

from collections.abc import Mapping

import msgspec

from syncline.model.desired import Desired
from syncline.model.settings.settings import Settings
from syncline.ports.render import Renderer, RenderRequest
from syncline.ports.source import Tree
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SandboxBed


def overlay(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, refresh_interval=5.0, refresh_jitter=0.0)


def config(bed: SandboxBed, name: str, **data: str) -> dict[str, object]:
    metadata = {"name": name, "namespace": bed.control}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


async def begun(bed: SandboxBed) -> None:
    bed.overlay = overlay
    await bed.start()
    controller = bed.controller()
    await controller.start()
    bed.source.commit(FILES)


def test_a_kind_that_is_excluded_later_is_left_alone_and_comes_back_when_it_is_not() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        exclusions = "- apiGroups: ['']\n  kinds: [ConfigMap]\n"
        await bed.apply(config(bed, "argocd-cm", **{"resource.exclusions": exclusions}))

        async def warned() -> bool:
            conditions = (await bed.app_status()).get("conditions") or []
            return [item["type"] for item in conditions] == ["ExcludedResourceWarning"]

        await bed.until(warned, "the excluded kind is said")
        assert [row["kind"] for row in (await bed.app_status())["resources"]] == ["Deployment"]
        bed.source.commit({"apps/web/web.yaml": manifests.deployment()})
        await bed.quiet()
        assert await bed.get("ConfigMap", "settings", "v1") is not None, "what is not seen is not pruned"
        bed.source.commit(FILES)
        await bed.apply(config(bed, "argocd-cm"))

        async def forgotten() -> bool:
            return not (await bed.app_status()).get("conditions")

        await bed.until(forgotten, "nothing is excluded any more")
        await bed.until_delivered()
        assert not bed.failures

    run_simulated(main)


def test_a_limit_of_rendering_that_is_set_later_holds_from_then_on() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        limit = {"reposerver.max.combined.directory.manifests.size": "100"}
        await bed.apply(config(bed, "argocd-cmd-params-cm", **limit))

        async def refused() -> bool:
            conditions = (await bed.app_status()).get("conditions") or []
            return any("exceeded max combined manifest file size" in item["message"] for item in conditions)

        await bed.until(refused, "the limit is kept")
        await bed.apply(config(bed, "argocd-cmd-params-cm"))
        await bed.until_delivered()
        assert not bed.failures

    run_simulated(main)


def test_a_namespace_for_applications_can_be_added_later() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
        project = await bed.get("AppProject", "default", API, bed.control)
        assert project is not None
        patch = {"spec": {"sourceNamespaces": ["team"]}}
        await bed.patch("AppProject", "default", patch, API, bed.control)
        app = bed.application(automated=AUTO)
        app["metadata"]["namespace"] = "team"
        await bed.apply(app)
        await bed.quiet()
        assert await bed.get("Deployment", "web") is None
        await bed.apply(config(bed, "argocd-cmd-params-cm", **{"application.namespaces": "team"}))

        async def delivered() -> bool:
            return await bed.get("Deployment", "web") is not None

        await bed.until(delivered, "delivered")
        assert not bed.failures

    run_simulated(main)


def test_a_project_that_forbids_later_stops_delivery_at_once() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        patch = {"spec": {"destinations": [{"server": "*", "namespace": "other"}]}}
        await bed.patch("AppProject", "default", patch, API, bed.control)
        await bed.until_status("Unknown", "Unknown")
        bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=9)})
        await bed.quiet()
        assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 2
        assert not bed.failures

    run_simulated(main)


def test_updates_of_ignored_fields_wake_nobody_and_changes_of_health_do() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        rules = "jsonPointers: [/metadata/annotations/heartbeat, /status]\n"
        await bed.apply(config(bed, "argocd-cm", **{"resource.customizations.ignoreResourceUpdates.all": rules}))
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        await bed.patch("Deployment", "web", {"spec": {"replicas": 7}})

        async def undone() -> bool:
            return bool((await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 2)

        await bed.until(undone, "a change that counts is still seen")
        await bed.until_delivered()
        assert not bed.failures

    run_simulated(main)


def test_a_hard_refresh_comes_by_itself_at_its_interval_and_renders_anew() -> None:
    async def main() -> None:
        bed = SandboxBed()
        bed.overlay = overlay
        await bed.start()
        counted = bed.renderer = Counted(bed.renderer)
        controller = bed.controller()
        await controller.start()
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        await bed.clock.sleep(600)
        assert (counted.hard, counted.soft) == (0, 1), "nothing changed, so nothing is rendered"
        await bed.apply(config(bed, "argocd-cm", **{"timeout.hard.reconciliation": "100s"}))
        await bed.clock.sleep(350)
        assert (counted.hard, counted.soft) == (3, 1)
        await bed.apply(config(bed, "argocd-cm"))
        await bed.clock.sleep(350)
        assert (counted.hard, counted.soft) == (3, 1)
        assert "argocd.argoproj.io/refresh" not in (await bed.app())["metadata"].get("annotations", {})
        assert not bed.failures
        await controller.stop()

    run_simulated(main)


class Counted:
    """A renderer that counts how often it was told to use nothing it knows, and how often not."""

    def __init__(self, inner: Renderer) -> None:
        self._inner = inner
        self.hard = self.soft = 0

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        return bool(await self._inner.is_current(request, desired))

    def adjust(self, settings: Settings) -> None:
        self._inner.adjust(settings)

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        self.hard += request.fresh
        self.soft += not request.fresh
        return await self._inner.render(request, tree, refs)
