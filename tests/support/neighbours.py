"""An innocent commit, alone and beside a hostile tenant: how long each takes from push to delivered, in real time.

Played by `tests.component.render.test_neighbours` and measured by `bench.render.neighbours`: a controller on the
sandbox with the real helm, kubectl, jsonnet and script workers. The innocent project has one chart. The hostile one has
many Applications, each of which would take until its limit. Both medians come from the same process and the same run.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncline.adapters.render.renderer import ToolRenderer
from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.model import names
from syncline.model.settings.settings import Settings
from tests.support.world import API, PLAYED, SandboxBed, default_project

INNOCENT, HOSTILE = "innocent", "hostile"
_CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {colour: {{ .Values.colour }}}
"""
_LOOP = "{{ range until 100000 }}{{ range until 100000 }}{{ $x := 1 }}{{ end }}{{ end }}"


@dataclass(frozen=True)
class Tenant:
    """What a hostile tenant has in the folder of each Application, and what more these say; NUMBER differs in each."""

    files: Mapping[str, str] = field(default_factory=dict)
    spec: Mapping[str, Any] = field(default_factory=dict)


CHARTS = Tenant({"Chart.yaml": _CHART, "templates/x.yaml": _LOOP})

_MAPS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m-NUMBER-%d}\ndata: {a: b}\n---\n"
_DEEP = "local f(n) = if n == 0 then 0 else f(n - 1) + f(n - 1); {kind: 'ConfigMap', data: {x: f(60)}}\n"
JSONNET = Tenant({"x.jsonnet": _DEEP})
FOLDERS = Tenant({"maps.yaml": "".join(_MAPS % number for number in range(5_000))}, {"syncPolicy": {}})
"""Plain files with thousands of objects, which are parsed and compared."""
SHARED = Tenant({path: text.replace("NUMBER", "same") for path, text in FOLDERS.files.items()}, {"syncPolicy": {}})
"""The same thousands of objects in every Application: who owns each has to be decided again and again."""
_LONG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: long-NUMBER}\ndata:\n"
FILES = Tenant(
    {"map.yaml": _LONG_MAP + "".join(f"  key{n}: a value of some length\n" for n in range(200_000))}, {"syncPolicy": {}}
)
"""A single file of several megabytes, which takes seconds to read."""
_PATCH = "- {target: {kind: ConfigMap}, patch: '[{op: add, path: /data/p, value: x}]'}\n"
PATCHES = Tenant(
    {
        "kustomization.yaml": "resources: [maps.yaml]\npatches:\n" + 300 * _PATCH,
        "maps.yaml": "".join(_MAPS % number for number in range(2_000)),
    }
)
"""A kustomization that takes very long without looping."""
SCRIPTS = Tenant(
    {"map.yaml": _MAPS % 1},
    {"ignoreDifferences": [{"kind": "ConfigMap", "jqPathExpressions": ["def f: f; .data | f"]}]},
)
"""An expression that never ends, on an object that is compared in every pass."""


@dataclass(frozen=True)
class Measured:
    """Seconds from push to delivered."""

    alone: Sequence[float]
    beside: Sequence[float]

    @property
    def ratio(self) -> float:
        """How many times as long a commit takes beside the hostile tenant."""
        return statistics.median(self.beside) / statistics.median(self.alone)


class Neighbours:
    """A controller that delivers for two projects."""

    def __init__(self, tenant: Tenant, count: int, *, projects: int = 1) -> None:
        self._tenant = tenant
        self._count = count
        self._projects = projects
        self._bed = SandboxBed(
            settings=Settings(refresh_interval=60.0, refresh_jitter=0.0), evaluator=ScriptEvaluator(), played=PLAYED
        )
        self._bed.renderer = ToolRenderer()
        self._colour = 0

    async def measure(self, rounds: int, settle: float = 5.0) -> Measured:
        """Deliver commits alone, let the hostile tenant come, and deliver as many more."""
        bed = self._bed
        await bed.start()
        controller = bed.controller()
        try:
            for project in (INNOCENT, *(f"{HOSTILE}-{number}" for number in range(self._projects))):
                await bed.apply(
                    default_project(bed.control) | {"metadata": {"name": project, "namespace": bed.control}}
                )
            self._commit()
            await bed.apply(self._application(INNOCENT, INNOCENT, "main"))
            await controller.start()
            await bed.until_delivered(INNOCENT)
            alone = [await self._deliver() for _ in range(rounds)]
            files = {
                f"{n}/{path}": text.replace("NUMBER", str(n))
                for n in range(self._count)
                for path, text in self._tenant.files.items()
            }
            bed.source.commit(files, branch=HOSTILE)
            for number in range(self._count):
                project = f"{HOSTILE}-{number % self._projects}"
                await bed.apply(self._application(f"{HOSTILE}-{number}", project, HOSTILE, str(number)))
            await asyncio.sleep(settle)
            beside = [await self._deliver() for _ in range(rounds)]
        finally:
            await controller.stop()
            await bed._evaluator.close()
            await bed.stop()
        assert not bed.failures, bed.failures
        return Measured(alone, beside)

    def _commit(self) -> str:
        self._colour += 1
        files = {"app/Chart.yaml": _CHART, "app/templates/map.yaml": _MAP}
        return self._bed.source.commit({**files, "app/values.yaml": f"colour: c{self._colour}\n"})

    def _application(self, name: str, project: str, branch: str, path: str = "app") -> dict[str, Any]:
        url = f"https://git.example/{branch}.git"
        source = {"repoURL": url, "path": path, "targetRevision": branch}
        spec = dict(self._tenant.spec if branch == HOSTILE else _INNOCENT)
        source |= spec.pop("source", {})
        return self._bed.application(name, automated={}, project=project, source=source, **spec)

    async def _deliver(self) -> float:
        """Push a commit and tell of it as a webhook would; return the seconds until it is delivered."""
        bed = self._bed
        began = bed.clock.monotonic()
        sha = self._commit()
        await bed.patch("Application", INNOCENT, _REFRESH, API, bed.control)
        while not _is_delivered(await bed.app(INNOCENT), sha):
            assert bed.clock.monotonic() < began + 150, "the innocent commit is not delivered"
            await bed.clock.sleep(0.02)
        return bed.clock.monotonic() - began


_RULE = {"kind": "ConfigMap", "jqPathExpressions": ['.data | select(.colour == "none") | .other']}
_INNOCENT: dict[str, Any] = {"ignoreDifferences": [_RULE]}
"""The innocent app has an expression that takes a worker, as many have."""
_REFRESH = {"metadata": {"annotations": {names.REFRESH: "normal"}}}


def _is_delivered(app: dict[str, Any], sha: str) -> bool:
    status = app.get("status") or {}
    history = status.get("history") or [{}]
    return (
        history[-1].get("revision") == sha
        and (status.get("sync") or {}).get("status") == "Synced"
        and "operation" not in app
    )
