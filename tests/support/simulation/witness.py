"""Judges every write of a controller against the invariants, from inside the wire, next to the server.

I1 nothing is deleted or taken from an app that desires it, and no object goes back and forth between apps. I2 nothing
is pruned that every good commit desires. I3 a wave is written only after the one before is applied and healthy. I4 a
hook is created once per attempt, and at least once if the sync succeeded. I5 an operation ends once and no younger one
replaces it. I6 what a status claims was true a moment ago, of the app as a whole and of each object that an operation
calls Synced. I10 nobody storms the server.
"""

import asyncio
import re
from collections import Counter
from typing import Any

import orjson

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.ports.transport import Request, Response, Transport
from tests.support.clocks import LoopClock
from tests.support.simulation.past import Name, Past

TRACKING = "argocd.argoproj.io/tracking-id"
STAMP = "syncline.io/operation"
WAVE = "argocd.argoproj.io/sync-wave"
HOOK = "argocd.argoproj.io/hook"
PLURALS = {"Deployment": "deployments", "ConfigMap": "configmaps", "Job": "jobs", "Namespace": "namespaces"}
FRESH = 40.0
"""How old a claim may be: the longest a slow request takes, and a pass. A run whose watches lag adds to it."""
STORM = 1000
"""How many requests a second is too many: a start asks for about a hundred, and two may start at once."""
MOVES = 2
"""How often an object changes hands after a commit: one that was seen late, and this one."""
_PATH = re.compile(r"/namespaces/([^/?]+)/([a-z]+)(?:/([^/?]+))?")
_ENDED = ("Succeeded", "Failed", "Error")


class Witness:
    """A transport that looks at what is written; `broken` lists what should never have been."""

    def __init__(self, inner: Transport, judge: "Judge") -> None:
        self._inner = inner
        self._judge = judge

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        found = _PATH.search(request.path)
        if request.method == "GET" or found is None or "dryRun=All" in request.path:
            return await self._inner.send(request, timeout=timeout)
        body: Any = orjson.loads(request.body) if request.body else {}
        name = (found[2], found[1], found[3] or str((body.get("metadata") or {}).get("name") or ""))
        before = self._judge.past.now(name)
        response = await self._inner.send(request, timeout=timeout)
        if response.status < 300:
            self._judge.judge(request.method, name, before, body)
        return response

    async def close(self) -> None:
        await self._inner.close()


