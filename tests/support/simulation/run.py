"""One simulated run: a controller that is killed and succeeded, faults on its wire, and somebody who meddles.

First everything goes wrong for a while, then all faults stop and the app has to come right; the judge has the last
word. All chance comes from the seed.
"""

import random

from tests.support import manifests
from tests.support.kill import Incarnation
from tests.support.loops.simulated import run_simulated
from tests.support.simulation.faults import CLASSES, Faulty
from tests.support.simulation.past import Past
from tests.support.simulation.witness import Judge, Witness
from tests.support.stories import AUTO
from tests.support.world import API, SandboxBed

STORM = 240.0
BROKEN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"
FOREIGN = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "foreign", "namespace": "web"},
    "data": {"of": "somebody"},
}


class Run:
    """What a run is made of; `judge.broken` is what it found."""

    def __init__(self, seed: int, storm: float = STORM) -> None:
        self.seed = seed
        self._storm = storm
        self.chance = random.Random(f"run-{seed}")
        self.bed = SandboxBed(seed=seed)
        self.wires: list[Faulty] = []
        self.classes = frozenset(self.chance.sample(CLASSES, self.chance.randint(1, 4)))
        self._number = 0
        self._incarnation: Incarnation | None = None

    async def prepare(self) -> None:
        """Start the cluster and the judge."""
        await self.bed.start()
        self.judge = Judge(Past(self.bed.sandbox.backend.store), self.bed.control, self.bed.target)

    async def play(self) -> None:
        """Let things go wrong, then right."""
        bed = self.bed
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
        await bed.apply(FOREIGN)
        self.commit()
        app = bed.application(automated=AUTO)
        app["spec"]["syncPolicy"]["retry"] = {"limit": -1, "backoff": {"duration": "2s", "maxDuration": "10s"}}
        await bed.apply(app)
        incarnation = self._start()
        while bed.clock.monotonic() < self._storm:
            await bed.clock.sleep(self.chance.uniform(1.0, 25.0))
            if self.chance.random() < 0.3:
                incarnation.kill()
                await bed.clock.sleep(self.chance.uniform(0.0, 5.0))
                incarnation = self._start()
            await self._meddle()
        for wire in self.wires:
            wire.calm = True
        last = self.commit()

        async def arrived() -> bool:
            return bool((await bed.app_status()).get("sync", {}).get("revision") == last)

        await bed.until(arrived, "the last commit is seen")
        await bed.until_delivered()
        assert not bed.failures, bed.failures
        await bed.clock.sleep(5.0)
        writes = len(bed.writes)
        await bed.quiet()
        assert bed.writes[writes:] == [], "not quiet after everything came right"
        assert await bed.get("ConfigMap", "foreign", "v1") is not None
        incarnation.kill()

    def commit(self) -> str:
        """Put another good commit into the repository."""
        self._number += 1
        files = {
            "apps/web/config.yaml": manifests.CONFIG.replace("blue", f"blue-{self._number}"),
            "apps/web/before.yaml": manifests.hook("before", "PreSync"),
            "apps/web/web.yaml": manifests.deployment(replicas=1 + self._number % 3),
            "apps/web/later.yaml": manifests.deployment("later", wave=1, replicas=1 + self._number % 2),
        }
        if self._number % 2:
            extra = manifests.CONFIG.replace("name: settings", "name: extra")
            files["apps/web/extra.yaml"] = extra
        sha = self.bed.source.commit(files)
        self.judge.learn(sha, files)
        return sha

    def commit_broken(self) -> None:
        """Put a commit into the repository that cannot be rendered as a whole."""
        files = {"apps/web/config.yaml": manifests.CONFIG, "apps/web/web.yaml": BROKEN}
        self.bed.source.commit(self.chance.choice([files, {"elsewhere/x.yaml": manifests.CONFIG}]))

    def stop(self) -> None:
        """End whichever controller runs."""
        if self._incarnation is not None:
            self._incarnation.kill()

    def _start(self) -> Incarnation:
        incarnation = self._incarnation = Incarnation(f"controller-{len(self.wires)}")
        wire = Faulty(Witness(self.bed.transport(), self.judge), self.chance, self.classes)
        self.wires.append(wire)
        incarnation.start(self.bed.controller(wire).start())
        return incarnation

    async def _meddle(self) -> None:
        bed, judge = self.bed, self.judge
        what = self.chance.choice(("commit", "broken", "delete", "edit", "ask", "compact", "touch app", "nothing"))
        plural, kind, name, version = self.chance.choice(
            (("deployments", "Deployment", "web", "apps/v1"), ("configmaps", "ConfigMap", "settings", "v1"))
        )
        there = await bed.get(kind, name, version) is not None
        match what:
            case "commit":
                self.commit()
            case "broken":
                self.commit_broken()
                await bed.clock.sleep(self.chance.uniform(5.0, 15.0))
                self.commit()
            case "delete" if there:
                judge.touched[plural, bed.target, name] = bed.clock.monotonic()
                await bed.delete(kind, name, version)
            case "edit" if there:
                judge.touched[plural, bed.target, name] = bed.clock.monotonic()
                patch = {"spec": {"replicas": 9}} if kind == "Deployment" else {"data": {"colour": "wrong"}}
                await bed.patch(kind, name, patch, version)
            case "ask" if "operation" not in await bed.app():
                await bed.patch("Application", "web", {"operation": {"sync": {"prune": True}}}, API, bed.control)
            case "compact":
                bed.sandbox.compact()
                bed.sandbox.watches.cut()
            case "touch app":
                label = {"metadata": {"labels": {"touched": str(int(bed.clock.monotonic()))}}}
                await bed.patch("Application", "web", label, API, bed.control)
            case _:
                pass


def simulate(seed: int) -> list[str]:
    """Play one seed; return the invariants that did not hold."""
    run = Run(seed)

    async def main() -> None:
        await run.prepare()
        await run.play()
        await run.bed.stop()

    run_simulated(main, seed=seed)
    return run.judge.broken
