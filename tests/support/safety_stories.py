"""Stories of what is asked, tried out or held back before anything is written or deleted.

Told with the others of `tests.support.stories`, which takes `STORIES` in.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.model import names
from tests.support import manifests
from tests.support.world import API, Bed, default_project

FILES = {"apps/web/config.yaml": manifests.CONFIG}
AUTO = {"prune": True, "selfHeal": True}
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: none
  resources: {requests: {storage: 1Gi}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: report
  annotations:
    argocd.argoproj.io/sync-options: Force=true,Replace=true
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "example/job:1"}]
"""


async def _annotate(bed: Bed, **annotations: str | None) -> None:
    await bed.patch("Application", "web", {"metadata": {"annotations": annotations}}, API, bed.control)


async def _ask(bed: Bed, **sync: Any) -> None:
    operation = {"sync": sync, "initiatedBy": {"username": "ann"}}
    await bed.patch("Application", "web", {"operation": operation}, API, bed.control)


async def _message(bed: Bed) -> str:
    return str(((await bed.app_status()).get("operationState") or {}).get("message") or "")


async def a_claim_that_git_no_longer_has_is_pruned_only_after_somebody_approved(bed: Bed) -> None:
    bed.source.commit({**FILES, "apps/web/claim.yaml": CLAIM})
    await bed.apply(bed.application(automated=AUTO))

    async def there() -> bool:
        return await bed.get("PersistentVolumeClaim", "data", "v1") is not None and await bed.phase() == "Succeeded"

    await bed.until(there, "the claim is there")
    changed = manifests.CONFIG.replace("colour: blue", "colour: red")
    bed.source.commit({"apps/web/config.yaml": changed})

    async def asks() -> bool:
        return "waiting for approval to prune PersistentVolumeClaim/data" in await _message(bed)

    await bed.until(asks, "the sync asks")
    await bed.quiet()
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"]["colour"] == "red"
    assert (await bed.must_get("PersistentVolumeClaim", "data", "v1"))["metadata"].get("deletionTimestamp") is None
    await _annotate(bed, **{names.DELETION_APPROVED: times.format_time(bed.clock.now())})

    async def leaving() -> bool:
        found = await bed.get("PersistentVolumeClaim", "data", "v1")
        return found is None or "deletionTimestamp" in found["metadata"]

    await bed.until(leaving, "the claim goes")


async def while_an_app_is_frozen_nothing_is_written_and_afterwards_it_goes_on(bed: Bed) -> None:
    bed.source.commit(FILES)
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    await _annotate(bed, **{names.FREEZE: "year end"})
    bed.source.commit({"apps/web/config.yaml": manifests.CONFIG.replace("colour: blue", "colour: red")})

    async def seen() -> bool:
        return (await bed.status())[0] == "OutOfSync"

    await bed.until(seen, "the commit is seen")
    await bed.still()
    before = len(bed.writes)
    await bed.quiet()
    assert [line for line in bed.writes[before:] if f"/namespaces/{bed.target}/" in line] == []
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"]["colour"] == "blue"
    await _annotate(bed, **{names.FREEZE: None})
    await bed.until_delivered()
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"]["colour"] == "red"


async def a_sync_that_somebody_asked_for_waits_in_a_window_that_forbids_it(bed: Bed) -> None:
    project = default_project(bed.control)
    window = {"kind": "deny", "schedule": "* * * * *", "duration": "1h", "applications": ["web"]}
    await bed.apply({**project, "spec": {**project["spec"], "syncWindows": [window]}})
    bed.source.commit(FILES)
    await bed.apply(bed.application())
    await _ask(bed, revision="")

    async def blocked() -> bool:
        return "Sync operation blocked by sync window: the deny window '* * * * *' for 1h" in await _message(bed)

    await bed.until(blocked, "the window is told")
    assert await bed.get("ConfigMap", "settings", "v1") is None
    await bed.apply({**project, "spec": {**project["spec"], "syncWindows": [{**window, "manualSync": True}]}})
    await _annotate(bed, **{names.REFRESH: "normal"})
    await bed.until_delivered()


