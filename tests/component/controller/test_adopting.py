"""Objects that are tracked for an app which this installation does not know change hands after one approval."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.settings.settings import Compat, TrackingMethod
from syncline.ports.transport import Request, Response, Transport
from syncline.verbs.adopt import adopt, waiting_adoptions
from syncline.verbs.errors import Conflict, Refused
from syncline.verbs.look import look
from tests.support import stories
from tests.support.loops.simulated import run_simulated
from tests.support.manifests import files
from tests.support.played import AUTO, COMPATS, annotate, app_with, ask, config, namespace, sync, tell, until_told
from tests.support.world import Bed, SandboxBed

METHODS = [(), ("ServerSideApply=true",), ("Replace=true",)]


def tracked(bed: Bed, name: str, app: str, *, colour: str = "green", **annotations: str) -> Object:
    """Return an object that some other installation delivered."""
    marks = {names.TRACKING_ID: f"{app}:/ConfigMap:{bed.target}/{name}", **annotations}
    metadata = {"name": name, "namespace": bed.target, "annotations": marks}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": colour}}


async def colour(bed: Bed, name: str = "one") -> str:
    return str((await bed.must_get("ConfigMap", name, "v1"))["data"]["colour"])


async def seen(bed: Bed) -> Any:
    return await look(bed.user, bed.control, await bed.app(), lambda _cluster, _settings: bed.world())


async def approve(bed: Bed) -> None:
    await adopt(bed.user, await seen(bed))


async def arranged(bed: Bed, *options: str, automated: dict[str, Any] | None = None, **texts: str) -> None:
    await namespace(bed)
    await bed.apply(tracked(bed, "one", "elsewhere"))
    bed.source.commit(files(**(texts or {"a": config("one"), "b": config("two")})))
    await bed.apply(app_with(bed, *options, automated=automated))


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("method", METHODS)
def test_automated_sync_waits_for_an_approval_and_then_takes_over(method: tuple[str, ...], compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed, *method, automated=AUTO)
        await bed.clock.sleep(30)
        assert await colour(bed) == "green"
        assert await bed.get("ConfigMap", "two", "v1") is None
        assert not (await bed.app_status()).get("operationState")
        assessment = await seen(bed)
        assert [(str(one.key), one.app) for one in assessment.unapproved] == [
            (f"/ConfigMap:{bed.target}/one", "elsewhere")
        ]
        await approve(bed)
        await bed.until_status("Synced", "Healthy")
        assert (await colour(bed), await colour(bed, "two")) == ("blue", "blue")
        owner = (await bed.must_get("ConfigMap", "one", "v1"))["metadata"]["annotations"][names.TRACKING_ID]
        assert owner.startswith("web:")
        await bed.quiet()

    tell(story, compat)


@pytest.mark.parametrize("compat", COMPATS)
def test_sync_that_a_person_asks_for_waits_too_and_names_the_objects(compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed)
        await ask(bed)
        await until_told(bed, "ConfigMap/one (tracked for elsewhere)")
        await bed.quiet()
        assert (await bed.phase(), await colour(bed)) == ("Running", "green")
        await approve(bed)
        await bed.until_status("Synced", "Healthy")
        assert await colour(bed) == "blue"

    tell(story, compat)


def test_sync_of_other_objects_and_a_dry_run_need_no_approval() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed)
        assert (await sync(bed, dryRun=True))["phase"] == "Succeeded"
        assert (await sync(bed, resources=[{"kind": "ConfigMap", "name": "two"}]))["phase"] == "Succeeded"
        assert (await colour(bed), await colour(bed, "two")) == ("green", "blue")

    tell(story)


def test_approval_holds_for_the_very_objects_that_were_listed() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed)
        await approve(bed)
        await bed.delete("ConfigMap", "one", "v1", bed.target)
        await bed.apply(tracked(bed, "one", "elsewhere", colour="recreated"))
        await bed.apply(tracked(bed, "two", "nowhere", colour="more"))
        await ask(bed)
        await until_told(bed, "ConfigMap/two (tracked for nowhere)")
        await bed.quiet()
        assert (await colour(bed), await colour(bed, "two")) == ("recreated", "more")
        assessment = await seen(bed)
        with pytest.raises(Conflict):
            waiting_adoptions(assessment, "another list")
        assert len(waiting_adoptions(assessment)) == 2

    tell(story)


def test_half_of_a_take_over_needs_no_second_approval() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        for name in ("one", "two"):
            await bed.apply(tracked(bed, name, "elsewhere"))
        bed.source.commit(files(a=config("one"), b=config("two", wave=5)))
        await bed.apply(app_with(bed))
        await approve(bed)
        assert (await sync(bed))["phase"] == "Succeeded"
        assert (await colour(bed), await colour(bed, "two")) == ("blue", "blue")
        with pytest.raises(Refused):
            waiting_adoptions(await seen(bed))

    tell(story)


UNTRACKED = [
    pytest.param({"labels": {"app.kubernetes.io/instance": "elsewhere"}}, id="a Helm release"),
    pytest.param({"annotations": {names.TRACKING_ID: "elsewhere:/ConfigMap:web/original"}}, id="a copy"),
    pytest.param({"annotations": {names.TRACKING_ID: "web:/ConfigMap:web/one"}}, id="the same app, from Argo CD"),
    pytest.param({"annotations": {names.TRACKING_ID: "nonsense"}}, id="something else"),
]


@pytest.mark.parametrize("tracking", list(TrackingMethod))
@pytest.mark.parametrize("metadata", UNTRACKED)
def test_take_over_of_what_is_not_tracked_for_an_unknown_app_needs_no_approval(
    metadata: Object, tracking: TrackingMethod
) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        obj = tracked(bed, "one", "elsewhere")
        obj["metadata"] = {"name": "one", "namespace": bed.target, **metadata}
        await bed.apply(obj)
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, automated=AUTO))
        await bed.until_status("Synced", "Healthy")
        assert await colour(bed) == "blue"

    tell(story, tracking=tracking)


def test_object_tracked_by_annotation_counts_where_labels_track() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed, automated=AUTO)
        await bed.clock.sleep(30)
        assert await colour(bed) == "green"

    tell(story, tracking=TrackingMethod.LABEL)


def test_object_of_another_installation_waits_under_argo_cd_rules_too() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        await bed.apply(tracked(bed, "one", "web", **{names.INSTALLATION_ID: "theirs"}))
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, automated=AUTO))
        await bed.clock.sleep(30)
        assert await colour(bed) == "green"

    tell(story, Compat.ARGOCD, installation_id="ours")


def test_hook_does_not_replace_an_object_of_an_unknown_app() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed, automated=AUTO, a=config("one", hook="PreSync"), b=config("two"))
        await bed.clock.sleep(30)
        assert await colour(bed) == "green"
        assert await bed.get("ConfigMap", "two", "v1") is None

    tell(story)


def test_object_that_changes_hands_between_look_and_write_is_not_written() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed)
        await approve(bed)
        mark = {"metadata": {"annotations": {names.TRACKING_ID: f"nowhere:/ConfigMap:{bed.target}/one"}}}
        await bed.patch("ConfigMap", "one", mark, "v1")
        await ask(bed)
        await until_told(bed, "ConfigMap/one (tracked for nowhere)")
        assert await colour(bed) == "green"

    tell(story)


def test_application_is_not_kept_waiting_by_an_annotation_that_says_nothing() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed, automated=AUTO)
        await annotate(bed, **{names.ADOPTED: "everything,*"})
        await bed.clock.sleep(30)
        assert await colour(bed) == "green"

    tell(story)


@pytest.mark.parametrize("method", METHODS)
def test_write_of_an_adopted_object_names_the_version_that_was_looked_at(method: tuple[str, ...]) -> None:
    watching = WatchingBed()

    async def story(bed: Bed) -> None:
        await arranged(bed, *method)
        await approve(bed)
        live = (await bed.must_get("ConfigMap", "one", "v1"))["metadata"]
        assert (await sync(bed))["phase"] == "Succeeded"
        sent = [body["metadata"] for path, body in watching.bodies if path.endswith("/configmaps/one")]
        assert (sent[0]["uid"], sent[0]["resourceVersion"]) == (live["uid"], live["resourceVersion"])

    async def main() -> None:
        await stories.play(watching, story)

    run_simulated(main, seed=0)


class WatchingBed(SandboxBed):
    """A sandbox that keeps the bodies of writes."""

    def __init__(self) -> None:
        super().__init__(0)
        self.bodies: list[tuple[str, Any]] = []

    def transport(self) -> Transport:
        return _Watching(super().transport(), self.bodies)


class _Watching:
    def __init__(self, inner: Transport, bodies: list[tuple[str, Any]]) -> None:
        self._inner = inner
        self._bodies = bodies

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if request.method in ("PATCH", "PUT") and request.body and isinstance(body := orjson.loads(request.body), dict):
            self._bodies.append((request.path.partition("?")[0], body))
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()
