"""One simulated run: a controller that is killed and succeeded, faults on its wire, and somebody who meddles.

Three Applications: `web`, whose syncs are judged in every detail; `rival`, of another project, which desires the
object `shared` at times too; and `far`, which desires it on another cluster. Commits move that object around.

First everything goes wrong for a while, then all faults stop and the app has to come right; the judge has the last
word. All chance comes from the seed. A controller dies at any moment, or at a request: before it is sent, or when the
server has acted and the answer was not seen.
"""

import asyncio
import random
from typing import Literal

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import Object
from syncline.model.cluster import KnownCluster
from syncline.model.names import RESOURCES_FINALIZER
from tests.support import manifests
from tests.support.clocks import LoopClock
from tests.support.fleet import Fleet, describe
from tests.support.kill import Incarnation, Interceptor
from tests.support.loops.simulated import run_simulated
from tests.support.simulation.faults import LATE, OUTAGE, SILENCE, SLOW, Faulty, FaultySource, chosen
from tests.support.simulation.past import Past
from tests.support.simulation.witness import Judge, Witness
from tests.support.stories import AUTO
from tests.support.world import API, SandboxBed, default_project

STORM = 240.0
MOMENTS: tuple[Literal["before", "after"], ...] = ("before", "after")
WHAT = ("commit", "commit", "broken", "delete", "edit", "ask", "compact", "touch app", "rival", "nothing")
SHARING = (("web", "rival"), ("web", "rival"), ("web",), ("rival",), ())
BROKEN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"
FOREIGN = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "foreign", "namespace": "web"},
    "data": {"of": "somebody"},
}


class _Outlying:
    """The way of one controller to the other clusters, with the same faults; they do not die with it."""

    def __init__(self, run: "Run", incarnation: Incarnation) -> None:
        self._run = run
        self._incarnation = incarnation

    def connect(self, cluster: KnownCluster) -> KubeCluster:
        run = self._run
        member = next(one for one in run.fleet.members.values() if one.server == cluster.server)
        wire = Faulty(member.hanging, run.chance, run.classes, run.judge.count)
        wire.calm = run.wires[-1].calm
        run.wires.append(wire)
        return KubeCluster(Interceptor(wire, self._incarnation))