class Judge:
    """What is known of the repository and of the past, and what was seen that must not be."""

    def __init__(self, past: Past, control: str, target: str) -> None:
        self.past = past
        self.broken: list[str] = []
        self.noticed = asyncio.Event()
        self.fresh = FRESH
        self.desired: dict[str, list[Object]] = {}
        """The objects of each good commit."""
        self.touched: dict[Name, float] = {}
        """When somebody else last meddled with an object."""
        self._control = control
        self._target = target
        self._clock = LoopClock()
        self._created: Counter[tuple[str, str]] = Counter()
        self._ended: dict[str, str] = {}
        self._begun: dict[str, float] = {}
        self._proven: set[tuple[str, Name]] = set()
        self._requests = (0, 0)
        self._heads: list[tuple[float, dict[str, set[Name]] | None]] = []
        self._moves: Counter[Name] = Counter()

    async def count(self) -> None:
        """Count one request, answered or not; a controller that asks without end and without waiting is held up."""
        second = int(self._clock.monotonic())
        self._requests = (second, self._requests[1] + 1 if self._requests[0] == second else 1)
        if self._requests[1] > STORM:
            self._fail("I10", f"more than {STORM} requests within a second")
            await asyncio.Event().wait()

    def learn(self, sha: str, files: dict[str, str]) -> None:
        """Take note of a good commit."""
        by_app: dict[str, list[Object]] = {}
        for name, text in files.items():
            by_app.setdefault(name.split("/")[1], []).append(yaml.load_documents(text.encode(), source=name)[0].value)
        self.desired[sha] = by_app["web"]
        names = {app: {self.name_of(obj) for obj in objects} for app, objects in by_app.items() if app != "far"}
        self._heads.append((self._clock.monotonic(), names))
        self._moves.clear()

    def learn_broken(self) -> None:
        """Take note of a commit of which nobody can say what it desires."""
        self._heads.append((self._clock.monotonic(), None))
        self._moves.clear()

    def name_of(self, obj: Object) -> Name:
        return PLURALS[obj["kind"]], self._target, obj["metadata"]["name"]

    def judge(self, method: str, name: Name, before: Object | None, body: Any) -> None:
        plural, namespace, _ = name
        if plural == "applications" and namespace == self._control:
            self._application(name)
        elif namespace == self._target:
            if method == "DELETE":
                self._deleted(name, before, body)
            else:
                self._written(method, name, before, body)

    def _fail(self, invariant: str, words: str) -> None:
        self.noticed.set()
        self.broken.append(f"{invariant} at {self._clock.monotonic():.1f} s: {words}")

    def _deleted(self, name: Name, before: Object | None, body: Any) -> None:
        if before is None:
            return
        annotations = before["metadata"].get("annotations") or {}
        mark = str(annotations.get(TRACKING) or "")
        if not mark.startswith(("web:", "rival:")) or not mark.endswith(f"/{name[2]}"):
            self._fail("I1", f"deleted {name}, which is not ours: {mark!r}")
        wanting = [app for app in ("web", "rival") if HOOK not in annotations and self._desires(app, name)]
        if wanting:
            self._fail("I1", f"deleted {name} of {mark}, which {wanting} desired all the time")
        if not (body.get("preconditions") or {}).get("uid"):
            self._fail("I1", f"deleted {name} without saying which one")
        in_all = all(name in {self.name_of(obj) for obj in objects} for objects in self.desired.values())
        if HOOK not in annotations and in_all:
            self._fail("I2", f"deleted {name}, which every good commit desires")

    def _written(self, method: str, name: Name, before: Object | None, body: Any) -> None:
        annotations = (body.get("metadata") or {}).get("annotations") or {} if isinstance(body, dict) else {}
        mark, had = annotations.get(TRACKING), ((before or {}).get("metadata") or {}).get("annotations") or {}
        if mark and had.get(TRACKING) and had[TRACKING] != mark:
            self._taken(name, str(had[TRACKING]).partition(":")[0], str(mark))
        if method == "POST" and annotations.get(STAMP):
            self._created[annotations[STAMP], name[2]] += 1
            if self._created[annotations[STAMP], name[2]] > 1:
                self._fail("I4", f"created hook {name[2]} again for {annotations[STAMP]}")
        if WAVE in annotations and HOOK not in annotations and str(mark).startswith("web:"):
            self._wave(name, int(annotations[WAVE]))

    def _taken(self, name: Name, former: str, mark: str) -> None:
        """Judge that an object changed hands: its former owner must not have desired it all the time."""
        self._moves[name] += 1
        if self._desires(former, name):
            self._fail("I1", f"{mark} took {name} from {former}, which desired it all the time")
        if self._moves[name] > MOVES:
            self._fail("I1", f"{name} goes back and forth without a commit that moves it")

    def _desires(self, app: str, name: Name) -> bool:
        """Whether an Application was there and desired an object for as long as anybody may still act on."""
        since = self._clock.monotonic() - self.fresh
        for other in ("web", "rival"):
            # An operation goes on with the commit it began with.
            state = self._operation(other)
            if str(state.get("phase") or "") not in _ENDED:
                since = min(since, self._begun.get(_identity(state), since))

        def left(at: float) -> bool:
            found = self.past.at(("applications", self._control, app), at)
            return found is None or "deletionTimestamp" in found["metadata"]

        if self.past.ever(since, left):
            return False
        # The head at the beginning counts too, and so does the one before: it may not have been seen to move.
        first = max((at for at, _ in self._heads if at <= since), default=0.0)
        heads = [names for at, names in self._heads if at >= first and names is not None]
        return bool(heads) and all(name in names.get(app, ()) for names in heads)

    def _wave(self, name: Name, wave: int) -> None:
        state = self._operation()
        sync = (state.get("operation") or {}).get("sync") or {}
        revision = (state.get("syncResult") or {}).get("revision") or ""
        if sync.get("resources") or revision not in self.desired:
            return
        for obj in self.desired[revision]:
            annotations = obj["metadata"].get("annotations") or {}
            lower = self.name_of(obj)
            if HOOK in annotations or int(annotations.get(WAVE) or 0) >= wave or self._shares(lower):
                continue
            # What was good once in this operation may have been meddled with while a later wave was waited for.
            since = min(self._clock.monotonic() - self.fresh, self._begun.get(_identity(state), 1e9))
            meddled = self.touched.get(lower, -1000.0) >= since
            if not meddled and not self.past.ever(since, lambda at, one=obj: self._good(one, at)):  # type: ignore[misc]
                self._fail("I3", f"wrote {name} of wave {wave} before {lower} of {revision[:7]} was there and healthy")

    def _shares(self, name: Name) -> bool:
        """Whether the rival desires an object at times: then it may be the one that writes it."""
        return any(name in names.get("rival", ()) for _, names in self._heads if names is not None)

    def _operation(self, name: str = "web") -> dict[str, Any]:
        app = self.past.now(("applications", self._control, name)) or {}
        return (app.get("status") or {}).get("operationState") or {}

    def _good(self, obj: Object, at: float) -> bool:
        live = self.past.at(self.name_of(obj), at)
        return live is not None and covers(live, obj) and healthy(live)

    def _application(self, name: Name) -> None:
        app = self.past.now(name) or {}
        if name[2] != "web":
            if identity := _identity((app.get("status") or {}).get("operationState") or {}):
                self._begun.setdefault(identity, self._clock.monotonic())
            return
        status = app.get("status") or {}
        self._one_end(status.get("operationState") or {})
        self._truth(status)

    def _one_end(self, state: dict[str, Any]) -> None:
        identity = _identity(state)
        phase = str(state.get("phase") or "")
        if not identity:
            return
        self._begun.setdefault(identity, self._clock.monotonic())
        known = self._ended.get(identity, "")
        if known and known != phase:
            self._fail("I5", f"operation {identity} was {known} and is {phase}")
        for other, ended in self._ended.items():
            if not ended and other != identity:
                self._fail("I5", f"operation {identity} replaced {other}, which had not ended")
        self._ended = {one: ended for one, ended in self._ended.items() if ended}
        self._ended[identity] = phase if phase in _ENDED else ""
        self._results(identity, state)
        if phase == "Succeeded":
            self._hooks_ran(identity, state)

    def _results(self, identity: str, state: dict[str, Any]) -> None:
        """Look at what an operation says of each object: Synced are those that were as desired since it began."""
        result = state.get("syncResult") or {}
        desired = {self.name_of(obj): obj for obj in self.desired.get(str(result.get("revision") or ""), ())}
        since = self._begun[identity] - self.fresh
        for one in result.get("resources") or ():
            name = (PLURALS.get(one["kind"], ""), str(one.get("namespace") or ""), one["name"])
            obj = desired.get(name)
            if obj is None or one.get("hookType") or one.get("status") != "Synced" or (identity, name) in self._proven:
                continue
            if self.past.ever(since, lambda at, wanted=obj: self._was(wanted, at)):  # type: ignore[misc]
                self._proven.add((identity, name))
            else:
                self._fail("I6", f"operation {identity} called {name} Synced, which was never as desired")

    def _was(self, wanted: Object, at: float) -> bool:
        live = self.past.at(self.name_of(wanted), at)
        return live is not None and covers(live, wanted)

    def _hooks_ran(self, identity: str, state: dict[str, Any]) -> None:
        sync = (state.get("operation") or {}).get("sync") or {}
        revision = (state.get("syncResult") or {}).get("revision") or ""
        if sync.get("resources") or revision not in self.desired:
            return
        ran = {hook for (stamp, hook) in self._created if stamp.startswith(f"{identity}.")}
        for obj in self.desired[revision]:
            annotations = obj["metadata"].get("annotations") or {}
            if HOOK in annotations and obj["metadata"]["name"] not in ran:
                self._fail("I4", f"operation {identity} succeeded without hook {obj['metadata']['name']}")

    def _truth(self, status: dict[str, Any]) -> None:
        sync, health = status.get("sync") or {}, status.get("health") or {}
        revision = str(sync.get("revision") or "")
        if sync.get("status") != "Synced":
            return
        if revision not in self.desired:
            self._fail("I6", f"Synced to {revision[:7]}, which nobody could render")
            return
        objects = [obj for obj in self.desired[revision] if HOOK not in (obj["metadata"].get("annotations") or {})]
        since = self._clock.monotonic() - self.fresh

        def true(obj: Object, at: float) -> bool:
            live = self.past.at(self.name_of(obj), at)
            return live is not None and covers(live, obj) and (health.get("status") != "Healthy" or healthy(live))

        for obj in objects:
            # Each by itself: kinds are watched one by one, and nobody sees all of them at the same instant.
            if not self.past.ever(since, lambda at, one=obj: true(one, at)):  # type: ignore[misc]
                words = f"claimed Synced and {health.get('status')} for {revision[:7]}"
                self._fail("I6", f"{words}, but {self.name_of(obj)} never was so lately")


def _identity(state: dict[str, Any]) -> str:
    """Return the name that a controller gave an operation."""
    info = (state.get("operation") or {}).get("info") or ()
    return next((str(item["value"]) for item in info if item["name"] == STAMP), "")


def covers(live: Any, wanted: Any) -> bool:
    """Whether everything that is wanted is there."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(
            key in live and covers(live[key], value)
            for key, value in wanted.items()
            if key not in ("apiVersion", "kind")
        )
    if isinstance(wanted, list):
        return isinstance(live, list) and len(live) >= len(wanted) and all(map(covers, live, wanted))
    return bool(live == wanted)


def healthy(live: Object) -> bool:
    """Whether a Deployment has all its replicas; nothing else here has health."""
    if "template" not in (live.get("spec") or {}) or "completions" in live["spec"]:
        return True
    status, wanted = live.get("status") or {}, live["spec"].get("replicas", 1)
    return bool(
        status.get("observedGeneration") == live["metadata"].get("generation")
        and status.get("availableReplicas", 0) == wanted
        and status.get("updatedReplicas", 0) == wanted
    )
