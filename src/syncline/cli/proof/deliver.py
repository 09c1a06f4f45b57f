"""Brings the repository around a folder up on an embedded Kubernetes, in virtual time.

Called by `syncline.cli.check`. The files are committed to a repository of their own, which stands for every address of
the checkout; what nothing in the repository delivers is applied by hand, apps that nobody syncs are synced, and then
one waits until nothing changes any more. Operators are played where the sandbox knows them: their objects get healthy
without anything behind them, so they are named.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from syncline import wiring
from syncline.api.applications import RenderFlags
from syncline.api.repository.snapshot import Taken, snapshot
from syncline.cli.run.example_repo import git
from syncline.cli.run.install import create, missing
from syncline.cli.run.settling import Statuses, settled, status_of
from syncline.controller.app_key import APPLICATION, AppKey
from syncline.core.diagnose.repository.world import cluster_of, typed_app
from syncline.core.policy.namespaces import permitted
from syncline.model import names
from syncline.model.fleet import FleetSnapshot
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.controller.controller import Controller
    from syncline.model.diagnosis import Diagnosis
    from syncline.ports.clock import Clock
    from syncline.ports.kube import Cluster

GOOD = ("Synced", "Healthy")
_ROUNDS = 6


class NotHealthy(msgspec.Struct, frozen=True):
    """An app that never became what it should be."""

    name: str
    sync: str
    health: str
    message: str


class Delivered(msgspec.Struct, frozen=True, kw_only=True):
    """How a repository came up: how many apps, which never got healthy, why, and what this does not prove."""

    apps: int
    good: int
    bad: tuple[NotHealthy, ...]
    diagnosis: Diagnosis
    played: tuple[str, ...]
    left_out: tuple[str, ...]
    minutes: float
    absent: tuple[str, ...] = ()
    """Apps that were never created, because what creates them waits or fails."""


async def deliver(root: Path, wanted: RenderFlags, cluster: Path | None = None, *, fetch: bool = False) -> Delivered:
    """Bring a repository up; to be run on the loop in virtual time. Without `fetch` no server is asked."""
    clock = wiring.virtual_clock()
    taken = await snapshot(root, wanted, fetch=fetch)
    operators = _operators(taken)
    with tempfile.TemporaryDirectory(prefix="syncline-proof-") as scratch:
        folder = Path(scratch, root.name)
        await _commit(root, folder, taken)
        copies = dict.fromkeys((*taken.repo.own_addresses, *_spellings(taken)), str(folder))
        sandbox = wiring.described_sandbox(cluster=cluster, operators=operators, time=clock)
        settings = msgspec.structs.replace(taken.repo.settings.settings, refresh_interval=180.0, refresh_jitter=0.0)
        await sandbox.start()
        client = wiring.client(sandbox.transport(user="syncline"))
        ports = wiring.world(client, settings, _Silent(), [scratch], copies, time=clock, alone=not fetch)
        controller = wiring.controller(ports)
        try:
            begun = clock.monotonic()
            awaited, left_out = await _apply_roots(client, taken, settings)
            await controller.start()
            proof = _Proof(client, controller, clock, awaited)
            await proof.come_up()
            told = await proof.told(operators, left_out, (clock.monotonic() - begun) / 60)
            there = {str(app["metadata"]["name"]) for app in proof.apps()}
            return msgspec.structs.replace(told, absent=tuple(sorted(awaited - there)))
        finally:
            await controller.stop()
            await ports.evaluator.close()
            await sandbox.stop()


class _Proof:
    def __init__(self, cluster: Cluster, controller: Controller, clock: Clock, awaited: set[str]) -> None:
        self._cluster, self._controller, self._clock, self._awaited = cluster, controller, clock, awaited

    def apps(self) -> list[Object]:
        """Return the Applications that can be delivered; others may come with them, of which nothing can be said."""
        every = self._controller.live.index.of_kind(APPLICATION)
        return [app for app in every if app["metadata"]["name"] in self._awaited]

    def _is_awaited(self, name: object) -> bool:
        return str(name).rpartition("/")[2] in self._awaited

    def statuses(self) -> Statuses:
        """Return how many apps have which status."""
        return Counter(map(status_of, self.apps()))

    async def come_up(self) -> None:
        """Wait, and sync what nobody syncs, until that changes nothing any more."""
        asked: set[str] = set()
        for _ in range(_ROUNDS):
            await settled(self.statuses, self._clock)
            waiting = [app for app in self.apps() if _waits(app) and str(app["metadata"]["uid"]) not in asked]
            if not waiting:
                return
            for app in waiting:
                asked.add(str(app["metadata"]["uid"]))
                await self._sync(app)

    async def _sync(self, app: Object) -> None:
        from syncline.verbs.errors import Refused
        from syncline.verbs.sync import SyncRequest, sync

        key = AppKey(app["metadata"]["namespace"], app["metadata"]["name"])
        try:
            await sync(self._cluster, SyncRequest(app=key, username="proof"))
        except (Refused, ApiError):
            return  # It says itself why, in its status.

    async def told(self, played: tuple[str, ...], left_out: tuple[str, ...], minutes: float) -> Delivered:
        """Return how everything came up."""
        from syncline.core.diagnose.graph.diagnose import diagnose
        from syncline.verbs.fleet.reading import Wish, read_cluster

        read = await read_cluster(self._cluster, Wish(name="sandbox", server=names.IN_CLUSTER_SERVER))
        as_of = self._clock.now().isoformat()
        diagnosis = diagnose(FleetSnapshot(as_of=as_of, origin="the sandbox", clusters=(read.snapshot,)))
        # What keeps apps away that cannot be delivered here is said of those.
        causes = tuple(one for one in diagnosis.causes if not one.affected or any(map(self._is_awaited, one.affected)))
        diagnosis = msgspec.structs.replace(diagnosis, causes=causes)
        apps = self.apps()
        bad = [_not_healthy(app) for app in apps if status_of(app)[1] != "Healthy" or status_of(app)[0] == "Unknown"]
        return Delivered(
            apps=len(apps),
            good=self.statuses()[GOOD],
            bad=tuple(sorted(bad, key=lambda one: one.name)),
            diagnosis=diagnosis,
            played=played,
            left_out=left_out,
            minutes=minutes,
        )


def _waits(app: Object) -> bool:
    automated = ((app.get("spec") or {}).get("syncPolicy") or {}).get("automated")
    return automated is None and status_of(app)[0] == "OutOfSync"


def _not_healthy(app: Object) -> NotHealthy:
    status = app.get("status") or {}
    sync, health = status_of(app)
    told = [str(one.get("message") or "") for one in status.get("conditions") or () if one.get("message")]
    told += [str((status.get("operationState") or {}).get("message") or "")]
    return NotHealthy(str(app["metadata"]["name"]), sync, health, next(filter(None, told), ""))


async def _commit(root: Path, folder: Path, taken: Taken) -> None:
    """Put the files into a repository of their own, with every branch and tag that Applications follow."""
    await wiring.export(root, "", folder)
    await git(folder, "init", "--quiet", "--initial-branch=main")
    await git(folder, "add", "--all", "--force")
    await git(folder, "commit", "--quiet", "--allow-empty", "-m", "As it is")
    for name in sorted(_revisions(taken) - {"", "HEAD", "main"}):
        await git(folder, "branch", "--quiet", name)


def _revisions(taken: Taken) -> set[str]:
    found: set[str] = set()
    for app in taken.repo.apps:
        read = typed_app(app)
        for source in read.spec.all_sources if read is not None and app.desired is not None else ():
            if not source.chart and source.target_revision and " " not in source.target_revision:
                found.add(source.target_revision)
    return {name for name in found if not set(name) & set("*^~><=: ") and not name.startswith("-")}


def _spellings(taken: Taken) -> set[str]:
    """Return the addresses that Applications name and that were read from the checkout."""
    found: set[str] = set()
    for app in taken.repo.apps:
        read = typed_app(app)
        if read is not None and app.desired is not None:
            found |= {source.repo_url for source in read.spec.all_sources if not source.chart and source.repo_url}
    return found


def _operators(taken: Taken) -> tuple[str, ...]:
    """Return the operators that the objects of a repository need and the sandbox can play."""
    kinds = {item.key.group_kind for app in taken.repo.apps if app.desired is not None for item in app.desired.objects}
    words = {kind.group for kind in kinds} | {f"{kind.group}/{kind.kind}" for kind in kinds}
    return tuple(sorted(name for name, groups in wiring.operator_groups().items() if words & set(groups)))


async def _apply_roots(cluster: Cluster, taken: Taken, settings: Settings) -> tuple[set[str], tuple[str, ...]]:
    """Create what nothing in the repository delivers; return the apps that are to come, and what cannot, and why."""
    delivered = {
        (item.key.kind, item.key.name)
        for app in taken.repo.apps
        if app.desired is not None
        for item in app.desired.objects
        if item.key.group == names.GROUP
    }
    left_out: list[str] = []
    objects: dict[tuple[str, str], Object] = {}
    awaited: set[str] = set()
    roots = _roots(taken)
    for app in taken.repo.apps:
        read = typed_app(app)
        namespace = app.manifest.key.namespace or settings.namespace
        if read is not None and cluster_of(read) != names.IN_CLUSTER_SERVER:
            left_out.append(f"{app} is for {cluster_of(read)}, which is not here")
        elif (app.desired is None and not app.problem) or app.incomplete:
            left_out.append(f"{app}: its sources are not here")
        elif not permitted(namespace, settings):
            left_out.append(f"{app}: nobody looks at namespace {namespace}: Argo CD is in {settings.namespace}")
        else:
            awaited.add(app.manifest.key.name)
            if str(app) in roots:
                objects[app.manifest.key.kind, app.manifest.key.name] = app.manifest.obj
    for one in (*(found.manifest for found in taken.repo.sets), *taken.repo.projects):
        if (one.key.kind, one.key.name) not in delivered:
            objects.setdefault((one.key.kind, one.key.name), one.obj)
    placed = [_placed(obj, settings.namespace) for obj in objects.values()]
    namespaces = sorted({obj["metadata"]["namespace"] for obj in placed} - {settings.namespace})
    spaces: list[Object] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in namespaces
    ]
    await create(cluster, [*await missing(cluster, settings.namespace), *spaces])
    await create(cluster, sorted(placed, key=lambda obj: obj["kind"] != "AppProject"))
    return awaited, tuple(dict.fromkeys(left_out))


def _roots(taken: Taken) -> set[str]:
    """Return the apps that somebody has to create: those that nothing delivers, and one of each ring of apps.

    An app of apps that delivers itself is such a ring.
    """
    generated = {name for one in taken.repo.sets for name in one.apps}
    children = {str(app): {item.key.name for item in app.children} for app in taken.repo.apps}
    inside = {name for found in children.values() for name in found} | generated
    roots = {str(app) for app in taken.repo.apps if app.manifest.key.name not in inside}
    known = {app.manifest.key.name: str(app) for app in taken.repo.apps}
    own = [str(app) for app in taken.repo.apps if app.manifest.key.name in children[str(app)]]
    reached = _reached(roots, children, known)
    for name in (*own, *children):
        if name not in reached and name.rpartition("/")[2] not in generated:
            roots.add(name)
            reached |= _reached({name}, children, known)
    return roots


def _reached(roots: set[str], children: Mapping[str, set[str]], known: Mapping[str, str]) -> set[str]:
    found, waiting = set(roots), list(roots)
    while waiting:
        for name in children[waiting.pop()]:
            if name in known and known[name] not in found:
                found.add(known[name])
                waiting.append(known[name])
    return found


def _placed(obj: Object, namespace: str) -> Object:
    metadata = {**obj["metadata"], "namespace": obj["metadata"].get("namespace") or namespace}
    return {**obj, "metadata": metadata}


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing."""
