"""Whether memory stays bounded: sandbox and controller in one process, with steady commits to a real Git repository.

Run: python -m bench.soak --minutes 30
It prints a line per minute and a verdict at the end. The verdict is the slope of the second half, because caches and
histories fill during the first one. What grew in the second half is listed by the line that allocated it. It takes too
long to be part of `make bench`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from statistics import linear_regression
from typing import Any, NamedTuple

from bench.fleet.world import Silent, add
from syncline import wiring
from syncline.cli.run.install import create, missing
from syncline.model.settings.settings import Settings
from syncline.sandbox.server import Sandbox

_AUTHOR = ("-c", "user.name=Soak", "-c", "user.email=soak@syncline.invalid", "-c", "gc.auto=0")
_MEBIBYTE = 1 << 20
_FLAT = 0.5
"""MiB a minute that count as flat: the allocator's own noise is about as large."""
_SHOWN = 12
_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
        - name: web
          image: registry.example/web:1
          env: [{{name: COMMIT, value: "{number}"}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}}}
data: {{commit: "{number}"}}
"""


class Sample(NamedTuple):
    """What one minute ended with, in MiB."""

    minute: float
    commits: int
    resident: float
    traced: float
    objects: int
    changes: int


class Repository:
    """A Git repository on disk with a folder for each app."""

    def __init__(self, folder: pathlib.Path, names: Sequence[str]) -> None:
        self._folder = folder
        self._names = names
        self.commits = 0
        folder.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        for name in names:
            self._write(name)
        self._commit()

    def next(self) -> None:
        """Change the files of one app, in turn."""
        self.commits += 1
        self._write(self._names[self.commits % len(self._names)])
        self._commit()

    def _write(self, name: str) -> None:
        (self._folder / name).mkdir(exist_ok=True)
        (self._folder / name / "all.yaml").write_text(_DEPLOYMENT.format(name=name, number=self.commits))

    def _commit(self) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "-m", f"commit {self.commits}")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", "-C", str(self._folder), *_AUTHOR, *arguments], check=True)


def application(name: str, repository: pathlib.Path) -> dict[str, Any]:
    """Return an Application of one folder."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": str(repository), "path": name, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
    }


@asynccontextmanager
async def _running(folder: pathlib.Path) -> AsyncIterator[Sandbox]:
    """Yield a sandbox with a controller on it, as `syncline up` runs them."""
    sandbox = wiring.sandbox()
    settings = Settings(refresh_interval=1.0, refresh_jitter=0.0)
    async with wiring.serving(sandbox, folder / "kubeconfig"):
        cluster = wiring.client(sandbox.transport(user="syncline"))
        await create(cluster, await missing(cluster, settings.namespace))
        ports = wiring.world(cluster, settings, Silent(), [str(folder)])
        controller = wiring.controller(ports)
        await controller.start()
        try:
            yield sandbox
        finally:
            await controller.stop()
            await ports.evaluator.close()


async def soak(minutes: float, apps: int, pause: float, folder: pathlib.Path) -> list[Sample]:
    """Commit, sample once a minute and print each sample; at the end also what grew."""
    names = [f"app-{number:02}" for number in range(apps)]
    repository = await asyncio.to_thread(Repository, folder / "repo", names)
    samples: list[Sample] = []
    middle = folder / "middle"
    async with _running(folder) as sandbox:
        user = wiring.client(sandbox.transport(user="admin"))
        await add(user, [application(name, folder / "repo") for name in names])
        began = time.monotonic()
        while len(samples) < minutes:
            await asyncio.sleep(pause)
            await asyncio.to_thread(repository.next)
            if time.monotonic() - began < 60 * (len(samples) + 1):
                continue
            samples.append(_sample((time.monotonic() - began) / 60, repository.commits, sandbox))
            print(_line(samples[-1]), flush=True)
            if not middle.exists() and len(samples) >= minutes / 2:
                # On disk, because it is as large as what it describes.
                tracemalloc.take_snapshot().dump(str(middle))
        _print_growth(tracemalloc.Snapshot.load(str(middle)), tracemalloc.take_snapshot())
    return samples


def _sample(minute: float, commits: int, sandbox: Sandbox) -> Sample:
    gc.collect()
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    store = sandbox.backend.store
    return Sample(
        minute=minute,
        commits=commits,
        resident=pages * os.sysconf("SC_PAGE_SIZE") / _MEBIBYTE,
        traced=tracemalloc.get_traced_memory()[0] / _MEBIBYTE,
        objects=sum(store.count(bucket) for bucket in store.buckets()),
        changes=store.version,
    )


def _line(sample: Sample) -> str:
    return (
        f"minute {sample.minute:5.1f}  commits {sample.commits:5}  resident {sample.resident:7.1f} MiB  "
        f"allocated {sample.traced:6.1f} MiB  objects {sample.objects:5}  changes {sample.changes}"
    )


def _print_growth(before: tracemalloc.Snapshot, after: tracemalloc.Snapshot) -> None:
    print("grew in the second half:")
    for one in after.compare_to(before, "lineno")[:_SHOWN]:
        frame = one.traceback[0]
        print(f"  {one.size_diff / 1024:+9.0f} KiB {one.count_diff:+8} blocks  {frame.filename}:{frame.lineno}")


def verdict(samples: Sequence[Sample]) -> tuple[bool, str]:
    """Return whether memory is bounded, and the line that says so."""
    half = samples[len(samples) // 2 :]
    if len(half) < 2:
        return False, "too short for a verdict: at least 3 minutes are needed"
    minutes = [one.minute for one in half]
    resident = linear_regression(minutes, [one.resident for one in half]).slope
    allocated = linear_regression(minutes, [one.traced for one in half]).slope
    flat = max(resident, allocated) <= _FLAT
    return flat, (
        f"{'flat' if flat else 'GROWS'}: resident {resident:+.2f} MiB a minute, allocated {allocated:+.2f} MiB a "
        f"minute over minutes {minutes[0]:.0f} to {minutes[-1]:.0f} ({samples[-1].commits} commits)"
    )


def main(arguments: Sequence[str]) -> int:
    """Soak; the exit code says whether memory is bounded."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--apps", type=int, default=30)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two commits")
    chosen = parser.parse_args(arguments)
    tracemalloc.start()
    with tempfile.TemporaryDirectory(prefix="syncline-soak-") as folder:
        os.environ["SYNCLINE_CACHE"] = str(pathlib.Path(folder) / "cache")
        samples = asyncio.run(soak(chosen.minutes, chosen.apps, chosen.pause, pathlib.Path(folder)))
    flat, line = verdict(samples)
    print(line)
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
