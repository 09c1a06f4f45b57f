"""Deleting an Application: which objects go, in which order, who is asked, and what is told when it cannot be done."""

from typing import Any

import pytest

from syncline.apimachinery import times
from syncline.model import names
from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.manifests import files
from tests.support.played import (
    COMPATS,
    FINALIZER,
    PickyBed,
    ask,
    conditions,
    config,
    delete_app,
    events,
    namespace,
    sent,
    sync,
    tell,
    until_condition,
    until_gone,
)
from tests.support.world import API, Bed, default_project

PRE, POST = names.PRE_DELETE_FINALIZER, names.POST_DELETE_FINALIZER


async def delivered(bed: Bed, *finalizers: str, options: tuple[str, ...] = (), **texts: str) -> None:
    """Deliver an app once, by hand."""
    await namespace(bed)
    bed.source.commit(files(**texts))
    app = bed.application()
    app["metadata"]["finalizers"] = list(finalizers)
    app["spec"]["syncPolicy"]["syncOptions"] = list(options)
    await bed.apply(app)
    assert (await sync(bed))["phase"] == "Succeeded"
    bed.writes.clear()


async def ask_for_deletion(bed: Bed) -> None:
    await bed.delete("Application", "web", API, bed.control)


@pytest.mark.parametrize("compat", COMPATS)
def test_objects_go_highest_wave_first_each_wave_after_the_one_above_is_gone(compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        held = config("held", wave=2).replace("metadata:\n", "metadata:\n  finalizers: [example.com/hold]\n")
        await delivered(bed, FINALIZER, a=config("low", wave=-1), b=config("mid"), c=held, d=config("top", wave=2))
        await ask_for_deletion(bed)
        await until_gone(bed, "ConfigMap", "top")
        await bed.quiet()
        assert sent(bed, "low", "mid", "held", "top") == ["DELETE held", "DELETE top"]
        await bed.patch("ConfigMap", "held", {"metadata": {"finalizers": None}}, "v1")
        await until_gone(bed, "Application", "web", API, bed.control)
        assert sent(bed, "low", "mid", "held", "top") == ["DELETE held", "DELETE top", "DELETE mid", "DELETE low"]

    tell(story, compat)


@pytest.mark.parametrize(
    ("finalizer", "policy"),
    [(FINALIZER, "Foreground"), (f"{FINALIZER}/foreground", "Foreground"), (f"{FINALIZER}/background", "Background")],
)
def test_the_finalizer_says_how_children_go_and_a_delete_hits_only_what_was_looked_at(
    finalizer: str, policy: str
) -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, finalizer, a=config("one"))
        seen = (await bed.must_get("ConfigMap", "one", "v1"))["metadata"]
        await delete_app(bed)
        assert (bed.deletes["one"]["propagationPolicy"], bed.deletes["one"]["preconditions"]) == (
            policy,
            {"uid": seen["uid"], "resourceVersion": seen["resourceVersion"]},
        )

    tell(story)


def test_without_the_finalizer_the_objects_stay() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, a=config("one"))
        await delete_app(bed)
        await bed.quiet()
        assert await bed.get("ConfigMap", "one", "v1") is not None
        assert [line for line in bed.writes if "/events" not in line] == []

    tell(story)


def test_what_is_to_be_kept_stays_and_does_not_hold_up_the_deletion() -> None:
    async def story(bed: Bed) -> None:
        await delivered(
            bed,
            FINALIZER,
            a=config("kept", options="Delete=false"),
            b=config("helm", keep="keep"),
            c=config("gone"),
            d=manifests.WIDGETS,
        )
        await delete_app(bed)
        assert sent(bed, "kept", "helm", "gone", "widgets.example.io") == ["DELETE gone"]

    tell(story)


def test_an_app_that_keeps_its_objects_keeps_all_but_those_that_insist() -> None:
    async def story(bed: Bed) -> None:
        texts = {"a": config("one"), "b": config("two", options="Delete=true")}
        await delivered(bed, FINALIZER, options=("Delete=false",), **texts)
        await delete_app(bed)
        assert sent(bed, "one", "two") == ["DELETE two"]

    tell(story)


