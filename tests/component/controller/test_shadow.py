"""Beside Argo CD each change of a verdict or decision is recorded once, and nothing is written."""

from syncline.controller.coexistence import ownership as beside
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.core.shadow import report
from syncline.model.shadow import Record, Seen, Unwatched
from tests.support import beside_story
from tests.support.beside_story import Recording
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed


def test_verdicts_and_decisions_are_recorded_when_they_change() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await beside_story.deliver_as_argocd(bed, "server-side")
        wire = Recording(bed.transport())
        controller = bed.controller(wire, mode=OwnershipMode.OBSERVE)
        found: list[Record] = []
        controller.applications.record_to(found.append)
        await controller.start()

        async def recorded() -> bool:
            return bool(found)

        await bed.until(recorded, "recorded")
        await bed.quiet()
        assert len(found) == 1, "what does not change is recorded once"
        await bed.patch("Deployment", "web", {"spec": {"replicas": 7}})
        await bed.quiet()
        last = found[-1]
        assert isinstance(last, Seen)
        assert (last.app, last.ours.sync, last.theirs.sync) == ("argocd/web", "OutOfSync", "Synced")
        assert last.why == ("Deployment/web: here OutOfSync (spec.replicas), Argo CD Synced",)
        assert last.decision.reason, "what we would do has a reason"
        assert wire.writes == []
        await bed.clock.sleep(600)
        await beside.take_over(bed.user, [await bed.app()])
        await bed.quiet()
        assert isinstance(found[-1], Unwatched)
        [one] = [
            one for one in report(found).disagreements if one.about == "verdict" and "spec.replicas" in str(one.why)
        ]
        assert one.seconds > 600
        await controller.stop()
        await bed.stop()

    run_simulated(main)