async def a_dry_run_says_what_the_server_would_refuse_and_writes_nothing(bed: Bed) -> None:
    bad = manifests.CONFIG.replace("name: settings", "name: Not-A-Name")
    bed.source.commit({**FILES, "apps/web/bad.yaml": bad})
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
    await bed.apply(bed.application())
    await _ask(bed, dryRun=True)

    async def over() -> bool:
        return await bed.phase() == "Failed"

    await bed.until(over, "the dry run ends")
    message = await _message(bed)
    assert message.startswith("one or more objects failed to apply (dry run), reason: ConfigMap/Not-A-Name: ")
    rows = {row["name"]: row for row in (await bed.app_status())["operationState"]["syncResult"]["resources"]}
    assert (rows["settings"]["status"], rows["settings"]["message"]) == (
        "Synced",
        "configmap/settings created (dry run)",
    )
    assert await bed.get("ConfigMap", "settings", "v1") is None
    before = (await bed.app_status())["sync"]["revision"]
    bed.source.commit(FILES)

    async def seen() -> bool:
        return bool((await bed.app_status())["sync"]["revision"] != before)

    await bed.until(seen, "the commit is seen")
    await _ask(bed, dryRun=True)

    async def well() -> bool:
        return await bed.phase() == "Succeeded"

    await bed.until(well, "the dry run ends well")
    assert await bed.get("ConfigMap", "settings", "v1") is None
    assert (await bed.app_status()).get("history") is None


async def with_server_side_diff_the_server_is_asked_about_what_is_in_doubt_and_its_word_counts(bed: Bed) -> None:
    bed.source.commit(FILES)
    app = bed.application()
    app["metadata"]["annotations"] = {names.COMPARE_OPTIONS: "ServerSideDiff=true"}
    await bed.apply(app)
    await _ask(bed, revision="")
    await bed.until_delivered()
    await bed.still()
    before = len(bed.writes)
    await bed.quiet()
    assert bed.writes[before:] == []
    await bed.patch("ConfigMap", "settings", {"data": {"colour": "red"}}, "v1")

    async def differs() -> bool:
        return (await bed.status())[0] == "OutOfSync"

    await bed.until(differs, "the change is seen")
    await bed.quiet()
    asked = [line for line in bed.writes[before:] if "/configmaps/settings" in line]
    assert len(asked) == 1
    assert "dryRun=All" in asked[0]
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"]["colour"] == "red"


async def a_job_with_replace_and_force_runs_again_with_every_sync_and_once_in_each(bed: Bed) -> None:
    bed.source.commit({**FILES, "apps/web/job.yaml": JOB})
    await bed.apply(bed.application())
    uids: list[Object] = []
    for _ in range(2):
        await bed.clock.sleep(2)
        await _ask(bed, revision="")

        async def over() -> bool:
            return await bed.phase() == "Succeeded" and "operation" not in await bed.app()

        await bed.until(over, "the sync is over")
        uids.append((await bed.must_get("Job", "report", "batch/v1"))["metadata"]["uid"])
    assert uids[0] != uids[1]
    created = [line for line in bed.writes if line.startswith("POST") and "/jobs" in line]
    assert len(created) == 2


async def an_object_that_one_commit_moves_to_another_app_changes_hands_whichever_is_looked_at_first(bed: Bed) -> None:
    other = manifests.CONFIG.replace("name: settings", "name: other")
    bed.source.commit({"apps/web/moving.yaml": manifests.CONFIG, "apps/web/own.yaml": other.replace("other", "own"),
                       "apps/zoo/other.yaml": other})  # fmt: skip
    following = bed.application("zoo", automated=AUTO)
    following["spec"]["source"]["path"] = "apps/zoo"
    await bed.apply(bed.application(automated=AUTO))
    await bed.apply(following)
    await bed.until_delivered()
    await bed.until_delivered("zoo")
    uid = (await bed.must_get("ConfigMap", "settings", "v1"))["metadata"]["uid"]
    bed.source.slow["apps/zoo"] = lambda: bed.clock.sleep(5)
    bed.source.commit({"apps/web/own.yaml": other.replace("other", "own"), "apps/zoo/moving.yaml": manifests.CONFIG,
                       "apps/zoo/other.yaml": other})  # fmt: skip

    async def moved() -> bool:
        found = await bed.get("ConfigMap", "settings", "v1")
        annotations = (found or {}).get("metadata", {}).get("annotations") or {}
        return str(annotations.get(names.TRACKING_ID)).startswith("zoo:")

    await bed.until(moved, "the object belongs to the other app")
    await bed.until_delivered()
    await bed.until_delivered("zoo")
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["metadata"]["uid"] == uid
    assert [line for line in bed.writes if line.startswith("DELETE")] == []


STORIES: tuple[Callable[[Bed], Awaitable[None]], ...] = (
    a_claim_that_git_no_longer_has_is_pruned_only_after_somebody_approved,
    while_an_app_is_frozen_nothing_is_written_and_afterwards_it_goes_on,
    a_sync_that_somebody_asked_for_waits_in_a_window_that_forbids_it,
    a_dry_run_says_what_the_server_would_refuse_and_writes_nothing,
    with_server_side_diff_the_server_is_asked_about_what_is_in_doubt_and_its_word_counts,
    a_job_with_replace_and_force_runs_again_with_every_sync_and_once_in_each,
    an_object_that_one_commit_moves_to_another_app_changes_hands_whichever_is_looked_at_first,
)
