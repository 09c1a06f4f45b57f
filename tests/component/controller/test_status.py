"""What people and other tools see of the loop: Events, conditions, history, refresh, pauses."""

import asyncio
from typing import Any

import msgspec
import pytest

from syncline.controller.deliver.events import Events
from syncline.controller.deliver.notes import Note, joined, notes
from syncline.model.progress import StatusChanged
from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SETTINGS, SandboxBed


async def begun(bed: SandboxBed) -> None:
    await bed.start()
    controller = bed.controller()
    await controller.start()


async def events(bed: SandboxBed) -> list[tuple[str, str, str]]:
    listed = await bed.user.list(await bed.resource("v1", "Event"), namespace=bed.control)
    found = sorted(listed.items, key=lambda item: int(item["metadata"]["resourceVersion"]))
    return [
        (item["type"], item["reason"], item["message"])
        for item in found
        if item["involvedObject"]["kind"] == "Application"
    ]


@pytest.mark.parametrize("compat", list(Compat))
def test_a_delivery_is_told_in_events_with_argo_cds_reasons(compat: Compat) -> None:
    async def main() -> None:
        bed = SandboxBed(settings=msgspec.structs.replace(SETTINGS, compat=compat))
        await begun(bed)
        sha = bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        await bed.clock.sleep(3)
        done = ("Normal", "OperationCompleted", f"Sync operation to {sha} succeeded")
        sync, health = "Updated sync status: OutOfSync -> Synced", "Updated health status: Missing -> Healthy"
        if compat is Compat.ARGOCD:
            expected = [
                ("Normal", "OperationStarted", f"Initiated automated sync to '{sha}'"),
                done,
                ("Normal", "ResourceUpdated", sync),
                ("Normal", "ResourceUpdated", health),
            ]
        else:
            expected = [done, ("Normal", "ResourceUpdated", f"{sync}; {health}")]
        assert await events(bed) == expected
        await bed.quiet()
        assert len(await events(bed)) == len(expected)

    run_simulated(main)


def test_a_new_app_of_one_object_takes_five_writes() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
        app = bed.application(automated=AUTO)
        app["spec"]["destination"]["namespace"] = "default"
        app["spec"]["syncPolicy"].pop("syncOptions", None)
        await bed.apply(app)
        await bed.until_delivered()
        await bed.quiet()
        kinds = [line.partition("?")[0].rsplit("/", 2)[-2:] for line in bed.writes if "/leases" not in line]
        assert len(kinds) <= 5, bed.writes
        # What people wait for is written before anybody is told of it.
        assert [one[-1] == "events" for one in kinds] == sorted(one[-1] == "events" for one in kinds)

    run_simulated(main)


def test_events_wait_as_long_as_there_is_more_to_do_but_not_for_ever() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        busy = [True]
        events_of = Events(bed.world(), is_busy=lambda: busy[0])
        task = asyncio.create_task(events_of.run())

        def tell(name: str) -> None:
            app = {"metadata": {"name": name, "namespace": bed.control, "uid": name}}
            before = {**app, "status": {"sync": {"status": "Synced"}}}
            events_of.tell(before, {**app, "status": {"sync": {"status": "OutOfSync"}}})

        tell("a")
        await bed.clock.sleep(50)
        assert await events(bed) == []
        await bed.clock.sleep(20)
        assert len(await events(bed)) == 1
        tell("b")
        await bed.clock.sleep(5)
        assert len(await events(bed)) == 1
        busy[0] = False
        await bed.clock.sleep(1)
        assert len(await events(bed)) == 2
        tell("c")
        task.cancel()
        await events_of.part()
        assert len(await events(bed)) == 3
        await bed.stop()

    run_simulated(main)


def update(was: str, now: str, part: str = "sync") -> Note:
    return Note("ResourceUpdated", f"Updated {part} status: {was} -> {now}", part=part, was=was, now=now)


@pytest.mark.parametrize(
    ("waiting", "expected"),
    [
        ((), ()),
        ((Note("OperationStarted", "s"),), (Note("OperationStarted", "s"),)),
        ((Note("OperationStarted", "s"), Note("OperationCompleted", "c")), (Note("OperationCompleted", "c"),)),
        (
            (Note("OperationCompleted", "c"), Note("OperationStarted", "s")),
            (Note("OperationCompleted", "c"), Note("OperationStarted", "s")),
        ),
        (
            (update("A", "B"), Note("StatusRefreshed", "r", warning=True), update("B", "C")),
            (
                Note("StatusRefreshed", "r", warning=True),
                Note("ResourceUpdated", "Updated sync status: A -> C"),
            ),
        ),
        ((update("A", "B"), update("B", "A")), ()),
    ],
)
def test_notes_that_wait_together_become_fewer_that_say_the_same(
    waiting: tuple[Note, ...], expected: tuple[Note, ...]
) -> None:
    assert joined(waiting) == expected


