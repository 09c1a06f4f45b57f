"""Times `syncline check` and `syncline preview` on a repository of many apps: cold, warm, one file changed, one change.

Run: python -m bench check
Goals: cold within 1.2 times the bare `helm template` of every chart; 1,000 warm apps checked within 1 s; one changed
file under `--watch` 0.3 s; the preview of a change of one among 1,000 warm apps 2 s. Renders that were made before are
in the cache folder: a pipeline that keeps `~/.cache/syncline` between runs is warm. SYNCLINE_BENCH_APPS=n measures a
smaller repository (400 charts of 1,000 apps otherwise). Processor time stands beside the time on the clock: it is what
can be compared on a machine that has other work.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from bench.rows import Row
from syncline.api.applications import RenderFlags
from syncline.api.check import checked
from syncline.api.preview import previewed
from syncline.api.repository.memory import CheckMemory
from syncline.enclosure import THE_ENCLOSURE

APPS = int(os.environ.get("SYNCLINE_BENCH_APPS", "1000"))
CHARTS = APPS * 4 // 10
HERE = "https://git.example/team/platform"
_APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: app-{number}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {here}, path: {path}{more}}}
  destination: {{server: https://kubernetes.default.svc, namespace: app-{number}}}
  syncPolicy: {{automated: {{}}, syncOptions: [CreateNamespace=true]}}
"""
_WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  replicas: 2
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec: {containers: [{name: web, image: "registry.example/web:TAG"}]}
---
apiVersion: v1
kind: Service
metadata: {name: NAME}
spec: {ports: [{port: 80}], selector: {app: NAME}}
"""


def write(root: pathlib.Path) -> None:
    """Write the repository and commit it."""
    files = {"chart/Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}\n", "chart/values.yaml": "tag: '0'\n"}
    template = _WORKLOAD.replace("NAME", "{{ .Release.Name }}").replace("TAG", "{{ .Values.tag }}")
    files["chart/templates/web.yaml"] = template
    for number in range(APPS):
        if number < CHARTS:
            more = f", helm: {{valueFiles: [../values/{number}.yaml]}}"
            files[f"apps/{number}.yaml"] = _APP.format(number=number, here=HERE, path="chart", more=more)
            files[f"values/{number}.yaml"] = f"tag: '1.{number}'\n"
        else:
            files[f"apps/{number}.yaml"] = _APP.format(number=number, here=HERE, path=f"plain/{number}", more="")
            files[f"plain/{number}/web.yaml"] = _WORKLOAD.replace("NAME", "web").replace("TAG", str(number))
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (
        ["init", "-q", "-b", "main"],
        ["remote", "add", "origin", HERE],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "first"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)


class Taken(NamedTuple):
    """How long some work took, on the clock and on processors, in seconds."""

    wall: float
    processor: float

    def rows(self, name: str, at_most: float) -> list[Row]:
        """Return both as lines of the table, with the same goal."""
        return [
            Row(name=name, figure=self.wall, unit="s", at_most=at_most),
            Row(name=f"{name}, processor time", figure=self.processor, unit="s", at_most=at_most),
        ]

    def beside(self, raw: Taken, name: str, raw_is: str, times: float) -> list[Row]:
        """Return both as lines of the table, each with the raw cost, of which it may be so many times."""
        pairs = ((name, self.wall, raw.wall), (f"{name}, processor time", self.processor, raw.processor))
        return [
            Row(name=called, figure=figure, unit="s", raw=cost, raw_is=raw_is, at_most=times * cost)
            for called, figure, cost in pairs
        ]


def timed(work: Callable[[], object]) -> Taken:
    """Return how long some work takes."""
    begin, spent = time.perf_counter(), _processor()
    work()
    return Taken(time.perf_counter() - begin, _processor() - spent)


def _processor() -> float:
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


def bare(root: pathlib.Path) -> Taken:
    """Return how long helm alone takes for every chart, two at a time."""
    helm = str(pathlib.Path(sys.executable).with_name("helm"))

    def render(number: int) -> None:
        words = [helm, "template", f"app-{number}", "chart", "-f", f"values/{number}.yaml"]
        subprocess.run(words, cwd=root, check=True, capture_output=True)

    def all_of_them() -> None:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(render, range(CHARTS)))

    return timed(all_of_them)


def _cold(root: pathlib.Path, flags: RenderFlags) -> None:
    asyncio.run(checked(root, flags))
    # The system counts the time of programs that the warden has run only when the warden has ended.
    THE_ENCLOSURE.end()


def rows() -> list[Row]:
    """Measure everything, in one repository."""
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch, "platform")
        root.mkdir()
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(scratch, "cache"))
        write(root)
        flags = RenderFlags(local=True)
        raw = bare(root)
        cold = timed(lambda: _cold(root, flags))
        THE_ENCLOSURE.refusal()
        warm = timed(lambda: asyncio.run(checked(root, flags)))
        memory = CheckMemory()
        asyncio.run(checked(root, flags, memory=memory))
        (root / "values/0.yaml").write_text("tag: '2.0'\n")
        watched = timed(lambda: asyncio.run(checked(root, flags, memory=memory)))
        changed = timed(lambda: asyncio.run(previewed(root, flags)))
    return [
        *cold.beside(
            raw, f"check {APPS:,} apps, {CHARTS} charts, cold", "helm template of every chart, two at a time", 1.2
        ),
        *warm.rows(f"check {APPS:,} apps, warm", 1.0),
        *watched.rows("one file changed under --watch", 0.3),
        *changed.rows("preview of one changed app, warm", 2.0),
    ]
