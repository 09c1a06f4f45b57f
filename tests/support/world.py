"""One controller and one cluster: what component tests drive, on the sandbox and on a real API server alike.

`Bed` is what a story sees; `SandboxBed` plays it in one process with time, names and chance from the loop and a seed,
`tests.real.bed` on a real kube-apiserver. Tests read and write through a client of their own, as another user would.
"""

from __future__ import annotations

import abc
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import orjson

from syncline.adapters.kube.client import KubeCluster
from syncline.adapters.render.renderer import ToolRenderer
from syncline.apimachinery.keys import GroupKind, Object, split_api_version
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.controller.controller import Controller
from syncline.controller.runtime.shards import Shards
from syncline.controller.world import World
from syncline.model import crds
from syncline.model.progress import Progress
from syncline.model.script import Evaluated, Script
from syncline.model.settings.settings import Settings
from syncline.ports.clock import Clock
from syncline.ports.evaluate import Evaluator
from syncline.ports.kube import ApiResource, Connector
from syncline.ports.render import Renderer
from syncline.ports.source import Accessible, FullCharts, FullSource
from syncline.ports.transport import Request, Response, Transport, TransportError
from syncline.ports.web import Web
from syncline.sandbox.cluster.outside import KnownImages
from syncline.sandbox.cluster.settings import Container, SandboxSettings
from syncline.sandbox.server import Handled, Sandbox
from tests.support.answers import PassedOn
from tests.support.clocks import LoopClock, SeededChance, SeededIds
from tests.support.fake_source import MemorySource
from tests.support.schema_check import unknown_fields

API = "argoproj.io/v1alpha1"
SETTINGS = Settings(refresh_interval=5.0, refresh_jitter=0.0)
USER = "somebody"
# Jobs of image example/job:1 end well, those of example/job:bad do not; images tagged missing cannot be pulled.
PLAYED = SandboxSettings(
    containers=(Container(image="example/job:1", exit_code=0), Container(image="example/job:bad", exit_code=3)),
    images=KnownImages(unknown=("*:missing",)),
)


class Events:
    """A sink that keeps everything."""

    def __init__(self) -> None:
        self.seen: list[Progress] = []

    def emit(self, event: Progress) -> None:
        self.seen.append(event)


class NoScripts:
    """An evaluator for settings that have no scripts."""

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        raise AssertionError(f"no script was expected: {batch[0].text}")

    async def close(self) -> None:
        pass


