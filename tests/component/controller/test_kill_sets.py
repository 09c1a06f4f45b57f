"""Killed between any two requests while an ApplicationSet changes, a controller's successor finishes the job.

What must hold: exactly the wanted Applications with the wanted spec, none of those that stay ever deleted or created
twice, and in a rolling sync no Application synced twice for one commit.
"""

from typing import Any, Literal

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.model.settings.parts import ApplicationSets
from syncline.ports.transport import Request
from tests.support import kill_story, manifests
from tests.support.kill import Incarnation, Interceptor
from tests.support.loops.simulated import run_simulated
from tests.support.sets import Sets, app_spec, appset, start
from tests.support.world import SETTINGS, SandboxBed

Moment = Literal["before", "after"]
SOME = 9
"""Every so many points are tried by default; all of them with the tests that take longer."""
FILES = {f"apps/{name}/web.yaml": manifests.deployment(name) for name in ("a", "b", "c")}


def changed(path: str, *names: str, rolling: bool = False) -> Object:
    elements = [{"name": name, "env": "dev" if name == "a" else "prod"} for name in names]
    more: dict[str, Any] = {}
    spec = app_spec(path)
    if rolling:
        steps = [{"matchExpressions": [{"key": "env", "operator": "In", "values": [env]}]} for env in ("dev", "prod")]
        more["strategy"] = {"type": "RollingSync", "rollingSync": {"steps": steps}}
        spec["syncPolicy"] = {"automated": {}, "syncOptions": ["CreateNamespace=true"]}
    template = {"metadata": {"name": "{{name}}", "labels": {"env": "{{env}}"}}, "spec": spec}
    return appset({"list": {"elements": elements}}, template=template, **more)


def change_with_death(die_at: int | None, moment: Moment) -> list[Request]:
    """Change a set of two Applications, with a death at one request; return what the first controller asked."""
    made: list[Request] = []

    async def main() -> None:
        bed = SandboxBed(settings=SETTINGS)
        await start(bed)
        sets = Sets(bed)
        bed.source.commit(FILES)
        before = bed.controller()
        await before.start()
        await bed.apply(changed("apps/{{name}}", "a", "b"))
        await sets.until_apps("a", "b")
        await bed.still()
        await before.stop()
        uid = (await bed.app("b"))["metadata"]["uid"]
        await bed.apply(changed("new/{{name}}", "b", "c"))
        bed.writes.clear()
        first = Incarnation("first")
        wire = Interceptor(bed.transport(), first, die_at=die_at, moment=moment)
        first.start(bed.controller(wire).start())

        async def arrived() -> bool:
            if await sets.names() != ["b", "c"]:
                return False
            paths = [(await bed.app(name))["spec"]["source"]["path"] for name in ("b", "c")]
            return paths == ["new/b", "new/c"]

        async def over() -> bool:
            return first.dead or await arrived()

        await bed.until(over, "the first controller died or finished")
        await bed.clock.sleep(5)
        if first.dead:
            successor = bed.controller()
            await successor.start()
            await bed.until(arrived, f"killed {moment} request {die_at}: the set is changed")
            await bed.still()
            await successor.stop()
        else:
            first.kill()
        assert (await bed.app("b"))["metadata"]["uid"] == uid
        created = [write for write in bed.writes if write.startswith("POST") and "/applications" in write]
        assert len(created) == 1, created
        assert not bed.failures
        made.extend(wire.requests)
        await bed.stop()

    run_simulated(main, fifo=True)
    return made


def points_of_change(moment: Moment) -> list[int]:
    requests = change_with_death(None, moment)
    return [
        point
        for point in kill_story.points(requests, moment)
        if moment == "after" or "/events" not in requests[point - 1].path
    ]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_change_of_a_set_survives_a_kill_at_some_requests(moment: Moment) -> None:
    for die_at in points_of_change(moment)[::SOME]:
        change_with_death(die_at, moment)


@pytest.mark.e2e
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_change_of_a_set_survives_a_kill_at_every_request(moment: Moment) -> None:
    points = points_of_change(moment)
    assert 5 < len(points) < 100
    for die_at in points:
        change_with_death(die_at, moment)


def roll_with_death(die_at: int | None, moment: Moment) -> list[Request]:
    """Roll three Applications out, with a death at one request; return what the first controller asked."""
    made: list[Request] = []

    async def main() -> None:
        chosen = msgspec.structs.replace(SETTINGS, application_sets=ApplicationSets(progressive_syncs=True))
        bed = SandboxBed(settings=chosen)
        await start(bed)
        sets = Sets(bed)
        bed.source.commit(FILES)
        await bed.apply(changed("apps/{{name}}", "a", "b", rolling=True))
        first = Incarnation("first")
        wire = Interceptor(bed.transport(), first, die_at=die_at, moment=moment, counted=is_about_sets)
        first.start(bed.controller(wire).start())

        async def rolled() -> bool:
            entries = (await sets.status()).get("applicationStatus") or []
            return [one["status"] for one in entries] == ["Healthy", "Healthy"]

        async def over() -> bool:
            return first.dead or await rolled()

        await bed.until(over, "the first controller died or finished")
        if first.dead:
            successor = bed.controller()
            await successor.start()
            await bed.until(rolled, f"killed {moment} request {die_at}: all is rolled out")
            await bed.still()
            await successor.stop()
        else:
            first.kill()
        for name in ("a", "b"):
            history = (await bed.app_status(name)).get("history") or []
            assert len(history) == 1, f"killed {moment} request {die_at}: {name} was synced {len(history)} times"
        assert not bed.failures
        made.extend(wire.requests)
        await bed.stop()

    run_simulated(main, fifo=True)
    return made


def is_about_sets(request: Request) -> bool:
    """Whether a request writes an Application or a set: deliveries have a test of their own."""
    return request.method != "GET" and ("/applications" in request.path or "/applicationsets" in request.path)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_rolling_sync_survives_a_kill_at_some_writes(moment: Moment) -> None:
    count = len(roll_with_death(None, moment))
    for die_at in range(2, count + 1, SOME):
        roll_with_death(die_at, moment)


@pytest.mark.e2e
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_rolling_sync_survives_a_kill_at_every_write(moment: Moment) -> None:
    requests = roll_with_death(None, moment)
    assert 10 < len(requests) < 80
    for die_at in range(1, len(requests) + 1):
        roll_with_death(die_at, moment)
