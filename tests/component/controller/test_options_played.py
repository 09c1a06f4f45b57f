"""Every sync option on a cluster: what it makes a sync do, and what it does without it."""

import orjson
import pytest

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.settings.settings import Compat
from syncline.verbs.adopt import adopt
from syncline.verbs.look import look
from tests.support import manifests
from tests.support.manifests import files
from tests.support.played import (
    AUTO,
    COMPATS,
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
    until_phase,
    until_told,
)
from tests.support.world import API, Bed


async def delivered(bed: Bed, *options: str, **texts: str) -> None:
    await namespace(bed)
    bed.source.commit(files(**texts))
    await bed.apply(app_with(bed, *options))
    assert (await sync(bed))["phase"] == "Succeeded"
    bed.writes.clear()


async def rows(bed: Bed) -> dict[str, tuple[str, str]]:
    found = (await state(bed))["syncResult"]["resources"]
    return {row["name"]: (row["status"], row["message"]) for row in found}


@pytest.mark.parametrize(
    ("app", "own", "prune", "result"),
    [
        ((), "", True, ("Pruned", "pruned")),
        ((), "", False, ("PruneSkipped", "ignored (requires pruning)")),
        ((), "Prune=false", True, ("PruneSkipped", "ignored (no prune)")),
        (("Prune=false",), "", True, ("PruneSkipped", "ignored (no prune)")),
        (("Prune=false",), "Prune=true", True, ("Pruned", "pruned")),
        ((), "Prune=False", True, ("Pruned", "pruned")),
        ((), " Prune=false , Validate=false", True, ("PruneSkipped", "ignored (no prune)")),
    ],
)
def test_prune_false_keeps_an_extra_object_and_says_so(
    app: tuple[str, ...], own: str, prune: bool, result: tuple[str, str]
) -> None:
    async def story(bed: Bed) -> None:
        extra = config("extra", options=own) if own else config("extra")
        await delivered(bed, *app, a=config("one"), b=extra)
        bed.source.commit(files(a=config("one")))
        found = await sync(bed, prune=prune)
        assert (found["phase"], (await rows(bed))["extra"]) == ("Succeeded", result)
        assert (await bed.get("ConfigMap", "extra", "v1") is None) is (result[0] == "Pruned")

    tell(story)


