"""The start of a whole fleet by the program itself: what an app costs, whether that grows, and who is served meanwhile.

Run: python -m bench fleet.real.growth (`SYNCLINE_FLEETS=1000,3000` measures other sizes)
`syncline controller` runs as a process of its own against a real kube-apiserver, with one repository on a git server;
every Application has a folder of it with one ConfigMap. Processor time is that of the program and everything it starts
until all is Synced and every Event is written, without what it takes to start and deliver one Application: else a small
fleet would pay for that more dearly than a large one, and hide what grows. Goals: an app costs at most 1.1 times as
much in the largest fleet as in the smallest, and at most 12 ms; a fleet of 10,000 is Synced within three minutes; a
refresh, a sync or a commit that is asked for during the start, or a refresh right after it, is done within a second;
five writes for an app; at rest two percent of a core. The sync and the commit are those of one more Application, with a
repository of its own, so that the others have nothing to do with it; of the commit the program learns by a refresh. On
a machine that others use too the seconds say little: the same when the fleet is at rest is printed beside them.
Writes are counted in the server's audit log. The measuring process watches the Applications, which costs it a
millisecond of processor for each, beside those of the API server.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Sequence

from bench.fleet import apps
from bench.fleet import world as fleets
from bench.fleet.real import program, world
from bench.rows import Row
from syncline.apimachinery.keys import GroupKind
from syncline.cli.run.install import create, missing
from syncline.controller.app_key import APPLICATION
from syncline.model import names
from syncline.ports.kube import ApiResource, Cluster
from tests.real import cluster as real
from tests.support import git_http

SIZES = (1000, 10_000)
# Two answered a refresh, five delivered the watched one, three each synced it again and after a commit.
_OTHER_WRITES = 13
REST = 30.0
_MEBIBYTE = 1024.0


def measure(count: int, start: float) -> dict[str, float]:
    """Deliver one fleet on a server of its own; `start` is what the program costs with next to nothing to do."""
    with world.server(program.AUDIT_POLICY) as running, tempfile.TemporaryDirectory(prefix="syncline-bench-") as folder:
        place = pathlib.Path(folder)
        _repository(place / "served" / "fleet", count)
        watched = git_http.Repository(place / "served" / program.WATCHED)
        watched.commit(program.watched_files("blue"))
        with git_http.serve(place / "served") as git:
            urls = git.url("fleet"), git.url(program.WATCHED)
            found = asyncio.run(_measure(count, running, urls, place, watched))
            return {**found, "milliseconds": 1000 * (found["processor"] - start) / count}


def starting() -> float:
    """Return the seconds on a processor of a program that delivers one Application."""
    with world.server(program.AUDIT_POLICY) as running, tempfile.TemporaryDirectory(prefix="syncline-bench-") as folder:
        place = pathlib.Path(folder)
        watched = git_http.Repository(place / "served" / program.WATCHED)
        watched.commit(program.watched_files("blue"))
        with git_http.serve(place / "served") as git:
            return asyncio.run(_starting(running, git.url(program.WATCHED), place))


async def _starting(running: real.Cluster, url: str, place: pathlib.Path) -> float:
    async with program.user_of(running.kubeconfig_path) as user:
        fleet = program.Fleet(user, await _prepare(user, [url]))
        fleet.following = asyncio.create_task(fleet.follow())
        await fleets.add(user, [apps.application(program.WATCHED, url)])
        with program.controller(running.kubeconfig_path, place) as running_one:
            await fleet.until(1)
            await program.drained(pathlib.Path(running.audit_log_path))
            used = program.processor(running_one.pid)
        fleet.following.cancel()
    return used


async def _measure(
    count: int, running: real.Cluster, urls: tuple[str, str], place: pathlib.Path, watched: git_http.Repository
) -> dict[str, float]:
    async with program.user_of(running.kubeconfig_path) as user:
        kind = await _prepare(user, urls)
        fleet = program.Fleet(user, kind)
        following = asyncio.create_task(fleet.follow())
        fleet.following = following
        made = [apps.application(f"app-{number}", urls[0]) for number in range(count)]
        await fleets.add(user, [*made, apps.application(program.WATCHED, urls[1])])
        log = pathlib.Path(running.audit_log_path)
        before = program.writes(log)
        with program.controller(running.kubeconfig_path, place) as running_one:
            began = time.perf_counter()
            await fleet.until(count // 3)
            busy = await fleet.refresh(next(iter(fleet.synced)))
            asked, committed = await _during(fleet, watched)
            left = count - len(fleet.synced)
            await fleet.until(count + 1)
            seconds = max(fleet.synced.values()) - began
            after = await fleet.refresh(f"app-{count // 2}")
            writes = await program.drained(log)
            used = program.processor(running_one.pid)
            mebibytes = fleets.tree_kibibytes(running_one.pid) / _MEBIBYTE
            since, rested = program.processor(running_one.pid), time.perf_counter()
            await asyncio.sleep(REST)
            load = (program.processor(running_one.pid) - since) / (time.perf_counter() - rested)
            calm = await fleet.refresh(f"app-{count // 2}"), await fleet.sync(), await fleet.commit(watched, "green")
        following.cancel()
    return {
        "seconds": seconds,
        "busy": busy,
        "sync": asked,
        "commit": committed,
        "left": left,
        "after": after,
        "calm refresh": calm[0],
        "calm sync": calm[1],
        "calm commit": calm[2],
        "processor": used,
        "writes": (writes - before - _OTHER_WRITES) / count,
        "load": 100 * load,
        "mebibytes": mebibytes,
    }


async def _during(fleet: program.Fleet, repository: git_http.Repository) -> tuple[float, float]:
    """Ask for a sync and commit something while the fleet starts; return the seconds that both took."""
    while not fleets.delivered(fleet.watched):
        await fleet.refresh(program.WATCHED)
    return await fleet.sync(), await fleet.commit(repository, "red")


async def _prepare(user: Cluster, urls: Sequence[str]) -> ApiResource:
    """Put into a cluster what the program needs; return how Applications are served."""
    await create(user, await missing(user, apps.CONTROL))
    return await known(user, urls)


async def known(user: Cluster, urls: Sequence[str]) -> ApiResource:
    """Make repositories known; return how Applications are served."""
    discovery = await user.discover()
    secret, application = discovery.find(GroupKind("", "Secret")), discovery.find(APPLICATION)
    assert secret is not None
    assert application is not None
    # Without them no server of this machine is asked.
    for number, url in enumerate(urls):
        login = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": f"fleet-{number}",
                "namespace": apps.CONTROL,
                "labels": {names.SECRET_TYPE: "repository"},
            },
            "stringData": {"type": "git", "url": url},
        }
        await user.create(secret, login, manager="bench")
    return application


def _repository(folder: pathlib.Path, count: int) -> None:
    """Make a repository with a folder for every Application, quickly."""
    repository = git_http.Repository(folder)
    lines = ["commit refs/heads/main", "committer Ada <ada@example.com> 0 +0000", "data 1", "x"]
    for number in range(count):
        text = apps.config_map(f"app-{number}")
        lines += [f"M 100644 inline app-{number}/0.yaml", f"data {len(text)}", text]
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input="\n".join(lines).encode(), check=True)
    repository.git("repack", "-a", "-d", "-q")
    # As the servers that people use: files come when they are read.
    repository.git("config", "uploadpack.allowFilter", "true")


def rows() -> list[Row]:
    if world.built() is None:
        return []
    sizes = [int(size) for size in os.environ.get("SYNCLINE_FLEETS", "").split(",") if size] or list(SIZES)
    start = starting()
    found = {size: measure(size, start) for size in sizes}
    least = found[sizes[0]]["milliseconds"]
    return [row for size, one in found.items() for row in _rows(size, one, least)]


def _rows(size: int, found: dict[str, float], least: float) -> list[Row]:
    place = f"{size:,} apps of one object"
    return [
        Row(
            name=f"processor for an app, {place}", figure=found["milliseconds"], unit="ms", raw=least,
            raw_is="the smallest fleet", at_most=1.1 * least,
        ),
        Row(name=f"that, beside the target, {place}", figure=found["milliseconds"], unit="ms", at_most=12),
        Row(name=f"from empty to Synced, {place}", figure=found["seconds"], unit="s", at_most=0.018 * size),
        _asked(f"refresh during the start, {place}", found["busy"], found["calm refresh"]),
        _asked(f"sync during the start, {place}", found["sync"], found["calm sync"]),
        _asked(f"commit during the start, {place}", found["commit"], found["calm commit"]),
        Row(name=f"of which the start had yet to deliver, {place}", figure=found["left"], unit="apps", at_least=1),
        _asked(f"refresh right after it, {place}", found["after"], found["calm refresh"]),
        # An Event more for somebody who waited longer than a second is not the apps'.
        Row(name=f"writes for an app, {place}", figure=round(found["writes"], 2), unit="writes", at_most=5),
        Row(name=f"at rest, {place}", figure=found["load"], unit="% core", at_most=2),
        Row(name=f"memory, {place}", figure=found["mebibytes"], unit="MiB"),
    ]  # fmt: skip


def _asked(name: str, figure: float, calm: float) -> Row:
    """Return how long somebody waited, beside the same when nothing else is to be done."""
    return Row(name=name, figure=figure, unit="s", raw=calm, raw_is="the same at rest", at_most=1)