class Bed(abc.ABC):
    """A cluster with Argo CD's kinds installed, a repository in memory, and controllers to start and to kill.

    `control` is the namespace of the Applications, `target` the one they deliver to.
    """

    patience = 120.0
    quiet_time = 60.0
    still_time = 2.0
    pause = 0.25
    prompt = 1.0
    """Within how many seconds that happens which has nothing to wait for."""

    def __init__(
        self,
        user: KubeCluster,
        clock: Clock,
        settings: Settings,
        *,
        seed: int = 0,
        target: str = "web",
        source: FullSource | None = None,
        evaluator: Evaluator | None = None,
    ) -> None:
        self.user = user
        self.clock = clock
        self.settings = settings
        self.control = settings.namespace
        self.target = target
        self.source = MemorySource()
        self._source: FullSource = source or self.source
        self._readers: list[Accessible] = [] if source is None else [source]
        """Who is handed the credentials of the installation: a source in memory needs none."""
        self._evaluator: Evaluator = evaluator or NoScripts()
        self.events = Events()
        self.failures: list[tuple[str, BaseException]] = []
        self.writes: list[str] = []
        """Method and path of what controllers wrote, successfully."""
        self.violations: list[str] = []
        """Fields that controllers wrote into Applications and that Argo CD's schema does not know."""
        self.propagations: list[str] = []
        """What controllers said should become of the children of what they deleted."""
        self.connector: Connector | None = None
        """Opens the clusters that Secrets describe; without one there is only the home cluster."""
        self.charts: FullCharts | None = None
        """Reads charts; without one there are only repositories."""
        self.web: Web | None = None
        """Asks code hosts and plugins; without one none is asked."""
        self.renderer: Renderer = ToolRenderer()
        self.overlay: Callable[[Settings], Settings] | None = None
        """With one, controllers follow the ConfigMaps of the installation."""
        self._seed = seed
        self._controllers = 0
        self._served: dict[tuple[str, str], ApiResource] = {}

    def serve(self, source: FullSource) -> None:
        """Let controllers read from this source."""
        self._source = source

    @abc.abstractmethod
    def transport(self) -> Transport:
        """Return a way into the cluster for a controller."""

    async def start(self) -> None:
        """Install the kinds, the namespace and the default project."""
        for crd in (crds.application_crd(), crds.appproject_crd()):
            await self.apply(crd)
        await self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.control}})
        await self.until(lambda: self.served("applications"), "applications are served")
        await self.until(lambda: self.served("appprojects"), "projects are served")
        await self.apply(default_project(self.control))

    @abc.abstractmethod
    async def stop(self) -> None:
        """Release what was started."""

    async def served(self, plural: str) -> bool:
        discovery = await self.user.discover()
        return any(resource.plural == plural for resource in discovery.resources)

    def client(self, transport: Transport) -> KubeCluster:
        """Return a client over a transport."""
        return KubeCluster(transport)

    def controller(
        self, transport: Transport | None = None, mode: OwnershipMode = OwnershipMode.ACT, shards: Shards | None = None
    ) -> Controller:
        """Return a new controller, over a transport of its own."""
        return self.controller_of(self.world(transport), mode, shards)

    def controller_of(
        self, world: World, mode: OwnershipMode = OwnershipMode.ACT, shards: Shards | None = None
    ) -> Controller:
        """Return a new controller with these ports."""
        return Controller(
            world,
            on_failure=lambda what, error: self.failures.append((what, error)),
            overlay=self.overlay,
            readers=self._readers,
            mode=mode,
            shards=shards,
        )

    def world(self, transport: Transport | None = None) -> World:
        """Return the ports of a new controller."""
        self._controllers += 1
        cluster = KubeCluster(Checked(transport or self.transport(), self.violations, self.propagations))
        name = f"{self._seed}-{self._controllers}"
        return World(
            home=cluster,
            source=self._source,
            renderer=self.renderer,
            evaluator=self._evaluator,
            clock=self.clock,
            ids=SeededIds(name),
            chance=SeededChance(name),
            sink=self.events,
            settings=self.settings,
            connector=self.connector,
            charts=self.charts,
            web=self.web,
        )

    async def resource(self, api_version: str, kind: str) -> ApiResource:
        """Return how a kind is served; a kind that was once served is not asked for again."""
        known = self._served.get((api_version, kind))
        if known is None:
            group, version = split_api_version(api_version)
            known = (await self.user.discover()).find(GroupKind(group, kind), version)
            assert known is not None, f"{api_version} {kind} is not served"
            self._served[(api_version, kind)] = known
        return known

    async def apply(self, obj: Object) -> Object:
        """Apply an object as a user would."""
        resource = await self.resource(obj["apiVersion"], obj["kind"])
        return await self.user.apply(resource, obj, manager="kubectl")

    async def get(self, kind: str, name: str, api_version: str = "apps/v1", namespace: str = "") -> Object | None:
        """Return an object of the target namespace."""
        return await self.user.get(await self.resource(api_version, kind), namespace or self.target, name)

    async def must_get(self, kind: str, name: str, api_version: str = "apps/v1") -> Object:
        """Return an object that has to be there."""
        found = await self.get(kind, name, api_version)
        assert found is not None, f"{kind}/{name} is not there"
        return found

    async def delete(self, kind: str, name: str, api_version: str = "apps/v1", namespace: str = "") -> None:
        resource = await self.resource(api_version, kind)
        await self.user.delete(resource, namespace or self.target, name, propagation="Background")

    async def patch(
        self, kind: str, name: str, patch: Any, api_version: str = "apps/v1", namespace: str = ""
    ) -> Object:
        resource = await self.resource(api_version, kind)
        return await self.user.patch(resource, namespace or self.target, name, patch, manager="kubectl-edit")

    async def find_app(self, name: str = "web") -> Object | None:
        return await self.get("Application", name, API, self.control)

    async def app(self, name: str = "web") -> Object:
        found = await self.find_app(name)
        assert found is not None, f"Application {name} is gone"
        return found

    async def app_status(self, name: str = "web") -> dict[str, Any]:
        return (await self.app(name)).get("status") or {}

    async def phase(self, name: str = "web") -> str:
        """Return the phase of the app's last operation."""
        return str(((await self.app_status(name)).get("operationState") or {}).get("phase") or "")

    async def status(self, name: str = "web") -> tuple[str, str]:
        """Return sync status and health."""
        status = await self.app_status(name)
        return (status.get("sync") or {}).get("status", ""), (status.get("health") or {}).get("status", "")

    def application(self, name: str = "web", *, automated: dict[str, Any] | None = None, **spec: Any) -> Object:
        """Return an Application of the repository's folder apps/web."""
        policy: dict[str, Any] = {"syncOptions": ["CreateNamespace=true"]}
        if automated is not None:
            policy["automated"] = automated
        return {
            "apiVersion": API,
            "kind": "Application",
            "metadata": {"name": name, "namespace": self.control},
            "spec": {
                "project": "default",
                "source": {"repoURL": "https://git.example/repo.git", "path": "apps/web", "targetRevision": "main"},
                "destination": {"server": "https://kubernetes.default.svc", "namespace": self.target},
                "syncPolicy": policy,
                **spec,
            },
        }

    async def until(self, done: Callable[[], Awaitable[bool]], what: str) -> None:
        """Wait until something is true."""
        deadline = self.clock.monotonic() + self.patience
        while not await done():
            assert not self.failures, self.failures
            assert self.clock.monotonic() < deadline, f"after {self.patience} s still not: {what}"
            await self.clock.sleep(self.pause)

    async def until_status(self, sync: str, health: str, name: str = "web") -> None:
        async def reached() -> bool:
            return await self.status(name) == (sync, health)

        try:
            await self.until(reached, f"{sync} and {health}")
        except AssertionError as error:
            raise AssertionError(f"{error}: {await self.app_status(name)}") from None

    async def until_delivered(self, name: str = "web") -> None:
        """Wait until the app is Synced and Healthy and its operation is over."""

        async def delivered() -> bool:
            app = await self.app(name)
            return await self.status(name) == ("Synced", "Healthy") and (
                await self.phase(name) == "Succeeded" and "operation" not in app
            )

        try:
            await self.until(delivered, "delivered")
        except AssertionError as error:
            raise AssertionError(f"{error}: {await self.app_status(name)}") from None

    async def still(self) -> None:
        """Wait until controllers have stopped writing: what is seen of a write comes before its writer hears of it."""
        seen = -1

        async def unchanged() -> bool:
            nonlocal seen
            before, seen = seen, len(self.writes)
            if before != seen:
                await self.clock.sleep(self.still_time)
            return before == seen

        await self.until(unchanged, "controllers write no more")

    async def quiet(self) -> None:
        """Give anything that might still happen time to happen."""
        await self.clock.sleep(self.quiet_time)


