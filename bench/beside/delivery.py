"""A fleet from empty to Synced by Argo CD and by Syncline, one after the other, on API servers of the same kind.

Run: python -m bench beside (`SYNCLINE_BESIDE=300x4` says how many Applications of how many ConfigMaps)
Each gets a kube-apiserver of its own and the same repository from the same kind of git server, and has delivered one
Application before the others are created, so that its own start does not count. Argo CD runs with its defaults, and
again as its manual tells for large installations: more processors of status and operations, more calls of kubectl and
of the repository server at once, more requests a second. Processor and memory are those of all processes: with Argo CD
the application controller, the repository server and redis (a small one written in Go), no API server and no web page.
The programs are those that `make test-argocd-short` built.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.fleet import apps
from bench.fleet import world as fleets
from bench.fleet.real import growth, program, world
from bench.rows import Row
from syncline.cli.run.install import create, missing
from syncline.ports.kube import Cluster
from tests.argocd import build, harness
from tests.real import build as real_build
from tests.real import cluster as real
from tests.support import git_http

SIZE = (300, 4)
_MEBIBYTE = 1024.0
_GOAL = 10
_CONTROLLER = "application-controller"
# The page "High Availability" of Argo CD: for 1,000 Applications 50 and 25 processors, and limits by need.
_TUNED_FLAGS = {
    _CONTROLLER: [
        *("--status-processors", "50"),
        *("--operation-processors", "25"),
        *("--kubectl-parallelism-limit", "50"),
    ],
    "repo-server": ["--parallelismlimit", "50"],
}
_TUNED_ENVIRONMENT = {
    "ARGOCD_K8S_CLIENT_QPS": "300",
    "ARGOCD_K8S_CLIENT_BURST": "600",
    "ARGOCD_K8S_CLIENT_MAX_IDLE_CONNECTIONS": "500",
}


@dataclass(frozen=True, slots=True)
class Running:
    """Somebody who delivers, by the processes it has."""

    pids: Sequence[int]

    def processor(self) -> float:
        """Return the seconds on a processor so far."""
        return sum(program.processor(pid) for pid in self.pids)

    def mebibytes(self) -> float:
        """Return the most memory it has had."""
        return sum(fleets.tree_kibibytes(pid) for pid in self.pids) / _MEBIBYTE


Start = Callable[[str, pathlib.Path], contextlib.AbstractContextManager[Running]]


@contextlib.contextmanager
def syncline(kubeconfig: str, place: pathlib.Path) -> Iterator[Running]:
    """Run Syncline's controller."""

    async def prepare() -> None:
        async with program.user_of(kubeconfig) as user:
            await create(user, await missing(user, apps.CONTROL))

    asyncio.run(prepare())
    with program.controller(kubeconfig, place) as process:
        yield Running([process.pid])


@contextlib.contextmanager
def argocd(kubeconfig: str, place: pathlib.Path) -> Iterator[Running]:
    """Run Argo CD as it is."""
    programs = _built()
    assert programs is not None
    with harness.running(place / "argocd", kubeconfig, programs, parts=_PARTS) as found:
        yield _of(found)


@contextlib.contextmanager
def tuned(kubeconfig: str, place: pathlib.Path) -> Iterator[Running]:
    """Run Argo CD as its manual tells for large installations."""
    programs = _built()
    assert programs is not None
    with harness.running(
        place / "argocd",
        kubeconfig,
        programs,
        parts=_PARTS,
        flags=_TUNED_FLAGS,
        environment=_TUNED_ENVIRONMENT,
    ) as found:
        yield _of(found)


_PARTS = ("repo-server", _CONTROLLER)
SIDES: dict[str, Start] = {"Syncline": syncline, "Argo CD": argocd, "Argo CD, tuned": tuned}


def _of(found: harness.ArgoCD) -> Running:
    return Running([process.pid for process in found.processes.values()])


