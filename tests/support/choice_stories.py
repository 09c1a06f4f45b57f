"""Stories of sync options that choose what is applied, and what has to be so before anything is.

Told with the others of `tests.support.stories`, which takes `STORIES` in.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from syncline.model import names
from tests.support.deletion_stories import config
from tests.support.manifests import files
from tests.support.world import API, Bed

AUTO = {"prune": True, "selfHeal": True}
GADGET = "apiVersion: nowhere.example.io/v1\nkind: Gadget\nmetadata:\n  name: one\n  annotations:\n"


def _app(bed: Bed, *options: str, automated: dict[str, Any] | None = None) -> Any:
    app = bed.application(automated=automated)
    app["spec"]["syncPolicy"]["syncOptions"] += options
    app["spec"]["syncPolicy"]["retry"] = {"limit": 0}
    return app


async def _state(bed: Bed) -> dict[str, Any]:
    return (await bed.app_status()).get("operationState") or {}


async def _ended(bed: Bed, phase: str) -> dict[str, Any]:
    """Wait until the operation ended so; return its state."""

    async def ended() -> bool:
        return await bed.phase() == phase and "operation" not in await bed.app()

    await bed.until(ended, f"the sync is {phase}")
    return await _state(bed)


def _applied(bed: Bed) -> list[str]:
    """Return the names of what controllers applied in the target namespace."""
    return sorted(
        line.partition("?")[0].rsplit("/", 1)[-1]
        for line in bed.writes
        if line.startswith("PATCH") and f"/namespaces/{bed.target}/" in line and "dryRun" not in line
    )


async def with_the_option_only_what_is_out_of_sync_is_applied(bed: Bed) -> None:
    for option, value, expected in (
        ("ApplyOutOfSyncOnly=true", "c", ["two"]),
        ("ApplyOutOfSyncOnly=false", "d", ["one", "two"]),
    ):
        bed.source.commit(files(a=config("one"), b=config("two")))
        await bed.apply(_app(bed, option, automated=AUTO))
        await bed.until_delivered()
        await bed.still()
        bed.writes.clear()
        sha = bed.source.commit(files(a=config("one"), b=config("two").replace("a: b", f"a: {value}")))

        async def arrived(sha: str = sha) -> bool:
            return bool((await bed.app_status())["history"][-1]["revision"] == sha)

        await bed.until(arrived, "the commit is delivered")
        await bed.until_delivered()
        assert _applied(bed) == expected, option


async def an_object_of_another_app_fails_the_sync_of_one_that_wants_no_shared_objects(bed: Bed) -> None:
    bed.source.commit({**files(a=config("shared")), "apps/zoo/a.yaml": config("shared")})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    other = _app(bed, "FailOnSharedResource=true")
    other["metadata"]["name"] = "zoo"
    other["spec"]["source"]["path"] = "apps/zoo"
    await bed.apply(other)

    async def warned() -> bool:
        conditions = (await bed.app_status("zoo")).get("conditions") or []
        return any(item["type"] == "SharedResourceWarning" for item in conditions)

    await bed.until(warned, "the shared object is told")
    await bed.patch("Application", "zoo", {"operation": {"sync": {}}}, API, bed.control)

    async def failed() -> bool:
        return await bed.phase("zoo") == "Failed"

    await bed.until(failed, "the sync of the other app fails")
    mark = (await bed.must_get("ConfigMap", "shared", "v1"))["metadata"]["annotations"][names.TRACKING_ID]
    assert mark.startswith("web:")


async def a_field_that_the_kind_does_not_have_is_refused_unless_it_is_not_to_be_validated(bed: Bed) -> None:
    wrong = config("wrong") + "colour: blue\n"
    bed.source.commit(files(a=wrong))
    await bed.apply(_app(bed, "ServerSideApply=false"))
    await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)
    assert 'unknown field "colour"' in str(await _ended(bed, "Failed"))
    assert await bed.get("ConfigMap", "wrong", "v1") is None
    await bed.apply(_app(bed, "ServerSideApply=false", "Validate=false"))
    await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)
    await _ended(bed, "Succeeded")
    assert "colour" not in await bed.must_get("ConfigMap", "wrong", "v1")


async def an_object_of_an_unknown_kind_fails_alone_or_with_its_wave_where_its_dry_run_is_skipped(bed: Bed) -> None:
    skip = f"    {names.SYNC_OPTIONS}: SkipDryRunOnMissingResource=true\n"
    wave = f"    {names.SYNC_WAVE}: '1'\n"
    for number, notes in enumerate((wave, wave + skip)):
        sha = bed.source.commit(files(a=config(f"own-{number}"), b=GADGET + notes, c=config(f"late-{number}", wave=2)))
        await bed.apply(_app(bed))

        async def seen(sha: str = sha) -> bool:
            return bool(((await bed.app_status()).get("sync") or {}).get("revision") == sha)

        await bed.until(seen, "the commit is seen")
        await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)

        async def failed(sha: str = sha) -> bool:
            result = (await _state(bed)).get("syncResult") or {}
            return result.get("revision") == sha and await bed.phase() == "Failed"

        await bed.until(failed, "the sync failed")
        assert "Gadget/one" in (await _state(bed))["message"]
        assert await bed.get("ConfigMap", f"own-{number}", "v1") is not None
        # What is known to fail beforehand fails alone; what fails in its turn keeps later waves from being applied.
        assert (await bed.get("ConfigMap", f"late-{number}", "v1") is None) is (notes != wave)


async def a_namespace_is_made_with_the_metadata_that_the_app_gives_it_and_no_mark(bed: Bed) -> None:
    bed.source.commit(files(a=config("own")))
    app = bed.application(automated=AUTO)
    given = {"labels": {"team": "shop", "tier": "one"}, "annotations": {"note": "first"}}
    app["spec"]["syncPolicy"]["managedNamespaceMetadata"] = given
    await bed.apply(app)
    await bed.until_delivered()

    async def metadata() -> dict[str, Any]:
        found = await bed.user.get(await bed.resource("v1", "Namespace"), "", bed.target)
        assert found is not None
        kept: dict[str, Any] = found["metadata"]
        return kept

    made = await metadata()
    assert {name: made["labels"].get(name) for name in ("team", "tier")} == {"team": "shop", "tier": "one"}
    assert made["annotations"].get("note") == "first"
    assert names.TRACKING_ID not in made["annotations"]
    app["spec"]["syncPolicy"]["managedNamespaceMetadata"] = {"labels": {"team": "zoo"}}
    await bed.apply(app)
    bed.source.commit(files(a=config("own").replace("a: b", "a: c")))

    async def changed() -> bool:
        now = await metadata()
        return now["labels"].get("team") == "zoo" and "tier" not in now["labels"]

    await bed.until(changed, "the namespace follows")
    assert "note" not in ((await metadata()).get("annotations") or {})


async def a_sync_of_some_objects_applies_those_runs_no_hooks_and_writes_no_history(bed: Bed) -> None:
    hook = config("before", notes={names.HOOK: "PreSync"})
    bed.source.commit(files(a=config("one"), b=config("two"), c=hook))
    await bed.apply(bed.application())
    chosen = {"resources": [{"kind": "ConfigMap", "name": "two"}]}
    await bed.patch("Application", "web", {"operation": {"sync": chosen}}, API, bed.control)
    await _ended(bed, "Succeeded")
    found = [await bed.get("ConfigMap", name, "v1") is not None for name in ("one", "two", "before")]
    assert found == [False, True, False]
    assert not (await bed.app_status()).get("history")


STORIES: tuple[Callable[[Bed], Awaitable[None]], ...] = (
    with_the_option_only_what_is_out_of_sync_is_applied,
    an_object_of_another_app_fails_the_sync_of_one_that_wants_no_shared_objects,
    a_field_that_the_kind_does_not_have_is_refused_unless_it_is_not_to_be_validated,
    an_object_of_an_unknown_kind_fails_alone_or_with_its_wave_where_its_dry_run_is_skipped,
    a_namespace_is_made_with_the_metadata_that_the_app_gives_it_and_no_mark,
    a_sync_of_some_objects_applies_those_runs_no_hooks_and_writes_no_history,
)
