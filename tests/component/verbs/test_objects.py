"""Live objects of an Application: looked at, patched, deleted and acted on, with real script workers."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.apimachinery import times
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.world import World
from syncline.core.assess import Assessment
from syncline.model.actions import ActionOperation
from syncline.model.errors import InvalidSpec
from syncline.model.operation import SyncOperation
from syncline.model.settings.settings import Settings
from syncline.ports.kube import Cluster
from syncline.verbs.actions import ActionRequest, run_action
from syncline.verbs.applications import StoredApplication
from syncline.verbs.errors import InvalidRequest, NotFound, Refused
from syncline.verbs.look import ClusterView, Overrides, look, looking
from syncline.verbs.not_syncing import not_syncing
from syncline.verbs.resources import (
    ChildPolicy,
    DeleteResourceRequest,
    PatchResourceRequest,
    ResourceChoice,
    chosen_objects,
    delete_resource,
    only_one,
    orphaned_keys,
    patch_resource,
)
from tests.support import manifests
from tests.support.loops.running import run_real
from tests.support.stories import AUTO
from tests.support.world import SandboxBed, default_project

SETTINGS = Settings(refresh_interval=0.2, refresh_jitter=0.0)
FILES = {"apps/web/config.yaml": manifests.CONFIG, "apps/web/web.yaml": manifests.deployment()}
WEB = ObjectKey("apps", "Deployment", "web", "web")
CONFIG = ObjectKey("", "ConfigMap", "web", "settings")
RESTARTED = "kubectl.kubernetes.io/restartedAt"


class Fleet(SandboxBed):
    """A bed with an Application that was delivered, and eyes to look at it."""

    def worlds(self, cluster: Cluster, settings: Settings) -> World:
        # The eyes close the evaluator they are given.
        return dataclasses.replace(self.world(), home=cluster, settings=settings, evaluator=ScriptEvaluator())

    @asynccontextmanager
    async def eyes(self) -> AsyncIterator[ClusterView]:
        async with looking(self.user, self.control, self.worlds) as eyes:
            yield eyes


def tell(story: Callable[[Fleet], Awaitable[None]]) -> None:
    async def main() -> None:
        evaluator = ScriptEvaluator()
        bed = Fleet(settings=SETTINGS, evaluator=evaluator)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        try:
            bed.source.commit(FILES)
            await bed.apply(bed.application(automated=AUTO))
            await bed.until_delivered()
            await story(bed)
            assert not bed.failures
        finally:
            await controller.stop()
            await evaluator.close()
            await bed.stop()

    run_real(main())


def test_an_action_writes_what_it_says_and_nothing_else() -> None:
    async def story(bed: Fleet) -> None:
        before = await bed.must_get("Deployment", "web")
        async with bed.eyes() as eyes:
            seen = await eyes.see(await bed.app())
            request = ActionRequest(key=WEB, action="restart")
            steps = [step async for step in run_action(seen, request, eyes.ports.evaluator, bed.clock)]
        assert [(step.operation, step.obj["metadata"]["name"]) for step in steps] == [(ActionOperation.PATCH, "web")]
        after = await bed.must_get("Deployment", "web")
        template = after["spec"]["template"]
        stamp = template["metadata"].pop("annotations")
        assert list(stamp) == [RESTARTED]
        assert times.parse(stamp[RESTARTED]) <= bed.clock.now()
        assert after["spec"] == before["spec"]

    tell(story)


def test_an_action_that_would_change_nothing_or_is_unknown_or_of_a_stranger_is_refused() -> None:
    async def story(bed: Fleet) -> None:
        before = await bed.must_get("Deployment", "web")
        async with bed.eyes() as eyes:
            seen = await eyes.see(await bed.app())

            async def run(key: ObjectKey, action: str) -> None:
                request = ActionRequest(key=key, action=action)
                async for _step in run_action(seen, request, eyes.ports.evaluator, bed.clock):
                    pass

            with pytest.raises(Refused, match="apps/Deployment:web/web does not offer resume now"):
                await run(WEB, "resume")
            with pytest.raises(InvalidSpec, match="no action dance is defined for apps/Deployment:web/web"):
                await run(WEB, "dance")
            with pytest.raises(NotFound, match="web has no apps/Deployment:web/strange"):
                await run(ObjectKey("apps", "Deployment", "web", "strange"), "restart")
        assert (await bed.must_get("Deployment", "web"))["spec"] == before["spec"]

    tell(story)


def test_an_object_is_patched_and_deleted_and_one_of_nobody_is_not_found() -> None:
    async def story(bed: Fleet) -> None:
        stray = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stray", "namespace": bed.target}}
        await bed.apply(stray)
        async with bed.eyes() as eyes:
            seen = await eyes.see(await bed.app())
            labels = {"metadata": {"labels": {"by": "hand"}}}
            patched = await patch_resource(seen, PatchResourceRequest(key=CONFIG, patch=labels))
            assert patched["metadata"]["labels"]["by"] == "hand"
            strays = ObjectKey("", "ConfigMap", bed.target, "stray")
            assert orphaned_keys(seen) == [strays]
            with pytest.raises(NotFound):
                await delete_resource(seen, DeleteResourceRequest(key=strays))
            before = await bed.must_get("Deployment", "web")
            await delete_resource(seen, DeleteResourceRequest(key=WEB, children=ChildPolicy.BACKGROUND))
        assert await bed.get("ConfigMap", "stray", "v1") is not None

        async def replaced() -> bool:
            found = await bed.get("Deployment", "web")
            return found is not None and found["metadata"]["uid"] != before["metadata"]["uid"]

        await bed.until(replaced, "the Deployment was deleted, and delivered anew")

    tell(story)


def test_what_a_project_denies_by_now_is_neither_patched_nor_deleted_nor_acted_on() -> None:
    async def story(bed: Fleet) -> None:
        made = default_project(bed.control)
        denied = [{"group": "apps", "kind": "Deployment"}]
        await bed.apply({**made, "spec": {**made["spec"], "namespaceResourceBlacklist": denied}})
        before = await bed.must_get("Deployment", "web")
        words = "apps/Deployment of spec.namespaceResourceBlacklist denies it; to remove it: syncline proj"
        async with bed.eyes() as eyes:
            seen = await eyes.see(await bed.app())
            with pytest.raises(Refused, match=words):
                await patch_resource(seen, PatchResourceRequest(key=WEB, patch={"spec": {"replicas": 0}}))
            with pytest.raises(Refused, match=words):
                await delete_resource(seen, DeleteResourceRequest(key=WEB))
            request = ActionRequest(key=WEB, action="restart")
            with pytest.raises(Refused, match=words):
                [step async for step in run_action(seen, request, eyes.ports.evaluator, bed.clock)]
        assert (await bed.must_get("Deployment", "web"))["spec"] == before["spec"]

    tell(story)


def test_objects_are_chosen_by_kind_and_name_and_one_has_to_be_told_from_several() -> None:
    async def story(bed: Fleet) -> None:
        async with bed.eyes() as eyes:
            assessment = (await eyes.see(await bed.app())).assessment
        owned = chosen_objects(assessment, ResourceChoice(kind="Pod"))
        assert [obj["kind"] for obj in owned] == ["Pod"]
        everything = ResourceChoice(namespace="web")
        with pytest.raises(InvalidRequest, match="objects match object web/"):
            only_one(chosen_objects(assessment, everything), everything)
        with pytest.raises(NotFound) as missing:
            chosen_objects(assessment, ResourceChoice(kind="Deployment", name="api"))
        assert str(missing.value) == "web has no Deployment api (of that kind: web)"

    tell(story)


def test_another_revision_is_looked_at_without_writing_anything() -> None:
    async def story(bed: Fleet) -> None:
        grown = {**FILES, "apps/web/web.yaml": manifests.deployment(replicas=3)}
        bed.source.commit(grown, branch="next")
        await bed.still()
        before = await bed.app()
        async with bed.eyes() as eyes:
            now = await eyes.assess(before)
            then = await eyes.assess(before, Overrides(sync=SyncOperation(revision="next")))
            again = await eyes.assess(before)
        verdicts = [{row.key.kind: str(row.verdict) for row in found.comparison.rows} for found in (now, then, again)]
        synced = {"ConfigMap": "Synced", "Deployment": "Synced"}
        assert verdicts == [synced, {**synced, "Deployment": "OutOfSync"}, synced]
        assert await bed.app() == before

    tell(story)


def test_an_application_in_sync_has_nothing_that_keeps_it_from_syncing() -> None:
    async def story(bed: Fleet) -> None:
        stored = StoredApplication(await bed.app())

        async def seen(one: StoredApplication) -> Assessment:
            return await look(bed.user, bed.control, one.obj, bed.worlds)

        assert await not_syncing(stored, seen) is None

    tell(story)