class Checked:
    """A transport that holds every patch of an Application against Argo CD's schema: nothing of it may be pruned.

    It also notes what is said about the children of what is deleted.
    """

    def __init__(self, inner: Transport, violations: list[str], propagations: list[str]) -> None:
        self._inner = inner
        self._violations = violations
        self._propagations = propagations

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if request.method == "PATCH" and "/applications/" in request.path and "merge-patch" in str(request.headers):
            self._violations += unknown_fields(orjson.loads(request.body), crds.application_crd())
        if request.method == "DELETE":
            self._propagations.append(str(orjson.loads(request.body).get("propagationPolicy")))
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()


class Line:
    """A transport that can be cut: while it is down, nothing is answered and every stream breaks."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.down = False

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if self.down:
            raise TransportError("cannot reach the cluster: connection refused")
        return Cuttable(await self._inner.send(request, timeout=timeout), self)

    async def close(self) -> None:
        await self._inner.close()


class Cuttable(PassedOn):
    """An answer over a line that may be cut while it is read."""

    def __init__(self, inner: Response, line: Line) -> None:
        super().__init__(inner)
        self._line = line

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in super().chunks():
            if self._line.down:
                raise TransportError("the connection was reset")
            yield chunk


class SandboxBed(Bed):
    """A bed on a sandbox of its own, in virtual time."""

    def __init__(
        self,
        seed: int = 0,
        settings: Settings = SETTINGS,
        source: FullSource | None = None,
        evaluator: Evaluator | None = None,
        played: SandboxSettings = PLAYED,
    ) -> None:
        clock = LoopClock()
        self.sandbox = Sandbox(clock, SeededIds(f"sandbox-{seed}"), settings=played)
        super().__init__(
            KubeCluster(self.sandbox.transport(user=USER)),
            clock,
            settings,
            seed=seed,
            source=source,
            evaluator=evaluator,
        )

    def transport(self) -> Transport:
        return self.sandbox.transport(user="syncline")

    async def start(self) -> None:
        await self.sandbox.start()
        self.sandbox.on_request = self._note
        await super().start()

    async def stop(self) -> None:
        await self.sandbox.stop()

    def _note(self, done: Handled) -> None:
        if done.user == "syncline" and done.method != "GET" and done.code < 300:
            self.writes.append(f"{done.method} {done.path}")


def default_project(namespace: str) -> Object:
    return {
        "apiVersion": API,
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": namespace},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"server": "*", "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }
