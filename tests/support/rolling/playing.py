"""Plays the cases and reads what became of them: the entries of each set, and the order in which things were done.

Whoever works on sets and Applications is started by the caller. All cases take their steps together. Every write of a
set is watched, so that nothing is missed between two looks.
"""

import asyncio
import contextlib
import pathlib
from collections.abc import Sequence
from typing import Any

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import GroupKind, Object, split_api_version
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiResource
from tests.support.git_http import Repository
from tests.support.referee import resting
from tests.support.referee.case import API, CONTROL, Json
from tests.support.referee.resting import REFRESH, Look, Pace
from tests.support.rolling.case import Case, Commit, Delete, Drift, Respec, Step, written

LIVE = Pace(look=0.5, quiet=12.0, limit=1200.0)
VIRTUAL = Pace(look=5.0, quiet=30.0, limit=2000.0)
_BUSY = ("Pending", "Progressing")


class Play:
    """The cases on one cluster."""

    def __init__(
        self, user: KubeCluster, clock: Clock, cases: Sequence[Case], folder: pathlib.Path, pace: Pace = LIVE
    ) -> None:
        self._user = user
        self._clock = clock
        self._cases = cases
        self._folder = folder
        self._pace = pace
        self._commits: dict[str, dict[str, str]] = {case.name: {} for case in cases}
        self._repositories = {case.name: Repository(folder / case.name) for case in cases}
        self._seen = Seen()

    async def play(self) -> dict[str, list[Json]]:
        """Return what became of every case: at first, and after each step."""
        for case in self._cases:
            self._commit(case, Commit(case.files))
            await self._apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": case.name}})
            await self._apply(self._secret(case))
        watching = asyncio.create_task(self._watch(), name="watch of sets")
        try:
            return await self._played()
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching

    async def _played(self) -> dict[str, list[Json]]:
        told: dict[str, list[Json]] = {case.name: [] for case in self._cases}
        for case in self._cases:
            await self._apply(case.applicationset(self._url(case)))
        await self._settle()
        await self._note(self._cases, told)
        for turn in range(max(len(case.steps) for case in self._cases)):
            moving = [case for case in self._cases if len(case.steps) > turn]
            for case in moving:
                await self._take(case, case.steps[turn])
            await self._settle()
            await self._note(moving, told)
        return told

    async def _take(self, case: Case, step: Step) -> None:
        self._seen.begin(case.name)
        match step:
            case Commit():
                self._commit(case, step)
                for app in await self._apps(case):
                    await self._refresh(app["metadata"]["name"])
            case Respec(spec):
                sets = await self._resource(API, "ApplicationSet")
                changed = [{"op": "add", "path": f"/spec/{name}", "value": value} for name, value in spec.items()]
                await self._user.patch(sets, CONTROL, case.name, changed, kind="json", manager="kubectl-edit")
            case Drift(app):
                maps = await self._resource("v1", "ConfigMap")
                odd = {"data": {"colour": "odd"}}
                await self._user.patch(maps, case.name, app, odd, manager="kubectl-edit")
                await self._refresh(f"{case.name}-{app}")
            case Delete():
                sets = await self._resource(API, "ApplicationSet")
                await self._user.delete(sets, CONTROL, case.name, propagation="Background")

    async def _refresh(self, app: str) -> None:
        apps = await self._resource(API, "Application")
        patch = {"metadata": {"annotations": {REFRESH: "normal"}}}
        await self._user.patch(apps, CONTROL, app, patch, manager="kubectl-edit")

    def _commit(self, case: Case, commit: Commit) -> None:
        sha, made = self._repositories[case.name].commit(written(commit.files)), self._commits[case.name]
        made[sha] = f"commit {len(made) + 1}"

    def _url(self, case: Case) -> str:
        return f"file://{self._folder}/{case.name}"

    def _secret(self, case: Case) -> Json:
        labels = {"argocd.argoproj.io/secret-type": "repository"}
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": f"repository-{case.name}", "namespace": CONTROL, "labels": labels},
            "stringData": {"url": self._url(case), "type": "git"},
        }

    async def _settle(self) -> None:
        await resting.settle(self._look, self._clock, self._pace)

    async def _look(self) -> Look:
        apps, sets = await self._list("Application"), await self._list("ApplicationSet")
        return Look([_moving(obj) for obj in (*apps, *sets)], resting.waiting(apps))

    async def _note(self, cases: Sequence[Case], told: dict[str, list[Json]]) -> None:
        sets = {one["metadata"]["name"]: one for one in await self._list("ApplicationSet")}
        for case in cases:
            apps = await self._apps(case)
            verdict = _verdict(sets.get(case.name), apps, self._commits[case.name])
            told[case.name].append({**verdict, **self._seen.told(case.name)})

    async def _apps(self, case: Case) -> list[Object]:
        apps = await self._list("Application")
        return [app for app in apps if app["metadata"]["name"].startswith(f"{case.name}-")]

    async def _watch(self) -> None:
        """Note every write of a set and every Application that goes, from now on."""
        await asyncio.gather(*(self._follow(kind) for kind in ("ApplicationSet", "Application")))

    async def _follow(self, kind: str) -> None:
        resource = await self._resource(API, kind)
        version = (await self._user.list(resource, namespace=CONTROL)).resource_version
        while True:
            async with contextlib.aclosing(
                self._user.watch(resource, resource_version=version, namespace=CONTROL)
            ) as events:
                async for event in events:
                    version = event.obj["metadata"]["resourceVersion"]
                    if event.type != "BOOKMARK":
                        self._seen.note(kind, event.type, event.obj)

    async def _list(self, kind: str) -> Sequence[Object]:
        return (await self._user.list(await self._resource(API, kind), namespace=CONTROL)).items

    async def _apply(self, obj: Json) -> None:
        await self._user.apply(await self._resource(obj["apiVersion"], obj["kind"]), obj, manager="kubectl")

    async def _resource(self, api_version: str, kind: str) -> ApiResource:
        group, version = split_api_version(api_version)
        found = (await self._user.discover()).find(GroupKind(group, kind), version)
        assert found is not None, f"{api_version} {kind} is not served"
        return found


class Seen:
    """What the watch told, by set: in which order Applications began, how many at a time, and which went."""

    def __init__(self) -> None:
        self._begun: dict[str, dict[str, str]] = {}
        self._most: dict[str, int] = {}
        self._gone: dict[str, list[str]] = {}
        self._before: dict[str, dict[str, Json]] = {}

    def begin(self, name: str) -> None:
        """Forget what a set did before its next step."""
        for noted in (self._begun, self._most, self._gone):
            noted.pop(name, None)

    def note(self, kind: str, event: str, obj: Object) -> None:
        """Take in one event."""
        name = obj["metadata"]["name"]
        if kind == "Application":
            if event == "DELETED":
                owner = next((one["name"] for one in obj["metadata"].get("ownerReferences") or ()), "")
                self._gone.setdefault(owner, []).append(name)
            return
        now = {one["application"]: one for one in (obj.get("status") or {}).get("applicationStatus") or ()}
        before = self._before.get(name, {})
        for app in sorted(now):
            if _begins(before.get(app), now[app]):
                self._begun.setdefault(name, {}).setdefault(app, now[app]["step"])
        busy = sum(1 for one in now.values() if one["status"] in _BUSY)
        self._most[name] = max(self._most.get(name, 0), busy)
        self._before[name] = now

    def told(self, name: str) -> Json:
        """Return in which order Applications began, those of a step together, how many were busy, and which went.

        How often one began is left out: Argo CD starts some syncs several times.
        """
        begun: list[list[str]] = []
        steps: list[str] = []
        for app, step in self._begun.get(name, {}).items():
            if steps[-1:] != [step]:
                begun.append([])
                steps.append(step)
            begun[-1] = sorted([*begun[-1], app])
        return {"begun": begun, "most": self._most.get(name, 0), "gone": self._gone.get(name, [])}


def _begins(before: Json | None, now: Json) -> bool:
    """Whether an Application becomes busy, or is so with another commit than before."""
    if now["status"] not in _BUSY:
        return False
    known = before or {}
    return known.get("status") not in _BUSY or known.get("targetRevisions") != now.get("targetRevisions")


def _verdict(applicationset: Object | None, apps: Sequence[Object], commits: dict[str, str]) -> Json:
    if applicationset is None:
        return {"left": sorted(app["metadata"]["name"] for app in apps)}
    status = applicationset.get("status") or {}
    entries = {
        one["application"]: [
            one["step"],
            one["status"],
            *(commits.get(sha, sha) for sha in one.get("targetRevisions") or ()),
        ]
        for one in status.get("applicationStatus") or ()
    }
    return {
        "entries": entries,
        "rollout": [
            f"{one['status']} {one['message']}"
            for one in status.get("conditions") or ()
            if one["type"] == "RolloutProgressing"
        ],
        "apps": {app["metadata"]["name"]: _shown(app, commits) for app in apps},
    }


def _shown(app: Object, commits: dict[str, str]) -> list[str]:
    """Return what an Application shows: statuses, its last sync and the commit of that."""
    status = app.get("status") or {}
    state = status.get("operationState") or {}
    sha = (state.get("syncResult") or {}).get("revision", "")
    return [
        (status.get("sync") or {}).get("status", ""),
        (status.get("health") or {}).get("status", ""),
        state.get("phase", ""),
        commits.get(sha, sha),
    ]


def _moving(obj: Object) -> Any:
    status = obj.get("status") or {}
    state = status.get("operationState") or {}
    return [
        obj["metadata"]["name"],
        obj.get("spec"),
        status.get("applicationStatus"),
        status.get("sync"),
        (status.get("health") or {}).get("status"),
        [state.get("phase"), state.get("finishedAt")],
    ]