@pytest.mark.parametrize(("on_app", "compat"), [(False, Compat.SYNCLINE), (True, Compat.ARGOCD)])
def test_prune_confirm_waits_for_an_approval_since_the_start_of_the_operation(on_app: bool, compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        extra = config("extra") if on_app else config("extra", options="Prune=confirm")
        await delivered(bed, *(("Prune=confirm",) if on_app else ()), a=config("one"), b=extra)
        await annotate(bed, **{names.DELETION_APPROVED: times.format_time(bed.clock.now())})
        bed.source.commit(files(a=config("one")))
        await bed.clock.sleep(5)
        await ask(bed, prune=True)
        await until_told(bed, "waiting for approval to prune")
        await bed.quiet()
        assert (await bed.phase(), sent(bed, "extra")) == ("Running", [])
        await annotate(bed, **{names.DELETION_APPROVED: times.format_time(bed.clock.now())})
        await until_phase(bed, "Succeeded")
        assert await bed.get("ConfigMap", "extra", "v1") is None

    tell(story, compat)


@pytest.mark.parametrize(
    ("app", "own", "order"),
    [
        ((), "", ["DELETE extra", "PATCH low", "PATCH high"]),
        ((), "PruneLast=true", ["PATCH low", "PATCH high", "DELETE extra"]),
        (("PruneLast=true",), "", ["PATCH low", "PATCH high", "DELETE extra"]),
    ],
)
def test_prune_last_prunes_after_the_highest_wave(app: tuple[str, ...], own: str, order: list[str]) -> None:
    async def story(bed: Bed) -> None:
        extra = config("extra", wave=-5, options=own) if own else config("extra", wave=-5)
        await delivered(bed, *app, a=config("low"), b=config("high", wave=4), c=extra)
        bed.source.commit(files(a=config("low", colour="red"), b=config("high", wave=4, colour="red")))
        await sync(bed, prune=True)
        assert sent(bed, "low", "high", "extra") == order

    tell(story)


@pytest.mark.parametrize("word", ["foreground", "background", "orphan"])
def test_the_propagation_policy_is_sent_along_for_objects_and_hooks(word: str) -> None:
    async def story(bed: PickyBed) -> None:
        hook = manifests.hook("hook", "PreSync", policy="HookSucceeded")
        await delivered(bed, f"PrunePropagationPolicy={word}", a=config("one"), b=config("extra"), c=hook)
        bed.source.commit(files(a=config("one"), c=hook))
        await sync(bed, prune=True)
        sent_along = {name: body["propagationPolicy"] for name, body in bed.deletes.items()}
        assert sent_along == {"extra": word.capitalize(), "hook": word.capitalize()}

    tell(story)


def test_a_delete_of_a_sync_is_in_the_foreground_by_default_and_names_the_object_that_was_seen() -> None:
    async def story(bed: PickyBed) -> None:
        await delivered(bed, a=config("one"), b=config("extra"))
        seen = (await bed.must_get("ConfigMap", "extra", "v1"))["metadata"]
        bed.source.commit(files(a=config("one")))
        await sync(bed, prune=True)
        assert bed.deletes["extra"]["propagationPolicy"] == "Foreground"
        assert bed.deletes["extra"]["preconditions"] == {
            "uid": seen["uid"],
            "resourceVersion": seen["resourceVersion"],
        }

    tell(story)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize(("options", "phase"), [((), "Failed"), (("Validate=false",), "Succeeded")])
def test_unknown_fields_are_refused_unless_nothing_is_to_be_validated(
    options: tuple[str, ...], phase: str, compat: Compat
) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        odd = manifests.deployment().replace("  replicas: 1", "  replicas: 1\n  nonsense: 3")
        bed.source.commit(files(a=odd))
        await bed.apply(app_with(bed, *options))
        assert (await sync(bed))["phase"] == phase

    tell(story, compat)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("skipped", [False, True])
def test_a_kind_nobody_serves_is_not_tried_beforehand_where_that_is_said(skipped: bool, compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        odd = "apiVersion: example.io/v1\nkind: Gadget\nmetadata: {name: g}\n"
        bed.source.commit(files(a=config("one"), b=odd, c=config("before", wave=-1)))
        await bed.apply(app_with(bed, *(("SkipDryRunOnMissingResource=true",) if skipped else ())))
        found = await sync(bed)
        assert found["phase"] == "Failed"
        assert 'Make sure the "Gadget" CRD is installed' in found["message"]
        there = await bed.get("ConfigMap", "before", "v1") is not None
        assert there is (skipped or compat is Compat.SYNCLINE), "with Argo CD an unknown kind stops all beforehand"

    tell(story, compat)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("only", [False, True])
def test_apply_out_of_sync_only_leaves_out_what_is_synced_but_not_hooks_or_history(only: bool, compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        option = ("ApplyOutOfSyncOnly=true",) if only else ()
        hook = manifests.hook("hook", "PreSync")
        await delivered(bed, *option, a=config("one"), b=config("two"), c=hook)
        bed.source.commit(files(a=config("one"), b=config("two", colour="red"), c=hook))
        await sync(bed)
        assert set(await rows(bed)) == ({"two", "hook"} if only else {"one", "two", "hook"})
        assert len((await bed.app_status())["history"]) == 2

    tell(story, compat)


MANAGED = {"labels": {"team": "shop", "tier": "web"}, "annotations": {"note": "ours"}}


async def namespace_metadata(bed: Bed) -> tuple[dict[str, str], dict[str, str]]:
    found = await bed.user.get(await bed.resource("v1", "Namespace"), "", bed.target)
    assert found is not None
    metadata = found["metadata"]
    labels = {name: text for name, text in (metadata.get("labels") or {}).items() if "kubernetes.io" not in name}
    return labels, metadata.get("annotations") or {}


def managed(bed: Bed, **metadata: dict[str, str]) -> Object:
    return app_with(bed, automated=AUTO, managedNamespaceMetadata=metadata)


def test_a_created_namespace_has_the_managed_metadata_and_follows_its_changes_also_removals() -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit(files(a=config("one")))
        await bed.apply(managed(bed, **MANAGED))
        await bed.until_delivered()
        assert await namespace_metadata(bed) == (MANAGED["labels"], MANAGED["annotations"])
        assert (await state(bed))["syncResult"]["managedNamespaceMetadata"] == MANAGED
        tracking = await bed.user.get(await bed.resource("v1", "Namespace"), "", bed.target)
        assert tracking is not None
        assert names.TRACKING_ID not in (tracking["metadata"].get("annotations") or {})
        await bed.apply(managed(bed, labels={"team": "pay"}))

        async def followed() -> bool:
            return await namespace_metadata(bed) == ({"team": "pay"}, {})

        await bed.until(followed, "the namespace follows")
        await bed.until_delivered()

    tell(story)


def test_without_the_option_no_namespace_is_made_and_the_sync_fails() -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit(files(a=config("one")))
        app = app_with(bed)
        app["spec"]["syncPolicy"]["syncOptions"] = []
        await bed.apply(app)
        found = await sync(bed)
        assert found["phase"] == "Failed"
        assert 'namespaces "web" not found' in found["message"]

    tell(story)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize(("options", "replicas"), [((), 1), (("RespectIgnoreDifferences=true",), 7)])
def test_ignored_fields_keep_their_live_value_only_where_that_is_said(
    options: tuple[str, ...], replicas: int, compat: Compat
) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=manifests.deployment()))
        app = app_with(bed, *options)
        app["spec"]["ignoreDifferences"] = [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]
        await bed.apply(app)
        await sync(bed)
        await bed.patch("Deployment", "web", {"spec": {"replicas": 7}})
        bed.source.commit(files(a=manifests.deployment(image="example/web:2")))
        await sync(bed)
        spec = (await bed.must_get("Deployment", "web"))["spec"]
        assert (spec["replicas"], spec["template"]["spec"]["containers"][0]["image"]) == (replicas, "example/web:2")

    tell(story, compat)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("failing", [False, True])
def test_a_shared_object_is_a_warning_and_fails_the_sync_only_where_that_is_said(failing: bool, compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        mark = {names.TRACKING_ID: f"other:/ConfigMap:{bed.target}/one"}
        meta = {"name": "one", "namespace": bed.target, "annotations": mark}
        await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, *(("FailOnSharedResource=true",) if failing else ())))
        if not failing:
            await adopt(bed.user, await look(bed.user, bed.control, await bed.app(), lambda *_: bed.world()))
        found = await sync(bed)
        ours = (
            "argocd/other: argocd/other does not exist here,"
            " so argocd/web takes it over once that is approved (syncline app adopt)"
        )
        last = "other" if compat is Compat.ARGOCD else ours
        words = f"ConfigMap/one is part of applications argocd/web and {last}"
        if failing:
            assert (found["phase"], found["message"]) == ("Failed", f"Shared resource found: {words}")
            told = [(item["type"], item["message"]) for item in (await bed.app_status())["conditions"]]
            assert told == [("SharedResourceWarning", words)]
        else:
            assert found["phase"] == "Succeeded"
            assert not (await bed.app_status()).get("conditions")
        owner = (await bed.must_get("ConfigMap", "one", "v1"))["metadata"]["annotations"][names.TRACKING_ID]
        assert owner.partition(":")[0] == ("other" if failing else "web")

    tell(story, compat)