def measure(start: Start, count: int, objects: int) -> dict[str, float]:
    """Have somebody deliver one fleet."""
    with world.server(program.AUDIT_POLICY) as server, tempfile.TemporaryDirectory(prefix="syncline-bench-") as folder:
        place = pathlib.Path(folder)
        repository = git_http.Repository(place / "served" / "fleet")
        repository.commit(
            {f"app-{n}/{k}.yaml": apps.config_map(f"app-{n}-{k}") for n in range(count) for k in range(objects)}
        )
        watched = git_http.Repository(place / "served" / program.WATCHED)
        watched.commit(program.watched_files("blue"))
        with git_http.serve(place / "served") as git, start(server.kubeconfig_path, place) as running:
            urls = (git.url("fleet"), git.url(program.WATCHED))
            return asyncio.run(_measure(server, running, urls, count, watched))


async def _measure(
    server: real.Cluster, running: Running, urls: tuple[str, str], count: int, watched: git_http.Repository
) -> dict[str, float]:
    log = pathlib.Path(server.audit_log_path)
    async with program.user_of(server.kubeconfig_path) as user:
        fleet = await _begun(user, urls)
        before, used, began = await program.drained(log), running.processor(), time.perf_counter()
        await fleets.add(user, [apps.application(f"app-{number}", urls[0]) for number in range(count)])
        await fleet.until(count + 1)
        seconds = max(fleet.synced.values()) - began
        writes = await program.drained(log)
        processor = running.processor() - used
        mebibytes = running.mebibytes()
        since, rested = running.processor(), time.perf_counter()
        await asyncio.sleep(growth.REST)
        load = (running.processor() - since) / (time.perf_counter() - rested)
        change = await fleet.commit(watched, "red")
        if fleet.following is not None:
            fleet.following.cancel()
    return {
        "from empty to Synced": seconds,
        "processor": processor,
        "memory": mebibytes,
        "writes for an app": (writes - before) / count,
        "at rest": 100 * load,
        "one change": change,
    }


async def _begun(user: Cluster, urls: Sequence[str]) -> program.Fleet:
    """Have one Application delivered; return the fleet, which is followed from now on."""
    kind = await growth.known(user, urls)
    fleet = program.Fleet(user, kind)
    fleet.following = asyncio.create_task(fleet.follow())
    await fleets.add(user, [apps.application(program.WATCHED, urls[1])])
    await fleet.until(1)
    return fleet


_UNITS = {
    "from empty to Synced": "s",
    "processor": "s",
    "memory": "MiB",
    "writes for an app": "writes",
    "at rest": "% core",
    "one change": "s",
}


def rows() -> list[Row]:
    if world.built() is None or _built() is None:
        return []
    count, objects = SIZE
    if given := os.environ.get("SYNCLINE_BESIDE"):
        count, objects = (int(part) for part in given.split("x"))
    found = {}
    for name, start in SIDES.items():
        print(f"  {name}", file=sys.stderr)
        found[name] = measure(start, count, objects)
    place = f"{count} apps of {objects} objects"
    ours = found["Syncline"]
    goals = {("Argo CD", "from empty to Synced"): _GOAL * ours["from empty to Synced"]}
    return [
        _row(f"{what}, {name}, {place}", unit, found[name][what], ours[what], goals.get((name, what)))
        for what, unit in _UNITS.items()
        for name in SIDES
    ]


def _row(name: str, unit: str, figure: float, ours: float, goal: float | None) -> Row:
    return Row(name=name, figure=figure, unit=unit, raw=ours, raw_is="Syncline", at_least=goal)


def _built() -> build.Programs | None:
    """Return the Argo CD that was built last; where there is none, what to do about it is said."""
    found = sorted(real_build.cache_folder("test-argocd").glob("*/argocd"), key=lambda path: path.stat().st_mtime)
    if not found:
        print("Argo CD was never built here: run `make test-argocd-short` first", file=sys.stderr)
        return None
    return build.Programs(found[-1].parent)