class Run:
    """What a run is made of; `judge.broken` is what it found."""

    def __init__(self, seed: int, storm: float = STORM) -> None:
        self.seed = seed
        self._storm = storm
        self.chance = random.Random(f"run-{seed}")
        self.classes = chosen(seed, self.chance)
        self.bed = SandboxBed(seed=seed)
        self.source = FaultySource(self.bed.source, self.chance, on="git" in self.classes)
        self.bed.serve(self.source)
        self.fleet = Fleet("east")
        # Of the controllers alone: what is wrong with their clock is not wrong with the cluster's.
        self.bed.clock = self.clock = LoopClock()
        self.wires: list[Faulty] = []
        self._number = 0
        self._incarnations: list[Incarnation] = []

    async def prepare(self) -> None:
        """Start the cluster and the judge."""
        await self.bed.start()
        await self.fleet.start()
        self.judge = Judge(Past(self.bed.sandbox.backend.store), self.bed.control, self.bed.target)
        behind = {"late watches": LATE, "silent watches": SILENCE, "outage": 2 * OUTAGE, "slow": 2 * SLOW}
        self.judge.fresh += sum(behind.get(name, 0.0) for name in self.classes)

    async def play(self) -> None:
        """Let things go wrong, then right."""
        bed = self.bed
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
        await bed.apply(FOREIGN)
        for member in self.fleet.members.values():
            await bed.apply(describe(bed.control, member.name, member.server))
        project = default_project(bed.control)
        await bed.apply({**project, "metadata": {**project["metadata"], "name": "team"}})
        self.commit()
        for name in ("web", "rival", "far"):
            await bed.apply(self._application(name))
        self._start()
        while bed.clock.monotonic() < self._storm:
            await bed.clock.sleep(self.chance.uniform(1.0, 25.0))
            await self._suffer()
            await self._meddle()
        await self._calm()
        last = self.commit(shared=("web",))

        async def arrived() -> bool:
            return bool((await bed.app_status()).get("sync", {}).get("revision") == last)

        await bed.until(arrived, "the last commit is seen")
        await self._until_delivered()
        assert not bed.failures, bed.failures
        # What was on its way when the faults ended arrives first.
        await bed.clock.sleep(self.judge.fresh)
        await self._until_delivered()
        await bed.clock.sleep(5.0)
        writes = len(bed.writes)
        await bed.quiet()
        assert bed.writes[writes:] == [], "not quiet after everything came right"
        assert await bed.get("ConfigMap", "foreign", "v1") is not None
        assert (await bed.must_get("ConfigMap", "shared", "v1"))["data"]["colour"] == "web"
        for name in ("web", "rival", "far"):
            told = (await bed.app_status(name)).get("conditions") or ()
            assert [one["message"] for one in told if one["type"] == "SharedResourceWarning"] == []
        self.stop()

    async def _until_delivered(self) -> None:
        await self.bed.until_delivered()
        for name in ("rival", "far"):
            # One that was created again may have found nothing to do.
            await self.bed.until_status("Synced", "Healthy", name)

    def _application(self, name: str) -> Object:
        app = self.bed.application(name, automated=AUTO)
        app["spec"]["source"]["path"] = f"apps/{name}"
        app["spec"]["syncPolicy"]["retry"] = {"limit": -1, "backoff": {"duration": "2s", "maxDuration": "10s"}}
        if name == "rival":
            app["spec"]["project"] = "team"
            app["metadata"]["finalizers"] = [RESOURCES_FINALIZER] if self.chance.random() < 0.5 else []
        if name == "far":
            app["spec"]["destination"] = {"name": "east", "namespace": self.bed.target}
        return app

    def commit(self, shared: tuple[str, ...] | None = None) -> str:
        """Put another good commit into the repository; `shared` are the apps of the home cluster that share."""
        self._number += 1
        sharing = self.chance.choice(SHARING) if shared is None else shared
        files = {
            "apps/web/config.yaml": manifests.CONFIG.replace("blue", f"blue-{self._number}"),
            "apps/web/before.yaml": manifests.hook("before", "PreSync"),
            "apps/web/web.yaml": manifests.deployment(replicas=1 + self._number % 3),
            "apps/web/later.yaml": manifests.deployment("later", wave=1, replicas=1 + self._number % 2),
            "apps/rival/own.yaml": _named("rival-own", "rival"),
            "apps/far/shared.yaml": _named("shared", "far"),
        }
        files |= {f"apps/{app}/shared.yaml": _named("shared", app) for app in sharing}
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
        self.judge.learn_broken()

    def stop(self) -> None:
        """End whichever controllers run."""
        for incarnation in self._incarnations:
            incarnation.kill()
        self._incarnations.clear()

    def _start(self) -> None:
        incarnation = Incarnation(f"controller-{len(self.wires)}")
        self._incarnations.append(incarnation)
        wire = Faulty(Witness(self.bed.transport(), self.judge), self.chance, self.classes, self.judge.count)
        self.wires.append(wire)
        self.bed.connector = _Outlying(self, incarnation)
        dies = self.chance.randint(1, 600) if self.chance.random() < 0.5 else None
        moment = self.chance.choice(MOMENTS)
        way = Interceptor(wire, incarnation, die_at=dies, moment=moment, counted=lambda _request: not wire.calm)
        incarnation.start(self.bed.controller(way).start())

    async def _suffer(self) -> None:
        """Let something happen to the controller, its line or its clock."""
        clock = self.bed.clock
        if any(incarnation.dead for incarnation in self._incarnations) or self.chance.random() < 0.3:
            self.stop()
            await clock.sleep(self.chance.uniform(0.0, 5.0))
            self._start()
        if "two at once" in self.classes and self.chance.random() < 0.3:
            former = self._incarnations.pop()
            self._start()
            await clock.sleep(self.chance.uniform(0.5, 20.0))
            former.kill()
        if "outage" in self.classes and self.chance.random() < 0.4:
            for wire in self.wires:
                wire.down = True
            # Connections end with it, and whoever watched asks again.
            self.bed.sandbox.watches.cut()
            await clock.sleep(self.chance.uniform(1.0, OUTAGE))
            for wire in self.wires:
                wire.down = False
        if "clock" in self.classes and self.chance.random() < 0.3:
            self.clock.shift(self.chance.choice((-3600.0, -30.0, 30.0, 3600.0)))

    async def _calm(self) -> None:
        """End all faults; somebody sets the clock right and starts a controller where none is left."""
        for wire in self.wires:
            wire.calm = True
        self.source.calm = True
        self.clock.reset()
        if all(incarnation.dead for incarnation in self._incarnations):
            self._start_again()
        await self.bed.until(self._rival_there, "the rival is there")
        # A request on its way may still be the death of its sender.
        await self.bed.clock.sleep(SLOW)
        if any(incarnation.dead for incarnation in self._incarnations):
            self._start_again()

    def _start_again(self) -> None:
        self.stop()
        self._start()
        self.wires[-1].calm = True

    async def _rival_there(self) -> bool:
        """Create the rival again, unless it is there; whether it is there to stay."""
        found = await self.bed.find_app("rival")
        if found is None:
            await self.bed.apply(self._application("rival"))
        return found is not None and "deletionTimestamp" not in found["metadata"]

    async def _meddle(self) -> None:
        bed, judge = self.bed, self.judge
        what = self.chance.choice(WHAT)
        plural, kind, name, version = self.chance.choice(
            (
                ("deployments", "Deployment", "web", "apps/v1"),
                ("configmaps", "ConfigMap", "settings", "v1"),
                ("configmaps", "ConfigMap", "shared", "v1"),
            )
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
            case "rival" if await self._rival_there():
                await bed.delete("Application", "rival", API, bed.control)
            case "compact":
                bed.sandbox.compact()
                bed.sandbox.watches.cut()
            case "touch app":
                label = {"metadata": {"labels": {"touched": str(int(bed.clock.monotonic()))}}}
                await bed.patch("Application", "web", label, API, bed.control)
            case _:
                pass


def _named(name: str, colour: str) -> str:
    return manifests.CONFIG.replace("name: settings", f"name: {name}").replace("blue", colour)


def simulate(seed: int, storm: float = STORM) -> list[str]:
    """Play one seed until it has come right or the judge has noticed something; return what it noticed."""
    run = Run(seed, storm)

    async def main() -> None:
        await run.prepare()
        playing = asyncio.create_task(run.play(), name="run")
        noticed = asyncio.create_task(run.judge.noticed.wait(), name="noticed")
        await asyncio.wait({playing, noticed}, return_when=asyncio.FIRST_COMPLETED)
        run.stop()
        for task in (playing, noticed):
            task.cancel()
        ended, _ = await asyncio.gather(playing, noticed, return_exceptions=True)
        if run.judge.broken:
            # Then a run need not come right, and it may have been broken off anywhere.
            return
        if isinstance(ended, Exception):
            raise ended
        await run.bed.stop()

    run_simulated(main, seed=seed)
    return run.judge.broken