@pytest.mark.parametrize("moved", [True, False])
def test_fields_of_client_side_apply_change_hands_unless_migration_is_off(moved: bool) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        body: Object = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "one", "namespace": bed.target},
            "data": {"colour": "blue", "old": "yes"},
        }
        resource = await bed.resource("v1", "ConfigMap")
        body["metadata"]["annotations"] = {names.LAST_APPLIED: orjson.dumps(body).decode()}
        await bed.user.create(resource, body, manager="kubectl-client-side-apply")
        bed.source.commit(files(a=config("one")))
        option = () if moved else ("ClientSideApplyMigration=false",)
        await bed.apply(app_with(bed, "ServerSideApply=true", *option))
        assert (await sync(bed))["phase"] == "Succeeded"
        found = await bed.must_get("ConfigMap", "one", "v1")
        assert ("old" in found["data"]) is not moved
        managers = {entry["manager"] for entry in found["metadata"]["managedFields"]}
        assert ("kubectl-client-side-apply" in managers) is not moved

    tell(story)


@pytest.mark.parametrize(
    ("app", "own", "operation"),
    [
        ((), "", "Apply"),
        (("ServerSideApply=true",), "", "Apply"),
        (("ServerSideApply=true",), "ServerSideApply=false", "Update"),
        (("ServerSideApply=false",), "ServerSideApply=true", "Apply"),
        (("ServerSideApply=true", "Replace=true"), "", "Update"),
    ],
)
def test_the_way_of_applying_shows_in_the_managed_fields(app: tuple[str, ...], own: str, operation: str) -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, *app, a=config("one", options=own) if own else config("one"))
        fields = (await bed.must_get("ConfigMap", "one", "v1"))["metadata"]["managedFields"]
        assert [(entry["manager"], entry["operation"]) for entry in fields] == [(names.FIELD_MANAGER, operation)]

    tell(story)


def test_options_of_a_request_replace_those_of_the_app() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, "Prune=false", a=config("one"), b=config("extra"))
        bed.source.commit(files(a=config("one")))
        await sync(bed, prune=True, syncOptions=["PruneLast=true"])
        assert (await rows(bed))["extra"] == ("Pruned", "pruned")

    tell(story)


def test_a_sync_without_a_sync_in_it_is_an_error() -> None:
    async def story(bed: Bed) -> None:
        await delivered(bed, a=config("one"))
        await bed.patch("Application", "web", {"operation": {"initiatedBy": {"username": "ann"}}}, API, bed.control)
        found = await until_phase(bed, "Error")
        assert found["message"] == "Invalid operation request: no operation specified"

    tell(story)
