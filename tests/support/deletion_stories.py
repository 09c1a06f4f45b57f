"""Stories of what goes and what stays: prunes and their order, guards against them, and the deletion of an app.

Told with the others of `tests.support.stories`, which takes `STORIES` in.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.model import names
from tests.support import manifests
from tests.support.manifests import files
from tests.support.world import API, Bed

AUTO = {"prune": True, "selfHeal": True}


def config(name: str, *, wave: int = 0, notes: dict[str, str] | None = None) -> str:
    """Return a ConfigMap with annotations."""
    return manifests.annotated(name, {names.SYNC_WAVE: str(wave), **(notes or {})})


def _options(text: str) -> dict[str, str]:
    return {names.SYNC_OPTIONS: text}


def _deleted(bed: Bed) -> list[str]:
    """Return the names of what controllers deleted, in order."""
    return [
        line.partition("?")[0].rsplit("/", 1)[-1]
        for line in bed.writes
        if line.startswith("DELETE") and f"/namespaces/{bed.target}/" in line
    ]


async def _there(bed: Bed, *wanted: str) -> list[str]:
    return [name for name in wanted if await bed.get("ConfigMap", name, "v1") is not None]


async def prunes_go_from_the_last_wave_to_the_first_and_those_to_be_last_come_last(bed: Bed) -> None:
    last = config("last", wave=5, notes=_options("PruneLast=true"))
    kept = config("kept")
    bed.source.commit(files(a=config("first"), b=config("second", wave=1), c=config("third", wave=2), d=last, e=kept))
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.commit(files(e=kept))

    async def pruned() -> bool:
        return await _there(bed, "first", "second", "third", "last") == []

    await bed.until(pruned, "everything that Git no longer has is pruned")
    assert _deleted(bed) == ["third", "second", "first", "last"]
    await bed.until_delivered()


async def what_must_not_be_pruned_stays_and_counts_unless_it_says_that_it_does_not(bed: Bed) -> None:
    own = config("own")
    quiet = config("quiet", notes={**_options("Prune=false"), names.COMPARE_OPTIONS: "IgnoreExtraneous"})
    bed.source.commit(files(a=own, b=config("loud", notes=_options("Prune=false")), c=quiet))
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.commit(files(a=own, b=config("loud", notes=_options("Prune=false"))))

    async def extra() -> bool:
        rows = {row["name"]: row for row in (await bed.app_status())["resources"]}
        return bool(rows.get("quiet", {}).get("requiresPruning"))

    await bed.until(extra, "the object is extra now")
    await bed.until_delivered()
    bed.source.commit(files(a=own))
    await bed.until_status("OutOfSync", "Healthy")
    await bed.quiet()
    assert await _there(bed, "own", "loud", "quiet") == ["own", "loud", "quiet"]
    assert _deleted(bed) == []


async def a_commit_that_empties_an_app_prunes_nothing_unless_that_is_allowed(bed: Bed) -> None:
    bed.source.commit(files(a=config("one"), b=config("two")))
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.commit(files(c="# nothing is left\n"))
    words = "auto-sync will wipe out all resources"

    async def told() -> bool:
        conditions = (await bed.app_status()).get("conditions") or []
        return any(item["type"] == "SyncError" and words in item["message"] for item in conditions)

    await bed.until(told, words)
    await bed.quiet()
    assert await _there(bed, "one", "two") == ["one", "two"]
    await bed.apply(bed.application(automated={**AUTO, "allowEmpty": True}))

    async def gone() -> bool:
        return await _there(bed, "one", "two") == []

    await bed.until(gone, "everything is pruned")


async def without_self_heal_a_change_by_hand_stays_and_a_sync_with_prune_can_be_asked_for(bed: Bed) -> None:
    bed.source.commit(files(a=config("own"), b=config("old")))
    await bed.apply(bed.application(automated={}))
    await bed.until_delivered()
    await bed.patch("ConfigMap", "own", {"data": {"a": "by hand"}}, "v1")
    await bed.until_status("OutOfSync", "Healthy")
    bed.source.commit(files(a=config("own")))

    async def healed_by_the_commit() -> bool:
        return bool((await bed.must_get("ConfigMap", "own", "v1"))["data"] == {"a": "b"})

    await bed.until(healed_by_the_commit, "the next commit is synced, once")
    await bed.patch("ConfigMap", "own", {"data": {"a": "by hand"}}, "v1")
    await bed.quiet()
    assert (await bed.must_get("ConfigMap", "own", "v1"))["data"] == {"a": "by hand"}
    assert await _there(bed, "old") == ["old"]
    await bed.patch("Application", "web", {"operation": {"sync": {"prune": True}}}, API, bed.control)
    await bed.until_delivered()
    assert (await bed.must_get("ConfigMap", "own", "v1"))["data"] == {"a": "b"}
    assert await _there(bed, "old") == []


def _ending(bed: Bed, finalizer: str, *options: str) -> Object:
    app = bed.application(automated=AUTO)
    app["metadata"]["finalizers"] = [finalizer] if finalizer else []
    app["spec"]["syncPolicy"]["syncOptions"] += options
    return app


async def _gone(bed: Bed) -> None:
    async def gone() -> bool:
        return await bed.find_app() is None

    await bed.until(gone, "the Application is gone")


async def _take_down(bed: Bed, finalizer: str, propagation: str) -> None:
    bed.source.commit(files(a=config("first"), b=config("second", wave=1), c=config("third", wave=2)))
    await bed.apply(_ending(bed, finalizer))
    await bed.until_delivered()
    await bed.delete("Application", "web", API, bed.control)
    await _gone(bed)
    assert _deleted(bed) == ["third", "second", "first"]
    assert await _there(bed, "first", "second", "third") == []
    assert set(bed.propagations) == {propagation}


async def an_app_goes_wave_by_wave_from_the_last_and_its_objects_in_the_foreground(bed: Bed) -> None:
    await _take_down(bed, names.RESOURCES_FINALIZER, "Foreground")


async def an_app_that_says_so_goes_with_its_objects_in_the_background(bed: Bed) -> None:
    await _take_down(bed, f"{names.RESOURCES_FINALIZER}/background", "Background")


async def an_app_without_a_finalizer_leaves_everything_behind(bed: Bed) -> None:
    bed.source.commit(files(a=config("own"), b=manifests.deployment()))
    await bed.apply(_ending(bed, ""))
    await bed.until_delivered()
    await bed.delete("Application", "web", API, bed.control)
    await _gone(bed)
    await bed.quiet()
    assert _deleted(bed) == []
    assert await _there(bed, "own") == ["own"]
    assert await bed.get("Deployment", "web") is not None


async def of_a_deleted_app_what_must_not_go_stays_and_what_needs_approval_waits_for_it(bed: Bed) -> None:
    bed.source.commit(
        files(
            a=config("own"),
            b=config("kept", notes=_options("Delete=false")),
            c=config("precious", notes=_options("Delete=confirm")),
        )
    )
    await bed.apply(_ending(bed, names.RESOURCES_FINALIZER))
    await bed.until_delivered()
    await bed.delete("Application", "web", API, bed.control)
    await bed.quiet()
    assert await bed.find_app() is not None
    assert await _there(bed, "kept", "precious") == ["kept", "precious"]
    approval = {"metadata": {"annotations": {names.DELETION_APPROVED: times.format_time(bed.clock.now())}}}
    await bed.patch("Application", "web", approval, API, bed.control)
    await _gone(bed)
    assert await _there(bed, "own", "kept", "precious") == ["kept"]


async def propagation_of_prunes_is_what_the_app_says(bed: Bed) -> None:
    found: dict[str, set[str]] = {}
    for policy in ("foreground", "background", "orphan"):
        bed.source.commit(files(a=config("own"), b=config("old")))
        app: Any = bed.application(automated=AUTO)
        app["spec"]["syncPolicy"]["syncOptions"].append(f"PrunePropagationPolicy={policy}")
        await bed.apply(app)

        async def there() -> bool:
            return await _there(bed, "own", "old") == ["own", "old"]

        await bed.until(there, "both are there")
        await bed.until_delivered()
        bed.propagations.clear()
        bed.source.commit(files(a=config("own")))

        async def pruned() -> bool:
            return await _there(bed, "old") == []

        await bed.until(pruned, "the old one is pruned")
        await bed.until_delivered()
        found[policy] = set(bed.propagations)
    assert found == {"foreground": {"Foreground"}, "background": {"Background"}, "orphan": {"Orphan"}}


STORIES: tuple[Callable[[Bed], Awaitable[None]], ...] = (
    prunes_go_from_the_last_wave_to_the_first_and_those_to_be_last_come_last,
    what_must_not_be_pruned_stays_and_counts_unless_it_says_that_it_does_not,
    a_commit_that_empties_an_app_prunes_nothing_unless_that_is_allowed,
    without_self_heal_a_change_by_hand_stays_and_a_sync_with_prune_can_be_asked_for,
    an_app_goes_wave_by_wave_from_the_last_and_its_objects_in_the_foreground,
    an_app_that_says_so_goes_with_its_objects_in_the_background,
    an_app_without_a_finalizer_leaves_everything_behind,
    of_a_deleted_app_what_must_not_go_stays_and_what_needs_approval_waits_for_it,
    propagation_of_prunes_is_what_the_app_says,
)
