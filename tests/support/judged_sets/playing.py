"""Plays the cases: creates what they find, waits until nothing moves, takes the steps, and reads the verdicts.

Whoever works on ApplicationSets is started by the caller: Argo CD beside a kube-apiserver, or a controller of ours. All
cases take their steps together, so that all of them take as long as the slowest. One further set marks each round: once
its Application is there, whoever works has begun on the others too.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import GroupKind, Object, split_api_version
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource
from tests.support.judged_sets import world
from tests.support.judged_sets.case import (
    API,
    CONTROL,
    Case,
    DeleteApp,
    DeleteSet,
    EditApp,
    Json,
    Places,
    Respec,
    Step,
    elements,
    fast,
    filled,
)
from tests.support.judged_sets.verdicts import verdict


class Pace(NamedTuple):
    """How long to wait until nothing moves any more, and at most."""

    look: float
    quiet: float
    limit: float


LIVE = Pace(look=0.5, quiet=5.0, limit=1200.0)
VIRTUAL = Pace(look=5.0, quiet=10.0, limit=600.0)
_MARK = "round"


class Play:
    """The cases on one cluster."""

    def __init__(
        self, user: KubeCluster, clock: Clock, cases: Sequence[Case], places: Places, pace: Pace = LIVE
    ) -> None:
        self._user = user
        self._clock = clock
        self._cases = cases
        self._places = places
        self._pace = pace
        self._served: dict[tuple[str, str], ApiResource] = {}
        self._refused: set[str] = set()

    async def play(self) -> dict[str, list[Json]]:
        """Return the verdicts of every case: the first, and one after each step."""
        shared = [filled(obj, self._places) for obj in (*world.KINDS, *world.OBJECTS)]
        for obj in (*shared, *(obj for case in self._cases for obj in self._before(case))):
            await self._create(obj)
        for case in self._cases:
            try:
                await self._create(case.applicationset(self._places))
            except ApiError:
                self._refused.add(case.name)
        seen: dict[str, list[Json]] = {case.name: [] for case in self._cases}
        await self._round(0)
        await self._note(self._cases, seen)
        for turn in range(max(len(case.steps) for case in self._cases)):
            moving = [case for case in self._cases if len(case.steps) > turn]
            for case in moving:
                await self._take(case, case.steps[turn])
            await self._round(turn + 1)
            await self._note(moving, seen)
        return seen

    def _before(self, case: Case) -> list[Json]:
        return [case.filled(obj, self._places) for obj in case.before]

    async def _take(self, case: Case, step: Step) -> None:
        match step:
            case Respec(spec):
                changed = [
                    {"op": "add", "path": f"/spec/{name}", "value": case.filled(value, self._places)}
                    for name, value in spec.items()
                ]
                sets = await self._resource(API, "ApplicationSet")
                await self._user.patch(sets, CONTROL, case.name, changed, kind="json", manager="kubectl-edit")
            case EditApp(name, patch):
                apps = await self._resource(API, "Application")
                called, wanted = case.filled(name, {}), case.filled(patch, self._places)
                await self._user.patch(apps, CONTROL, called, wanted, manager="kubectl-edit")
            case DeleteApp(name):
                apps = await self._resource(API, "Application")
                await self._user.delete(apps, CONTROL, case.filled(name, {}), propagation="Background")
            case DeleteSet():
                sets = await self._resource(API, "ApplicationSet")
                await self._user.delete(sets, CONTROL, case.name, propagation="Background")

    async def _round(self, number: int) -> None:
        """Wait until the mark of a round is there, and then until nothing has moved for a while."""
        mark = fast(f"{_MARK}-{number}", elements("mark"), world.folders("apps/web")).applicationset(self._places)
        await self._create(mark)
        begun = last = self._clock.monotonic()
        before: Any = None
        while True:
            apps, sets = await self._list("Application"), await self._list("ApplicationSet")
            now = [[_stable(obj) for obj in apps], [_stable(obj) for obj in sets]]
            waiting = not any(app["metadata"]["name"] == f"{_MARK}-{number}-mark" for app in apps)
            if now != before or waiting:
                before, last = now, self._clock.monotonic()
            elif self._clock.monotonic() - last >= self._pace.quiet:
                return
            assert self._clock.monotonic() - begun < self._pace.limit, "the sets never rest"
            await self._clock.sleep(self._pace.look)

    async def _note(self, cases: Iterable[Case], seen: dict[str, list[Json]]) -> None:
        apps = await self._list("Application")
        sets = {one["metadata"]["name"]: one for one in await self._list("ApplicationSet")}
        for case in cases:
            if case.name in self._refused:
                seen[case.name].append({"refused": True})
            else:
                seen[case.name].append(verdict(case.name, sets.get(case.name), apps, self._places))

    async def _list(self, kind: str) -> Sequence[Object]:
        return (await self._user.list(await self._resource(API, kind), namespace=CONTROL)).items

    async def _create(self, obj: Json) -> None:
        resource = await self._resource(obj["apiVersion"], obj["kind"])
        await self._user.create(resource, obj, manager="kubectl-create")

    async def _resource(self, api_version: str, kind: str) -> ApiResource:
        known = self._served.get((api_version, kind))
        group, version = split_api_version(api_version)
        begun = self._clock.monotonic()
        while known is None:
            known = (await self._user.discover()).find(GroupKind(group, kind), version)
            if known is None:
                # A kind that was just created is served a little later.
                assert self._clock.monotonic() - begun < self._pace.limit, f"{api_version} {kind} is not served"
                await self._clock.sleep(self._pace.look)
        self._served[api_version, kind] = known
        return known


def _stable(obj: Object) -> Any:
    """Return what moves while work is going on: not every write does."""
    return [obj["metadata"]["name"], obj.get("spec"), (obj.get("status") or {}).get("conditions")]
