"""Rolling sync on the sandbox: steps one after the other, each at the commit of those before."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.model.settings.parts import ApplicationSets
from tests.support import manifests
from tests.support.sets import Sets, app_spec, appset, play
from tests.support.world import API

ROLLING = ApplicationSets(progressive_syncs=True)


def folder(name: str, image: str = "example/web:1") -> dict[str, str]:
    return {f"apps/{name}/web.yaml": manifests.deployment(name).replace("example/web:1", image)}


def files(*names: str, image: str = "example/web:1") -> dict[str, str]:
    return {path: text for name in names for path, text in folder(name, image).items()}


def rolling(*pairs: tuple[str, str], steps: list[Any] | None = None, **strategy: Any) -> Object:
    elements = [{"name": name, "env": env} for name, env in pairs]
    template = {
        "metadata": {"name": "{{name}}", "labels": {"env": "{{env}}"}},
        "spec": app_spec(syncPolicy={"automated": {"prune": True}, "syncOptions": ["CreateNamespace=true"]}),
    }
    chosen = steps or [step("dev"), step("prod")]
    return appset(
        {"list": {"elements": elements}},
        template=template,
        strategy={"type": "RollingSync", "rollingSync": {"steps": chosen}, **strategy},
    )


def step(*envs: str, **more: Any) -> Object:
    return {"matchExpressions": [{"key": "env", "operator": "In", "values": list(envs)}], **more}


class Watched:
    """Notes in which order Applications were synced."""

    def __init__(self, sets: Sets) -> None:
        self.sets = sets

    async def started(self, name: str) -> str:
        state = (await self.sets.bed.app_status(name)).get("operationState") or {}
        return str(state.get("startedAt") or "")

    async def finished(self, name: str) -> str:
        state = (await self.sets.bed.app_status(name)).get("operationState") or {}
        return str(state.get("finishedAt") or "")

    async def entry(self, name: str) -> Object:
        entries = (await self.sets.status()).get("applicationStatus") or []
        return next((one for one in entries if one["application"] == name), {})

    async def until_healthy(self, *names: str) -> None:
        async def healthy() -> bool:
            return [(await self.entry(name)).get("status") for name in names] == ["Healthy"] * len(names)

        try:
            await self.sets.bed.until(healthy, f"{names} are rolled out")
        except AssertionError as error:
            raise AssertionError(f"{error}: {await self.sets.status()}") from None


def test_a_step_begins_when_those_before_are_healthy() -> None:
    async def story(sets: Sets) -> None:
        bed, watched = sets.bed, Watched(sets)
        bed.source.commit(files("one", "two"))
        await bed.apply(rolling(("one", "dev"), ("two", "prod")))
        await watched.until_healthy("one", "two")
        assert await watched.finished("one") <= await watched.started("two")
        app = await bed.app("two")
        assert app["spec"]["syncPolicy"]["automated"] == {"prune": True, "enabled": False}
        state = app["status"]["operationState"]["operation"]
        assert state["initiatedBy"] == {"username": "applicationset-controller", "automated": True}
        assert state["sync"]["prune"] is True
        assert state["retry"]["limit"] == 5
        bed.source.commit(files("one", "two", image="example/web:2"))

        async def again() -> bool:
            return "example/web:2" in str(await bed.get("Deployment", "two"))

        await bed.until(again, "the second commit is rolled out")
        await watched.until_healthy("one", "two")
        assert await watched.finished("one") <= await watched.started("two")
        condition = await sets.condition("RolloutProgressing")
        assert (condition["status"], condition["message"]) == ("False", "ApplicationSet Rollout has completed")

    play(story, sets=ROLLING)


def test_a_step_that_does_not_become_healthy_holds_the_next() -> None:
    async def story(sets: Sets) -> None:
        bed, watched = sets.bed, Watched(sets)
        bed.source.commit(files("one", "two") | folder("one", "example/web:missing"))
        await bed.apply(rolling(("one", "dev"), ("two", "prod")))

        async def begun() -> bool:
            return (await watched.entry("one")).get("status") == "Progressing"

        await bed.until(begun, "the first step began")
        await bed.quiet()
        assert (await watched.entry("two"))["status"] == "Waiting"
        assert await bed.get("Deployment", "two") is None
        condition = await sets.condition("RolloutProgressing")
        assert condition["message"] == "ApplicationSet is performing rollout of step 1"
        bed.source.commit(files("one", "two"))
        await watched.until_healthy("one", "two")

    play(story, sets=ROLLING)


@pytest.mark.parametrize(("most", "at_a_time"), [(1, 1), ("50%", 2)])
def test_a_step_updates_so_many_at_a_time(most: Any, at_a_time: int) -> None:
    names = ["a", "b", "c", "d"]

    async def story(sets: Sets) -> None:
        bed, watched = sets.bed, Watched(sets)
        bed.source.commit(files(*names))
        await bed.apply(rolling(*((name, "dev") for name in names), steps=[step("dev", maxUpdate=most)]))
        largest = 0

        async def done() -> bool:
            nonlocal largest
            states = [(await watched.entry(name)).get("status") for name in names]
            largest = max(largest, sum(state in ("Pending", "Progressing") for state in states))
            return states == ["Healthy"] * len(names)

        bed.pause = 0.05
        await bed.until(done, "all are rolled out")
        assert largest == at_a_time

    play(story, sets=ROLLING)


def test_applications_of_no_step_are_never_synced_and_that_is_told() -> None:
    async def story(sets: Sets) -> None:
        bed, watched = sets.bed, Watched(sets)
        bed.source.commit(files("one", "two"))
        await bed.apply(rolling(("one", "dev"), ("two", "test")))
        await watched.until_healthy("one")
        await bed.quiet()
        assert (await watched.entry("two"))["step"] == "-1"
        assert await bed.get("Deployment", "two") is None
        told = await sets.condition("InvalidRolloutConfig")
        assert told["message"] == "step 2 selects no Application; no step selects two: never synced"

    play(story, sets=ROLLING)


def test_without_the_switch_steps_do_not_count() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        bed.source.commit(files("one", "two"))
        await bed.apply(rolling(("one", "dev"), ("two", "prod")))
        await sets.until_apps("one", "two")
        await bed.until_delivered("one")
        await bed.until_delivered("two")
        assert "applicationStatus" not in await sets.status()

    play(story)


def test_applications_are_deleted_from_the_last_step_one_at_a_time() -> None:
    async def story(sets: Sets) -> None:
        bed, watched = sets.bed, Watched(sets)
        bed.source.commit(files("one", "two", "three"))
        await bed.apply(rolling(("one", "dev"), ("two", "prod"), ("three", "prod"), deletionOrder="Reverse"))
        await watched.until_healthy("one", "two", "three")
        gone: list[str] = []
        await bed.delete("ApplicationSet", "set", API, bed.control)

        async def all_gone() -> bool:
            left = await sets.names()
            gone.extend(name for name in ("one", "two", "three") if name not in left and name not in gone)
            return not left and await bed.get("ApplicationSet", "set", API, bed.control) is None

        await bed.until(all_gone, "everything is gone")
        assert gone[-1] == "one"
        assert sorted(gone[:2]) == ["three", "two"]

    play(story, sets=ROLLING)
