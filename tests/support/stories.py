"""Stories of one Application from Git to cluster, told the same way on the sandbox and on a real API server.

Each is a coroutine over a `tests.support.world.Bed` with one controller running; `tests/component/controller` plays
them in virtual time, `tests/real` in real time.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from syncline.apimachinery import times
from syncline.model.progress import StatusChanged, SyncFinished, SyncStarted, TroubleReported, WaveStarted
from tests.support import (
    choice_stories,
    deletion_stories,
    event_stories,
    hook_stories,
    manifests,
    option_stories,
    safety_stories,
)
from tests.support.world import API, Bed

Story = Callable[[Bed], Awaitable[None]]

FILES = option_stories.FILES
AUTO = option_stories.AUTO


async def play(bed: Bed, story: Story) -> None:
    """Tell a story on a bed with one controller."""
    await bed.start()
    controller = bed.controller()
    await controller.start()
    try:
        await story(bed)
        assert not bed.failures
        assert not bed.violations
    finally:
        await controller.stop()
        await bed.stop()


async def an_app_becomes_synced_and_healthy_from_nothing(bed: Bed) -> None:
    sha = bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    status = await bed.app_status()
    assert status["sync"]["revision"] == sha
    assert [entry["revision"] for entry in status["history"]] == [sha]
    assert {row["kind"]: row["status"] for row in status["resources"]} == {
        "ConfigMap": "Synced",
        "Deployment": "Synced",
    }


async def an_app_without_automation_waits_for_a_sync_to_be_asked_for(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application())
    await bed.until_status("OutOfSync", "Missing")
    await bed.quiet()
    assert await bed.get("Deployment", "web") is None
    await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)
    await bed.until_delivered()


async def a_sync_of_a_named_revision_delivers_that_one(bed: Bed) -> None:
    bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=3)}, branch="release-1")
    bed.source.commit(FILES)
    await bed.apply(bed.application())
    await bed.until_status("OutOfSync", "Missing")
    await bed.patch("Application", "web", {"operation": {"sync": {"revision": "release-1"}}}, API, bed.control)

    async def over() -> bool:
        return await bed.phase() == "Succeeded" and "operation" not in await bed.app()

    await bed.until(over, "the sync is over")
    assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 3
    await bed.until_status("OutOfSync", "Healthy")


async def a_commit_arrives_in_the_cluster(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    second = bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=3)})

    async def arrived() -> bool:
        return bool((await bed.app_status())["sync"]["revision"] == second)

    await bed.until(arrived, "the second commit was seen")
    await bed.until_delivered()
    assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 3
    assert [entry["revision"] for entry in (await bed.app_status())["history"]][1:] == [second]


async def a_deleted_deployment_is_explained_and_healed(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    uid = (await bed.must_get("Deployment", "web"))["metadata"]["uid"]
    bed.events.seen.clear()
    await bed.delete("Deployment", "web")

    async def healed() -> bool:
        again = await bed.get("Deployment", "web")
        return again is not None and again["metadata"]["uid"] != uid

    await bed.until(healed, "the Deployment is back")
    await bed.until_delivered()
    told = [event for event in bed.events.seen if isinstance(event, StatusChanged) and event.sync == "OutOfSync"]
    assert {event.message for event in told} == {"Deployment/web: missing live"}


async def a_change_by_hand_is_undone_and_what_git_does_not_set_is_left_alone(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    patch = {"spec": {"replicas": 7}, "metadata": {"annotations": {"team": "shop"}}}
    await bed.patch("Deployment", "web", patch)

    async def undone() -> bool:
        return bool((await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 2)

    await bed.until(undone, "replicas are 2 again")
    assert (await bed.must_get("Deployment", "web"))["metadata"]["annotations"]["team"] == "shop"


async def a_key_removed_from_git_goes_away_live(bed: Bed) -> None:
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG + "  size: big\n"})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})

    async def gone() -> bool:
        return bool((await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "blue"})

    await bed.until(gone, "the key is gone")


async def an_object_removed_from_git_is_pruned(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})

    async def pruned() -> bool:
        return await bed.get("Deployment", "web") is None

    await bed.until(pruned, "the Deployment is pruned")
    await bed.until_delivered()


async def without_prune_an_extra_object_stays_and_is_shown(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated={"selfHeal": True}))
    await bed.until_delivered()
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
    await bed.until_status("OutOfSync", "Healthy")
    await bed.quiet()
    assert await bed.get("Deployment", "web") is not None
    rows = {row["kind"]: row for row in (await bed.app_status())["resources"]}
    assert rows["Deployment"]["requiresPruning"] is True


async def waves_wait_until_the_one_before_is_healthy(bed: Bed) -> None:
    bed.source.commit({**FILES, "apps/web/later.yaml": manifests.deployment("later", wave=1)})
    await bed.apply(bed.application(automated=AUTO))

    async def second_wave() -> bool:
        return await bed.get("Deployment", "later") is not None

    await bed.until(second_wave, "wave 1 started")
    assert (await bed.must_get("Deployment", "web"))["status"]["availableReplicas"] == 2
    await bed.until_delivered()
    waves = [(event.phase.value, event.wave) for event in bed.events.seen if isinstance(event, WaveStarted)]
    assert waves == [("PreSync", 0), ("Sync", -1), ("Sync", 0), ("Sync", 1)]


async def a_custom_kind_and_its_object_arrive_in_one_sync(bed: Bed) -> None:
    bed.source.commit({"apps/web/crd.yaml": manifests.WIDGETS, "apps/web/widget.yaml": manifests.WIDGET})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    assert (await bed.must_get("Widget", "first", "example.io/v1"))["spec"] == {"colour": "red", "size": 3}


async def hooks_run_in_their_phases_once_per_sync(bed: Bed) -> None:
    bed.source.commit(
        {
            **FILES,
            "apps/web/before.yaml": manifests.hook("before", "PreSync"),
            "apps/web/after.yaml": manifests.hook("after", "PostSync", policy="HookSucceeded"),
        }
    )
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    assert await bed.get("Job", "before", "batch/v1") is not None
    results = (await bed.app_status())["operationState"]["syncResult"]["resources"]
    hooks = {row["name"]: (row["hookType"], row["hookPhase"]) for row in results if row.get("hookType")}
    assert hooks == {"before": ("PreSync", "Succeeded"), "after": ("PostSync", "Succeeded")}

    async def gone() -> bool:
        return await bed.get("Job", "after", "batch/v1") is None

    await bed.until(gone, "the hook that ended well is deleted")


async def a_hook_runs_again_with_the_next_sync(bed: Bed) -> None:
    files = {**FILES, "apps/web/before.yaml": manifests.hook("before", "PreSync")}
    bed.source.commit(files)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    first = (await bed.must_get("Job", "before", "batch/v1"))["metadata"]["uid"]
    second = bed.source.commit({**files, "apps/web/web.yaml": manifests.deployment(replicas=1)})

    async def seen() -> bool:
        return bool((await bed.app_status())["sync"]["revision"] == second)

    await bed.until(seen, "the second commit was seen")
    await bed.until_delivered()
    assert (await bed.must_get("Job", "before", "batch/v1"))["metadata"]["uid"] != first


async def a_failing_hook_fails_the_sync_and_nothing_after_it_is_applied(bed: Bed) -> None:
    bed.source.commit({**FILES, "apps/web/before.yaml": manifests.hook("before", "PreSync", image="example/job:bad")})
    app = bed.application(automated=AUTO)
    app["spec"]["syncPolicy"]["retry"] = {"limit": 0}
    await bed.apply(app)

    async def failed() -> bool:
        return await bed.phase() == "Failed"

    await bed.until(failed, "the sync failed")
    assert await bed.get("Deployment", "web") is None


async def _bad_input(bed: Bed, files: dict[str, str], words: str) -> None:
    """A bad commit is one clear sentence, changes nothing, and is forgotten when mended."""
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.commit(files)

    async def told() -> bool:
        conditions = (await bed.app_status()).get("conditions") or []
        return any(words in condition["message"] for condition in conditions)

    await bed.until(told, words)
    status = await bed.app_status()
    assert [condition["type"] for condition in status["conditions"]] == ["ComparisonError"]
    assert status["sync"]["status"] == "Unknown"
    assert await bed.get("Deployment", "web") is not None
    bed.source.commit(FILES)
    await bed.until_delivered()
    assert not (await bed.app_status()).get("conditions")
    troubles = [event.resolved for event in bed.events.seen if isinstance(event, TroubleReported)]
    assert troubles == [False, True]


async def broken_yaml_is_said_with_file_and_line_and_recovers(bed: Bed) -> None:
    broken = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"
    await _bad_input(bed, {"apps/web/web.yaml": broken}, "apps/web/web.yaml:")


async def a_document_without_a_kind_is_said_with_file_and_line_and_recovers(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    kindless = "apiVersion: v1\nmetadata:\n  name: a\n"
    bed.source.commit({"apps/web/web.yaml": kindless, "apps/web/more.yaml": manifests.CONFIG})

    async def told() -> bool:
        conditions = (await bed.app_status()).get("conditions") or []
        return any("apps/web/web.yaml:1" in one["message"] for one in conditions if one["type"] == "ComparisonError")

    await bed.until(told, "the document is named")
    # Nothing is pruned: nobody knows what the document was to be.
    assert await bed.get("Deployment", "web") is not None
    bed.source.commit(FILES)
    await bed.until_status("Synced", "Healthy")

    async def forgotten() -> bool:
        return not (await bed.app_status()).get("conditions")

    await bed.until(forgotten, "the condition is gone")


async def a_missing_folder_is_said_and_recovers(bed: Bed) -> None:
    await _bad_input(bed, {"elsewhere/web.yaml": manifests.CONFIG}, "app path does not exist")


async def a_branch_that_vanishes_changes_nothing_and_may_come_back(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    bed.source.delete_branch("main")
    await bed.until_status("Unknown", "Healthy")
    conditions = (await bed.app_status())["conditions"]
    assert "unable to resolve 'main' to a commit SHA" in conditions[0]["message"]
    bed.source.commit(FILES)
    await bed.until_delivered()


async def a_newer_commit_wins_over_a_sync_that_is_stuck(bed: Bed) -> None:
    stuck = {
        "apps/web/web.yaml": manifests.deployment(image="example/web:missing"),
        "apps/web/later.yaml": manifests.deployment("later", wave=1),
    }
    bed.source.commit(stuck)
    await bed.apply(bed.application(automated=AUTO))

    async def waiting() -> bool:
        state = (await bed.app_status()).get("operationState") or {}
        return "waiting for healthy state of apps/Deployment/web" in state.get("message", "")

    await bed.until(waiting, "the sync waits")
    bed.source.commit({**stuck, "apps/web/web.yaml": manifests.deployment()})
    await bed.until_delivered()
    ended = next(event for event in bed.events.seen if isinstance(event, SyncFinished))
    started = [event for event in bed.events.seen if isinstance(event, SyncStarted)]
    assert ended.message.startswith("superseded by ")
    assert times.parse(started[1].time) - times.parse(ended.time) <= timedelta(seconds=bed.prompt)


async def deleting_an_app_with_the_finalizer_takes_its_objects_along(bed: Bed) -> None:
    bed.source.commit(FILES)
    app = bed.application(automated=AUTO)
    app["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
    await bed.apply(app)
    await bed.until_delivered()
    await bed.delete("Application", "web", API, bed.control)

    async def gone() -> bool:
        return await bed.find_app() is None

    await bed.until(gone, "the Application is gone")
    assert await bed.get("Deployment", "web") is None
    assert await bed.get("ConfigMap", "settings", "v1") is None


async def hooks_of_deletion_run_before_and_after_the_objects_go(bed: Bed) -> None:
    before = manifests.hook("before-end", "PreDelete")
    after = manifests.hook("after-end", "PostDelete", policy="HookSucceeded")
    bed.source.commit({**FILES, "apps/web/before.yaml": before, "apps/web/after.yaml": after})
    app = bed.application(automated=AUTO)
    app["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
    await bed.apply(app)
    await bed.until_delivered()
    assert (await bed.app())["metadata"]["finalizers"] == [
        "resources-finalizer.argocd.argoproj.io",
        "pre-delete-finalizer.argocd.argoproj.io",
        "pre-delete-finalizer.argocd.argoproj.io/cleanup",
        "post-delete-finalizer.argocd.argoproj.io",
        "post-delete-finalizer.argocd.argoproj.io/cleanup",
    ]
    assert await bed.get("Job", "before-end", "batch/v1") is None
    await bed.still()
    bed.writes.clear()
    await bed.delete("Application", "web", API, bed.control)

    async def gone() -> bool:
        return await bed.find_app() is None

    await bed.until(gone, "the Application is gone")
    done = [(line.split(" ")[0], line.partition("?")[0].rsplit("/", 2)[1:]) for line in bed.writes]
    steps = [method for method, path in done if path[0] == "jobs" or path[1] == "jobs" or path[0] == "deployments"]
    assert steps == ["POST", "DELETE", "DELETE", "POST", "DELETE"], bed.writes
    assert await bed.get("Deployment", "web") is None


async def objects_applied_by_kubectl_before_are_taken_over_and_a_removed_key_goes_away(bed: Bed) -> None:
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": bed.target},
        "data": {"colour": "blue", "old": "yes"},
    }
    resource = await bed.resource("v1", "ConfigMap")
    await bed.user.create(resource, config, manager="kubectl-client-side-apply")
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "blue"}


async def ignored_fields_are_neither_differences_nor_overwritten(bed: Bed) -> None:
    rules = [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]
    app = bed.application(automated=AUTO, ignoreDifferences=rules)
    app["spec"]["syncPolicy"]["syncOptions"].append("RespectIgnoreDifferences=true")
    bed.source.commit(FILES)
    await bed.apply(app)
    await bed.until_delivered()
    await bed.patch("Deployment", "web", {"spec": {"replicas": 5}})
    await bed.quiet()
    assert await bed.status() == ("Synced", "Healthy")
    second = bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=2, image="example/web:2")})

    async def seen() -> bool:
        return bool((await bed.app_status())["sync"]["revision"] == second)

    await bed.until(seen, "the second commit was seen")
    await bed.until_delivered()
    deployment = await bed.must_get("Deployment", "web")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "example/web:2"
    assert deployment["spec"]["replicas"] == 5


async def a_quiet_app_causes_no_writes(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    await bed.still()
    version = (await bed.app())["metadata"]["resourceVersion"]
    before = len(bed.writes)
    await bed.quiet()
    assert (await bed.app())["metadata"]["resourceVersion"] == version
    assert bed.writes[before:] == []


STORIES: tuple[Story, ...] = (
    an_app_becomes_synced_and_healthy_from_nothing,
    an_app_without_automation_waits_for_a_sync_to_be_asked_for,
    a_sync_of_a_named_revision_delivers_that_one,
    a_commit_arrives_in_the_cluster,
    a_deleted_deployment_is_explained_and_healed,
    a_change_by_hand_is_undone_and_what_git_does_not_set_is_left_alone,
    a_key_removed_from_git_goes_away_live,
    an_object_removed_from_git_is_pruned,
    without_prune_an_extra_object_stays_and_is_shown,
    waves_wait_until_the_one_before_is_healthy,
    a_custom_kind_and_its_object_arrive_in_one_sync,
    hooks_run_in_their_phases_once_per_sync,
    a_hook_runs_again_with_the_next_sync,
    a_failing_hook_fails_the_sync_and_nothing_after_it_is_applied,
    broken_yaml_is_said_with_file_and_line_and_recovers,
    a_document_without_a_kind_is_said_with_file_and_line_and_recovers,
    a_missing_folder_is_said_and_recovers,
    a_branch_that_vanishes_changes_nothing_and_may_come_back,
    a_newer_commit_wins_over_a_sync_that_is_stuck,
    deleting_an_app_with_the_finalizer_takes_its_objects_along,
    hooks_of_deletion_run_before_and_after_the_objects_go,
    objects_applied_by_kubectl_before_are_taken_over_and_a_removed_key_goes_away,
    ignored_fields_are_neither_differences_nor_overwritten,
    a_quiet_app_causes_no_writes,
    *choice_stories.STORIES,
    *hook_stories.STORIES,
    *deletion_stories.STORIES,
    *option_stories.STORIES,
    *safety_stories.STORIES,
    *event_stories.STORIES,
)
