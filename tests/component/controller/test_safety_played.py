"""What keeps a sync from doing harm: the freeze, unread kinds, empty and broken renders, budgets, other owners."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery import times
from syncline.model import names
from syncline.model.settings.parts import Safety
from syncline.model.settings.resources import RespectRbac
from tests.support import manifests, stories
from tests.support.loops.simulated import run_simulated
from tests.support.manifests import files
from tests.support.played import (
    AUTO,
    FINALIZER,
    PickyBed,
    annotate,
    app_with,
    ask,
    config,
    namespace,
    sent,
    state,
    sync,
    tell,
    until_gone,
    until_phase,
    until_told,
)
from tests.support.world import API, Bed, SandboxBed

HOOK = manifests.hook("before", "PreSync")
FROZEN = {names.FREEZE: "year end"}


async def delivered(bed: Bed, *finalizers: str, **texts: str) -> None:
    await namespace(bed)
    bed.source.commit(files(**texts))
    app = app_with(bed, automated=AUTO)
    app["metadata"]["finalizers"] = list(finalizers)
    await bed.apply(app)
    await bed.until_delivered()
    await bed.clock.sleep(2)


def to_objects(bed: Bed, since: int) -> list[str]:
    """Return what was written to anything but Applications and Events."""
    return [line for line in bed.writes[since:] if "/applications/" not in line and "/events" not in line]


async def drift(bed: Bed) -> None:
    await bed.patch("ConfigMap", "one", {"data": {"colour": "red"}}, "v1")


async def commit(bed: Bed) -> None:
    bed.source.commit(files(a=config("one", colour="red"), h=HOOK))


async def request(bed: Bed) -> None:
    await ask(bed, prune=True)


async def deletion(bed: Bed) -> None:
    await bed.delete("Application", "web", API, bed.control)


@pytest.mark.parametrize("situation", [drift, commit, request, deletion], ids=lambda one: one.__name__)
def test_while_an_app_is_frozen_nothing_of_it_is_written_whatever_happens(situation: Any) -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, FINALIZER, a=config("one"), b=config("two"), h=HOOK)
        await annotate(bed, **FROZEN)
        await bed.clock.sleep(1)
        since = len(bed.writes)
        await situation(bed)
        await bed.quiet()
        assert to_objects(bed, since) == []
        await annotate(bed, **{names.FREEZE: None})
        await bed.quiet()
        assert to_objects(bed, since) != [], "afterwards it is made up for"

    tell(story)


@pytest.mark.parametrize("ending", [False, True], ids=["it runs", "it is being terminated"])
def test_a_running_operation_is_frozen_where_it_is_hooks_and_all(ending: bool) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        slow = HOOK.replace("example/job:1", "example/job:missing")
        bed.source.commit(files(a=config("one"), h=slow))
        await bed.apply(app_with(bed))
        await ask(bed)
        await until_told(bed, "waiting for completion of hook batch/Job/before")
        await annotate(bed, **FROZEN)
        await until_told(bed, "waiting for completion of hook") if not ending else None
        await bed.clock.sleep(1)
        since = len(bed.writes)
        if ending:
            stop = {"status": {"operationState": {"phase": "Terminating"}}}
            await bed.patch("Application", "web", stop, API, bed.control)
        await bed.quiet()
        assert to_objects(bed, since) == []
        assert await bed.get("Job", "before", "batch/v1") is not None
        if ending:
            assert "frozen: year end" in (await state(bed))["message"]
            await annotate(bed, **{names.FREEZE: None})
            await until_phase(bed, "Failed")
            await until_gone(bed, "Job", "before", "batch/v1")

    tell(story)


def test_the_one_switch_freezes_every_app_at_once_and_also_the_end_of_one_without_a_cluster() -> None:
    async def main() -> None:
        bed = SandboxBed(0)
        bed.overlay = lambda settings: msgspec.structs.replace(settings, refresh_interval=5.0, refresh_jitter=0.0)

        async def story(bed: Bed) -> None:
            await namespace(bed)
            bed.source.commit(files(a=config("one")))
            await bed.apply(app_with(bed, automated=AUTO))
            await bed.until_delivered()
            lost = bed.application("lost")
            lost["spec"]["destination"] = {"server": "https://nowhere.example", "namespace": "web"}
            lost["metadata"]["finalizers"] = [FINALIZER]
            await bed.apply(lost)
            await bed.apply(settings_map({"syncline.freeze": "an incident"}))
            await bed.clock.sleep(3)
            since = len(bed.writes)
            bed.source.commit(files(a=config("one", colour="red")))
            await bed.delete("Application", "lost", API, bed.control)
            await bed.until_status("OutOfSync", "Healthy")
            await bed.quiet()
            assert to_objects(bed, since) == []
            assert await bed.find_app("lost") is not None
            await bed.apply(settings_map({}))
            await bed.until_delivered()
            await until_gone(bed, "Application", "lost", API, bed.control)

        def settings_map(data: dict[str, str]) -> dict[str, Any]:
            labels = {"app.kubernetes.io/part-of": "argocd"}
            metadata = {"name": "argocd-cm", "namespace": bed.control, "labels": labels}
            return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}

        await stories.play(bed, story)

    run_simulated(main, seed=0)


def test_nothing_is_pruned_while_a_kind_cannot_be_listed_and_it_is_when_it_can_be_again() -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, a=config("one"), b=config("extra"))
        bed.source.commit(files(a=config("one", colour="red")))

        async def applied() -> bool:
            return bool((await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "red"})

        await bed.until(applied, "the rest of the commit is applied")
        await bed.quiet()
        assert [line for line in sent(bed, "extra") if line.startswith("DELETE")] == []
        rows = {row["name"]: row for row in (await state(bed))["syncResult"]["resources"]}
        assert rows["extra"]["status"] == "PruneSkipped"
        assert "not everything could be read: Service" in rows["extra"]["message"]
        bed.forbidden.clear()
        await bed.clock.sleep(300)
        assert await bed.get("ConfigMap", "extra", "v1") is None, "by self-heal, whose pauses have grown meanwhile"

    tell(story, forbidden=[("GET", "/api/v1/services")])


@pytest.mark.parametrize("respected", [RespectRbac.NORMAL, RespectRbac.STRICT])
def test_where_rbac_is_respected_a_forbidden_kind_is_none_of_ours_and_holds_up_nothing(respected: RespectRbac) -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, a=config("one"), b=config("extra"))
        bed.source.commit(files(a=config("one")))
        await until_gone(bed, "ConfigMap", "extra")
        await bed.until_delivered()

    tell(story, forbidden=[("GET", "/api/v1/services")], respect_rbac=respected)


def test_nothing_is_pruned_while_an_api_group_does_not_answer() -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, a=config("one"), b=config("extra"))
        bed.source.commit(files(a=config("one", colour="red")))
        await bed.quiet()
        assert [line for line in sent(bed, "extra") if line.startswith("DELETE")] == []
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "red"}

    tell(story, forbidden=[("GET", "/apis/policy/v1")])


def test_a_sync_by_hand_of_an_empty_render_prunes_nothing() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, a=config("one"))
        bed.source.commit(files(a="# nothing is left\n"))
        await sync(bed, prune=True)
        (row,) = (await state(bed))["syncResult"]["resources"]
        assert (row["name"], row["status"]) == ("one", "PruneSkipped")
        assert "Git has no objects for this app at all" in row["message"]
        assert await bed.get("ConfigMap", "one", "v1") is not None

    tell(story)


@pytest.mark.parametrize("named", ["", "release"])
def test_a_render_that_fails_ends_the_sync_as_error_and_prunes_nothing(named: str) -> None:
    broken = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one\n"

    async def story(bed: Bed) -> None:
        await delivered(bed, a=config("one"), b=config("extra"))
        bed.source.commit(files(a=broken), branch=named or "main")
        found = await sync(bed, prune=True, revision=named)
        assert found["phase"] == "Error"
        assert found["message"].startswith("ComparisonError: Failed to load target state: ")
        assert await bed.get("ConfigMap", "extra", "v1") is not None

    tell(story)


async def _without(bed: Bed, gone: int) -> None:
    """Deliver eight objects, then a commit that lacks the first so many."""
    texts = {f"c{number}": config(f"c{number}") for number in range(8)}
    await delivered(bed, **texts)
    bed.source.commit(files(**dict(list(texts.items())[gone:])))


@pytest.mark.parametrize(
    ("safety", "gone"),
    [
        (Safety(), 4),
        (Safety(prune_percent=100), 7),
        (Safety(prune_objects=3), 3),
    ],
    ids=["a few", "all may go", "just so many"],
)
def test_as_many_deletions_as_the_budget_permits_are_done_unasked(safety: Safety, gone: int) -> None:
    async def story(bed: Bed) -> None:
        await _without(bed, gone)
        await until_gone(bed, "ConfigMap", "c0")
        assert await bed.get("ConfigMap", "c7", "v1") is not None

    tell(story, safety=safety)


@pytest.mark.parametrize(
    ("safety", "gone"),
    [(Safety(), 6), (Safety(prune_objects=2), 3)],
    ids=["most of the app", "more than so many"],
)
def test_more_deletions_than_the_budget_permits_are_asked_about(safety: Safety, gone: int) -> None:
    async def story(bed: Bed) -> None:
        await _without(bed, gone)
        await until_told(bed, "waiting for approval to prune")
        await bed.quiet()
        assert [line for line in bed.writes if line.startswith("DELETE")] == []
        await annotate(bed, **{names.DELETION_APPROVED: times.format_time(bed.clock.now())})
        await until_gone(bed, "ConfigMap", "c0")

    tell(story, safety=safety)


PROTECTED = {
    "Namespace": "apiVersion: v1\nkind: Namespace\nmetadata: {name: precious}\n",
    "CustomResourceDefinition": manifests.WIDGETS,
    "PersistentVolume": (
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: precious}\n"
        "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /data}}\n"
    ),
}


@pytest.mark.parametrize("kind", PROTECTED)
def test_what_holds_data_or_objects_of_others_is_asked_about(kind: str) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        texts = {f"c{number}": config(f"c{number}") for number in range(3)}
        bed.source.commit(files(p=PROTECTED[kind], **texts))
        await bed.apply(app_with(bed, automated=AUTO))
        await until_phase(bed, "Succeeded")
        await bed.clock.sleep(2)
        mark = {"metadata": {"annotations": {names.TRACKING_ID: f"web:{group(kind)}/{kind}:{bed.target}/{name(kind)}"}}}
        await bed.user.patch(await bed.resource(*version(kind)), "", name(kind), mark, manager="kubectl")
        bed.source.commit(files(**texts))
        found = await until_told(bed, "waiting for approval to prune ")
        assert f"(deleting a {kind} may delete data or other objects with it)" in found["message"]
        await bed.quiet()
        assert [line for line in bed.writes if line.startswith("DELETE")] == []

    tell(story)


def group(kind: str) -> str:
    return "apiextensions.k8s.io" if kind == "CustomResourceDefinition" else ""


def version(kind: str) -> tuple[str, str]:
    return (f"{group(kind)}/v1" if group(kind) else "v1", kind)


def name(kind: str) -> str:
    return "widgets.example.io" if kind == "CustomResourceDefinition" else "precious"


def test_an_object_of_another_app_is_never_pruned_and_one_without_our_mark_neither() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, a=config("one"))
        for other, mark in (("theirs", f"other:/ConfigMap:{bed.target}/theirs"), ("nobodys", "")):
            marks = {names.TRACKING_ID: mark} if mark else {}
            metadata = {"name": other, "namespace": bed.target, "annotations": marks}
            await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        marks = {names.TRACKING_ID: f"web:/ConfigMap:{bed.target}/one"}
        copied = {"name": "copy", "namespace": bed.target, "annotations": marks}
        await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": copied})
        bed.source.commit(files(a=config("one"), b=config("two")))
        await bed.until_delivered()
        await sync(bed, prune=True)
        for left in ("theirs", "nobodys", "copy"):
            assert await bed.get("ConfigMap", left, "v1") is not None

    tell(story)
