"""Stories of sync options: how objects are replaced, forced, applied client-side, and pruned.

Told with the others of `tests.support.stories`, which takes `STORIES` in.
"""

from collections.abc import Awaitable, Callable

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.model.names import DELETION_APPROVED, LAST_APPLIED
from tests.support import manifests
from tests.support.world import API, Bed

FILES = {"apps/web/config.yaml": manifests.CONFIG, "apps/web/web.yaml": manifests.deployment(replicas=2)}
AUTO = {"prune": True, "selfHeal": True}


def _with_options(manifest: str, options: str) -> str:
    """Return a manifest whose object carries sync options."""
    return manifest.replace("  annotations:\n", f"  annotations:\n    argocd.argoproj.io/sync-options: {options}\n", 1)


def _with_app_options(app: Object, *options: str) -> Object:
    app["spec"]["syncPolicy"]["syncOptions"] += options
    return app


async def an_object_with_replace_is_replaced_as_a_whole(bed: Bed) -> None:
    config = _with_options(manifests.CONFIG, "Replace=true")
    bed.source.commit({"apps/web/config.yaml": config})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    uid = (await bed.must_get("ConfigMap", "settings", "v1"))["metadata"]["uid"]
    await bed.patch("ConfigMap", "settings", {"data": {"added": "by hand"}}, "v1")
    bed.source.commit({"apps/web/config.yaml": config.replace("colour: blue", "colour: red")})

    async def replaced() -> bool:
        return bool((await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "red"})

    await bed.until(replaced, "nothing is left but what Git says")
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["metadata"]["uid"] == uid
    await bed.until_delivered()


async def a_field_that_must_not_change_is_changed_by_force_alone(bed: Bed) -> None:
    bed.source.commit({"apps/web/web.yaml": manifests.deployment()})
    app = bed.application(automated=AUTO)
    app["spec"]["syncPolicy"]["retry"] = {"limit": 0}
    await bed.apply(app)
    await bed.until_delivered()
    uid = (await bed.must_get("Deployment", "web"))["metadata"]["uid"]
    moved = (
        manifests.deployment()
        .replace("        app: web", "        app: new")
        .replace("      app: web", "      app: new")
    )
    bed.source.commit({"apps/web/web.yaml": moved})

    async def refused() -> bool:
        state = (await bed.app_status())["operationState"]
        return state["phase"] == "Failed" and "field is immutable" in state["message"]

    await bed.until(refused, "the server refuses another selector")
    assert (await bed.must_get("Deployment", "web"))["metadata"]["uid"] == uid
    bed.source.commit({"apps/web/web.yaml": _with_options(moved, "Force=true")})
    await bed.until_delivered()
    again = await bed.must_get("Deployment", "web")
    assert again["metadata"]["uid"] != uid
    assert again["spec"]["selector"] == {"matchLabels": {"app": "new"}}


async def client_side_apply_keeps_what_it_applied_in_an_annotation_and_removes_keys(bed: Bed) -> None:
    files = {"apps/web/config.yaml": manifests.CONFIG + "  size: big\n", "apps/web/web.yaml": manifests.deployment()}
    bed.source.commit(files)
    await bed.apply(_with_app_options(bed.application(automated=AUTO), "ServerSideApply=false"))
    await bed.until_delivered()
    config = await bed.must_get("ConfigMap", "settings", "v1")
    assert '"data":{"colour":"blue","size":"big"}' in config["metadata"]["annotations"][LAST_APPLIED]
    assert {entry["operation"] for entry in config["metadata"]["managedFields"]} == {"Update"}
    await bed.patch("ConfigMap", "settings", {"data": {"added": "by hand"}}, "v1")
    bed.source.commit({**files, "apps/web/config.yaml": manifests.CONFIG})

    async def gone() -> bool:
        return "size" not in (await bed.must_get("ConfigMap", "settings", "v1"))["data"]

    await bed.until(gone, "the key that Git no longer has is gone")
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "blue", "added": "by hand"}
    await bed.until_delivered()