def test_a_failed_sync_is_a_warning() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        sha = bed.source.commit(
            {**FILES, "apps/web/before.yaml": manifests.hook("before", "PreSync", image="example/job:bad")}
        )
        app = bed.application(automated=AUTO)
        app["spec"]["syncPolicy"]["retry"] = {"limit": 0}
        await bed.apply(app)

        async def failed() -> bool:
            return await bed.phase() == "Failed"

        await bed.until(failed, "failed")
        await bed.clock.sleep(3)
        warnings = [event for event in await events(bed) if event[0] == "Warning"]
        assert len(warnings) == 1
        assert warnings[0][1] == "OperationCompleted"
        assert warnings[0][2].startswith(f"Sync operation to {sha} failed: ")

    run_simulated(main)


def state(phase: str, started: str = "1", finished: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "phase": phase,
        "startedAt": started,
        "finishedAt": finished,
        "operation": {"sync": {}},
        "syncResult": {"revision": "abc"},
        **more,
    }


STARTED = Note("OperationStarted", "Initiated sync to 'abc'")
DONE = Note("OperationCompleted", "Sync operation to abc succeeded")


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({}, {"sync": {"status": "OutOfSync"}, "health": {"status": "Missing"}}, ()),
        (
            {"health": {"status": "Healthy"}},
            {"health": {"status": "Degraded", "message": "Caused by apps/Deployment:web/web"}},
            (
                Note(
                    "ResourceUpdated",
                    "Updated health status: Healthy -> Degraded (Caused by apps/Deployment:web/web)",
                    part="health",
                    was="Healthy",
                    now="Degraded",
                ),
            ),
        ),
        ({}, {"operationState": state("Running")}, (STARTED,)),
        ({"operationState": state("Running")}, {"operationState": state("Running", message="wave 2")}, ()),
        ({"operationState": state("Running")}, {"operationState": state("Succeeded", finished="2")}, (DONE,)),
        (
            {"operationState": state("Succeeded", finished="2")},
            {"operationState": state("Succeeded", finished="2")},
            (),
        ),
        ({"operationState": state("Succeeded", finished="2")}, {"operationState": state("Running", "3")}, (STARTED,)),
        ({"operationState": state("Running", finished="2")}, {"operationState": state("Running")}, ()),
        (
            {"operationState": state("Running")},
            {"operationState": state("Failed", finished="2", message="no")},
            (Note("OperationCompleted", "Sync operation to abc failed: no", warning=True),),
        ),
    ],
)
def test_what_becomes_an_event(before: dict[str, Any], after: dict[str, Any], found: tuple[Note, ...]) -> None:
    assert notes({"status": before}, {"status": after}) == found


@pytest.mark.parametrize("kind", ["normal", "hard"])
def test_a_refresh_is_done_at_once_and_its_annotations_go(kind: str) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        second = bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=3)})
        marks = {"argocd.argoproj.io/refresh": kind, "argocd.argoproj.io/refresh-timestamp": "2030-01-01T00:00:00Z"}
        await bed.patch("Application", "web", {"metadata": {"annotations": marks}}, API, bed.control)
        asked = bed.clock.monotonic()

        async def seen() -> bool:
            return bool((await bed.app_status())["sync"]["revision"] == second)

        await bed.until(seen, "the commit was seen")
        assert bed.clock.monotonic() - asked < 2.0
        assert not (await bed.app())["metadata"].get("annotations")

    run_simulated(main)


def test_a_skipped_app_is_not_even_looked_at() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        bed.source.commit(FILES)
        app = bed.application(automated=AUTO)
        app["metadata"]["annotations"] = {"argocd.argoproj.io/skip-reconcile": "true"}
        await bed.apply(app)
        await bed.quiet()
        assert bed.writes == []
        await bed.patch("Application", "web", {"metadata": {"annotations": None}}, API, bed.control)
        await bed.until_delivered()

    run_simulated(main)


def test_history_keeps_as_many_entries_as_the_app_says() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        shas = [bed.source.commit(FILES)]
        await bed.apply(bed.application(automated=AUTO, revisionHistoryLimit=2))
        await bed.until_delivered()
        for replicas in (3, 4):
            shas.append(bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=replicas)}))

            async def synced(sha: str = shas[-1]) -> bool:
                history = (await bed.app_status()).get("history") or [{}]
                return bool(history[-1].get("revision") == sha)

            await bed.until(synced, "delivered")
        history = (await bed.app_status())["history"]
        assert [(entry["id"], entry["revision"]) for entry in history] == [(1, shas[1]), (2, shas[2])]

    run_simulated(main)