@pytest.mark.parametrize("on_app", [False, True])
def test_while_one_object_asks_for_confirmation_nothing_at_all_is_deleted(on_app: bool) -> None:
    async def story(bed: Bed) -> None:
        precious = config("precious") if on_app else config("precious", options="Delete=confirm")
        options = ("Delete=confirm",) if on_app else ()
        await delivered(bed, FINALIZER, options=options, a=precious, b=config("high", wave=3))
        rows = {row["name"]: row for row in (await bed.app_status())["resources"]}
        assert {name: row.get("requiresDeletionConfirmation", False) for name, row in rows.items()} == {
            "precious": True,
            "high": on_app,
        }
        early = {"metadata": {"annotations": {names.DELETION_APPROVED: times.format_time(bed.clock.now())}}}
        await bed.patch("Application", "web", early, API, bed.control)
        await bed.clock.sleep(2)
        await ask_for_deletion(bed)
        await bed.quiet()
        assert sent(bed, "precious", "high") == [], "an approval from before the deletion does not count"
        late = {"metadata": {"annotations": {names.DELETION_APPROVED: times.format_time(bed.clock.now())}}}
        await bed.patch("Application", "web", late, API, bed.control)
        await until_gone(bed, "Application", "web", API, bed.control)
        assert sent(bed, "precious", "high") == ["DELETE high", "DELETE precious"]

    tell(story)


def test_a_deletion_that_the_server_refuses_is_told_kept_up_and_done_when_it_can_be() -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, FINALIZER, a=config("one"))
        bed.forbidden.add(("DELETE", "/configmaps/one"))
        await ask_for_deletion(bed)
        words = "ConfigMap/one: simulated Forbidden"
        assert await until_condition(bed, "DeletionError") == words
        await bed.clock.sleep(3)
        told = ("Warning", "StatusRefreshed", f"Unable to delete application resources: {words}")
        assert told in await events(bed)
        written = len(bed.writes)
        await bed.quiet()
        assert bed.writes[written:] == [], "what is known already is not written again"
        bed.forbidden.clear()
        await until_gone(bed, "Application", "web", API, bed.control)
        assert await bed.get("ConfigMap", "one", "v1") is None

    tell(story)


def test_a_hook_of_deletion_that_cannot_be_created_is_told_and_nothing_goes_before_it_ran() -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, FINALIZER, a=config("one"), b=manifests.hook("before-end", "PreDelete"))
        bed.forbidden.add(("POST", "/jobs"))
        await ask_for_deletion(bed)
        assert await until_condition(bed, "DeletionError") == "Job/before-end: simulated Forbidden"
        await bed.quiet()
        assert sent(bed, "one") == []
        bed.forbidden.clear()
        await until_gone(bed, "Application", "web", API, bed.control)

    tell(story)


def test_objects_that_the_project_does_not_permit_are_left_behind() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, FINALIZER, a=config("one"), b=config("hush", kind="Secret"))
        project = default_project(bed.control)
        project["spec"]["namespaceResourceBlacklist"] = [{"group": "", "kind": "Secret"}]
        await bed.apply(project)
        await bed.clock.sleep(2)
        await delete_app(bed)
        assert sent(bed, "one", "hush") == ["DELETE one"]

    tell(story)


def test_without_its_project_nothing_of_an_app_is_deleted_and_that_is_told() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, FINALIZER, a=config("one"))
        await bed.patch("Application", "web", {"spec": {"project": "lost"}}, API, bed.control)
        await ask_for_deletion(bed)
        words = await until_condition(bed, "DeletionError")
        assert words.startswith("Application referencing project lost which does not exist")
        await bed.quiet()
        assert sent(bed, "one") == []
        lost = default_project(bed.control)
        lost["metadata"]["name"] = "lost"
        await bed.apply(lost)
        await until_gone(bed, "Application", "web", API, bed.control)
        assert await bed.get("ConfigMap", "one", "v1") is None

    tell(story)


def test_nothing_is_deleted_while_a_kind_cannot_be_read() -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, FINALIZER, a=config("one"))
        await ask_for_deletion(bed)
        await bed.quiet()
        assert sent(bed, "one") == []
        bed.forbidden.clear()
        await until_gone(bed, "Application", "web", API, bed.control)
        assert sent(bed, "one") == ["DELETE one"]

    tell(story, forbidden=[("GET", "/api/v1/services")])


HOOKED: dict[str, Any] = {
    "a": config("one"),
    "b": manifests.hook("before-end", "PreDelete"),
    "c": manifests.hook("after-end", "PostDelete"),
}


def test_hooks_run_before_and_after_and_the_default_policy_sweeps_up_the_first_and_keeps_the_second() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, FINALIZER, **HOOKED)
        assert (await bed.app())["metadata"]["finalizers"] == [
            FINALIZER,
            PRE,
            f"{PRE}/cleanup",
            POST,
            f"{POST}/cleanup",
        ]
        await delete_app(bed)
        told = [line.partition("?")[0].rsplit("/", 1)[-1] for line in bed.writes if "/applications/" not in line]
        told = [name for name in told if name in ("jobs", "one", "before-end", "after-end")]
        assert told[0] == "jobs"
        assert sorted(told[1:-1]) == ["before-end", "one"]
        assert told[-1] == "jobs"
        assert await bed.get("Job", "before-end", "batch/v1") is None, "it is an object of the app like others"
        assert await bed.get("Job", "after-end", "batch/v1") is not None

    tell(story)


def test_a_hook_of_deletion_that_fails_is_told_deleted_and_run_again_and_the_objects_stay() -> None:
    async def story(bed: Bed) -> None:
        bad = manifests.hook("before-end", "PreDelete", image="example/job:bad")
        await delivered(bed, FINALIZER, a=config("one"), b=bad)
        await ask_for_deletion(bed)
        words = await until_condition(bed, "DeletionError")
        assert words.startswith("PreDelete hook Job/before-end failed and is retried")
        await bed.clock.sleep(20)
        created = [line for line in bed.writes if line.startswith("POST") and "/jobs" in line]
        assert len(created) > 1
        assert sent(bed, "one") == []
        bed.source.commit(files(a=config("one"), b=manifests.hook("before-end", "PreDelete")))
        await until_gone(bed, "Application", "web", API, bed.control)
        assert await bed.get("ConfigMap", "one", "v1") is None

    tell(story)


def test_finalizers_come_and_go_with_the_hooks_that_git_has() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, FINALIZER, **HOOKED)
        bed.source.commit(files(a=config("one")))

        async def without() -> bool:
            return bool((await bed.app())["metadata"]["finalizers"] == [FINALIZER])

        await bed.until(without, "only the cascade is left")

    tell(story)


def test_hooks_that_argo_cd_ran_already_are_cleaned_up_and_not_run_again() -> None:
    async def story(bed: Bed) -> None:
        after = manifests.hook("after-end", "PostDelete", policy="HookSucceeded")
        await delivered(bed, FINALIZER, a=config("one"), b=after)
        metadata = {"finalizers": [f"{POST}/cleanup"]}
        await bed.patch(
            "Application", "web", {"metadata": {"annotations": {names.SKIP_RECONCILE: "true"}}}, API, bed.control
        )
        await bed.patch("Application", "web", {"metadata": metadata}, API, bed.control)
        await ask_for_deletion(bed)
        await bed.patch("Application", "web", {"metadata": {"annotations": None}}, API, bed.control)
        await until_gone(bed, "Application", "web", API, bed.control)
        assert [line for line in bed.writes if "/jobs" in line] == []

    tell(story)


def test_an_operation_is_not_carried_on_for_an_app_that_is_being_deleted() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, "example.com/hold", a=config("one"))
        await ask_for_deletion(bed)
        bed.source.commit(files(a=config("one", colour="red")))
        await ask(bed)
        await bed.quiet()
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "blue"}
        assert await conditions(bed) == []

    tell(story)