async def an_object_that_kubectl_applied_is_applied_the_same_way_until_the_app_opts_in(bed: Bed) -> None:
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
    applied = (
        '{"apiVersion":"v1","data":{"colour":"blue","old":"yes"},"kind":"ConfigMap",'
        f'"metadata":{{"name":"settings","namespace":"{bed.target}"}}}}\n'
    )
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": bed.target, "annotations": {LAST_APPLIED: applied}},
        "data": {"colour": "blue", "old": "yes"},
    }
    resource = await bed.resource("v1", "ConfigMap")
    await bed.user.create(resource, config, manager="kubectl-client-side-apply")
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    found = await bed.must_get("ConfigMap", "settings", "v1")
    assert found["data"] == {"colour": "blue"}
    assert "old" not in found["metadata"]["annotations"][LAST_APPLIED]
    app = _with_app_options(bed.application(automated=AUTO), "ServerSideApply=true")
    await bed.apply(app)
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG.replace("blue", "red")})

    async def opted_in() -> bool:
        metadata = (await bed.must_get("ConfigMap", "settings", "v1"))["metadata"]
        return "Apply" in {entry["operation"] for entry in metadata["managedFields"]}

    await bed.until(opted_in, "the object is applied server-side")
    await bed.until_delivered()
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "red"}


async def a_prune_that_needs_approval_waits_until_it_is_given(bed: Bed) -> None:
    precious = _with_options(manifests.CONFIG.replace("name: settings", "name: precious"), "Prune=confirm")
    bed.source.commit({**FILES, "apps/web/precious.yaml": precious})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.commit(FILES)

    async def asks() -> bool:
        state = (await bed.app_status())["operationState"]
        return state["phase"] == "Running" and "waiting for approval to prune ConfigMap/precious" in state["message"]

    await bed.until(asks, "the sync asks for approval")
    await bed.quiet()
    assert await asks()
    assert await bed.get("ConfigMap", "precious", "v1") is not None
    approval = {"metadata": {"annotations": {DELETION_APPROVED: times.format_time(bed.clock.now())}}}
    await bed.patch("Application", "web", approval, API, bed.control)

    async def pruned() -> bool:
        return await bed.get("ConfigMap", "precious", "v1") is None

    await bed.until(pruned, "the object is pruned")
    await bed.until_delivered()


async def children_of_a_pruned_object_stay_where_the_app_orphans_them(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(_with_app_options(bed.application(automated=AUTO), "PrunePropagationPolicy=orphan"))
    await bed.until_delivered()
    web = await bed.must_get("Deployment", "web")
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": web["metadata"]["uid"]}
    metadata = {"name": "child", "namespace": bed.target, "ownerReferences": [owner]}
    await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})

    async def pruned() -> bool:
        return await bed.get("Deployment", "web") is None

    await bed.until(pruned, "the Deployment is pruned")
    await bed.quiet()
    assert await bed.get("ConfigMap", "child", "v1") is not None


async def a_sync_option_without_effect_is_told_until_it_is_corrected(bed: Bed) -> None:
    bed.source.commit({"apps/web/config.yaml": _with_options(manifests.CONFIG, "ServerSideAply=true")})
    await bed.apply(_with_app_options(bed.application(automated=AUTO), "PruneLast=ture"))
    await bed.until_delivered()

    async def warnings() -> list[str]:
        conditions = (await bed.app_status()).get("conditions") or []
        return [item["message"] for item in conditions if item["type"] == "SyncOptionWarning"]

    in_app, in_object = await warnings()
    assert in_app.startswith("PruneLast=ture in spec.syncPolicy.syncOptions has no effect")
    assert "ConfigMap/settings (apps/web/config.yaml:" in in_object
    assert in_object.endswith("did you mean ServerSideApply=true?")
    bed.source.commit({"apps/web/config.yaml": _with_options(manifests.CONFIG, "ServerSideApply=true")})
    await bed.apply(_with_app_options(bed.application(automated=AUTO), "PruneLast=true"))

    async def silent() -> bool:
        return not await warnings()

    await bed.until(silent, "the warnings are gone")


STORIES: tuple[Callable[[Bed], Awaitable[None]], ...] = (
    an_object_with_replace_is_replaced_as_a_whole,
    a_field_that_must_not_change_is_changed_by_force_alone,
    client_side_apply_keeps_what_it_applied_in_an_annotation_and_removes_keys,
    an_object_that_kubectl_applied_is_applied_the_same_way_until_the_app_opts_in,
    a_prune_that_needs_approval_waits_until_it_is_given,
    children_of_a_pruned_object_stay_where_the_app_orphans_them,
    a_sync_option_without_effect_is_told_until_it_is_corrected,
)