def test_a_condition_keeps_its_time_while_it_says_the_same() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        bed.source.commit({"elsewhere/web.yaml": manifests.CONFIG})
        await bed.apply(bed.application(automated=AUTO))

        async def told() -> bool:
            return bool((await bed.app_status()).get("conditions"))

        await bed.until(told, "a condition")
        before = (await bed.app_status())["conditions"]
        label = {"metadata": {"labels": {"touched": "yes"}}}
        touched = await bed.patch("Application", "web", label, API, bed.control)
        version = touched["metadata"]["resourceVersion"]
        await bed.quiet()
        assert (await bed.app_status())["conditions"] == before
        assert (await bed.app())["metadata"]["resourceVersion"] == version, "nothing was written either"

    run_simulated(main)


def test_self_heal_waits_longer_each_time_somebody_undoes_it() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        waits = []
        for _ in range(5):
            await bed.patch("Deployment", "web", {"spec": {"replicas": 7}})
            broken = bed.clock.monotonic()

            async def healed() -> bool:
                return bool((await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 2)

            await bed.until(healed, "healed")
            waits.append(bed.clock.monotonic() - broken)
            await bed.until_delivered()
        assert all(abs(wait - due) <= 1 for wait, due in zip(waits, (0, 2, 6, 18, 54), strict=True)), waits

    run_simulated(main)


CHILD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {name}
  namespace: argocd
  annotations: {{argocd.argoproj.io/sync-wave: "{wave}"}}
spec:
  project: default
  source: {{repoURL: https://git.example/repo.git, path: {path}, targetRevision: main}}
  destination: {{server: https://kubernetes.default.svc, namespace: {name}}}
  syncPolicy:
    automated: {{prune: true, selfHeal: true}}
    syncOptions: [CreateNamespace=true]
"""


def test_children_of_an_app_come_wave_by_wave_and_a_change_below_is_seen_above() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        files = {
            "root/first.yaml": CHILD.format(name="first", wave=0, path="apps/first"),
            "root/second.yaml": CHILD.format(name="second", wave=1, path="apps/second"),
            "apps/first/web.yaml": manifests.deployment(),
            "apps/second/web.yaml": manifests.deployment(),
        }
        bed.source.commit(files)
        root = bed.application("root", automated=AUTO)
        root["spec"]["source"]["path"] = "root"
        root["spec"]["destination"]["namespace"] = "argocd"
        await bed.apply(root)
        for name in ("root", "first", "second"):
            await bed.until_delivered(name)
        reached = {
            event.app: event.time
            for event in reversed(bed.events.seen)
            if isinstance(event, StatusChanged) and event.health == "Healthy"
        }
        begun_second = (await bed.app("second"))["metadata"]["creationTimestamp"]
        assert reached["argocd/first"] <= begun_second
        bed.source.commit({**files, "apps/first/web.yaml": manifests.deployment(image="example/web:missing")})
        await bed.until_status("Synced", "Progressing", "first")
        await bed.until_status("Synced", "Progressing", "root")

    run_simulated(main)


def test_an_app_that_manages_itself_settles_and_is_not_deleted_with_its_objects() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await begun(bed)
        own = CHILD.format(name="own", wave=0, path="own").replace("namespace: own", "namespace: argocd")
        bed.source.commit({"own/app.yaml": own, "own/config.yaml": manifests.CONFIG})
        app = bed.application("own", automated=AUTO)
        app["spec"]["source"]["path"] = "own"
        app["spec"]["destination"]["namespace"] = "argocd"
        app["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
        await bed.apply(app)
        await bed.until_delivered("own")
        await bed.quiet()
        version = (await bed.app("own"))["metadata"]["resourceVersion"]
        await bed.quiet()
        assert (await bed.app("own"))["metadata"]["resourceVersion"] == version
        await bed.delete("Application", "own", API, bed.control)

        async def gone() -> bool:
            return await bed.find_app("own") is None

        await bed.until(gone, "gone")
        assert await bed.get("ConfigMap", "settings", "v1", "argocd") is None

    run_simulated(main)


def test_events_that_do_not_fit_are_counted_and_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("syncline.controller.deliver.events.WAITING", 5)

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        world = bed.world()
        told: list[str] = []
        events_of = Events(world, on_dropped=told.append)
        for number in range(12):
            app = {"metadata": {"name": f"web-{number}", "namespace": bed.control, "uid": str(number)}}
            before = {**app, "status": {"sync": {"status": "Synced"}}}
            events_of.tell(before, {**app, "status": {"sync": {"status": "OutOfSync"}}})
        assert events_of.dropped == 7
        task = asyncio.create_task(events_of.run())
        await bed.clock.sleep(3)
        assert len(await events(bed)) == 5
        assert told == [
            "Events cannot be written fast enough: 5 are queued, newer ones are dropped",
            "7 Events were dropped; the queued ones are written",
            "",
        ]
        task.cancel()
        await bed.stop()

    run_simulated(main)
