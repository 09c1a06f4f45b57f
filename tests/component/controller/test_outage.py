"""A cluster that goes away: one sentence, nothing is guessed, and everything goes on when it is back."""

from syncline.model.progress import TroubleReported
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import Line, SandboxBed


def test_a_dead_cluster_is_said_once_and_delivery_goes_on_when_it_is_back() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        line = Line(bed.transport())
        controller = bed.controller(line)
        await controller.start()
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        line.down = True
        second = bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=5)})
        await bed.delete("ConfigMap", "settings", "v1")
        await bed.clock.sleep(120)
        assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 2
        line.down = False

        async def seen() -> bool:
            return bool((await bed.app_status())["sync"]["revision"] == second)

        await bed.until(seen, "the commit made meanwhile was seen")
        await bed.until_delivered()
        told = [(event.message, event.resolved) for event in bed.events.seen if isinstance(event, TroubleReported)]
        sentence = "cannot reach the cluster: connection refused"
        assert told[0] == (sentence, False)
        assert told[-1][1] is True
        assert len([1 for _, resolved in told if not resolved]) <= 2
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_a_cut_watch_alone_says_nothing_about_the_cluster() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        controller = bed.controller()
        await controller.start()
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        bed.events.seen.clear()
        bed.sandbox.watches.cut()
        await bed.delete("Deployment", "web")

        async def back() -> bool:
            return await bed.get("Deployment", "web") is not None

        await bed.until(back, "the Deployment is back")
        await bed.until_delivered()
        assert [event for event in bed.events.seen if isinstance(event, TroubleReported)] == []
        await controller.stop()
        await bed.stop()

    run_simulated(main)
