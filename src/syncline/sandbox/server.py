"""The embedded Kubernetes itself: takes requests apart, answers them, and runs the cluster's own controllers.

Built by `syncline.wiring` or a test with a clock and a source of ids; used through `transport` in the same process or
through `syncline.sandbox.serving.http` over a socket. Several sandboxes in one process share nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from syncline.ports.clock import Chance, Clock, Ids
from syncline.sandbox import errors, hooks
from syncline.sandbox.access import rbac as access
from syncline.sandbox.access.rbac import User
from syncline.sandbox.api import answers, negotiation, requests, routing
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.api.watches import Watches
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster import bootstrap
from syncline.sandbox.cluster.controls import Controls, Faults, ScheduledFault, When
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.controllers import runtime
from syncline.sandbox.served import discovery, health, measures, openapi
from syncline.sandbox.served.resources import ServedKinds
from syncline.sandbox.serving import webhooks
from syncline.sandbox.store import restoring
from syncline.sandbox.store.expiry import EventExpiry
from syncline.sandbox.store.history import HistoryLimits
from syncline.sandbox.store.store import Bucket, Journal, ObjectStore
from syncline.sandbox.timers import Timer, Timers

if TYPE_CHECKING:
    from syncline.sandbox.serving.transport import InProcessTransport


_MOST_WEBHOOKS: Final = 100
"""So many answers of webhooks one request may need."""


class Handled(msgspec.Struct, frozen=True):
    """One request as it was answered, for tests and audits."""

    method: str
    path: str
    user: str
    manager: str
    code: int
    annotations: Mapping[str, str] = {}
    """What admission policies wrote into its audit record."""


def _journal(folder: str) -> Journal | None:
    if not folder:
        return None
    from syncline.sandbox.store import journal

    return journal.open_folder(folder)


class Sandbox:
    """One simulated cluster.

    Raises `syncline.sandbox.store.journal.DataFolderError` when its data folder cannot be used.
    """

    def __init__(
        self,
        clock: Clock,
        ids: Ids,
        chance: Chance | None = None,
        settings: SandboxSettings = SandboxSettings(),  # noqa: B008 - frozen
    ) -> None:
        registry = ServedKinds()
        self.backend = Backend(
            clock=clock,
            ids=ids,
            chance=chance,
            settings=settings,
            store=ObjectStore(
                history=HistoryLimits(changes=settings.watch_history, seconds=settings.watch_history_seconds),
                journal=_journal(settings.data),
                monotonic=clock.monotonic,
            ),
            registry=registry,
            timers=Timers(clock),
            hooks=hooks.Hooks(clock.monotonic, webhooks.call),
        )
        self.watches = Watches(self.backend)
        self.on_request: Callable[[Handled], None] | None = None
        """Called with every request once it is answered; set it to keep an audit."""
        self._faults = Faults()
        self._timeline: dict[int, Timer] = {}
        self._started = False
        self._measures = measures.Measures(settings.version)
        self._discovery = discovery.DiscoveryDocuments(registry)
        self._openapi = openapi.OpenApi(registry, settings.version)
        self._controllers = runtime.ControllerRuntime(self.backend)
        self._event_expiry = EventExpiry(
            self.backend.store,
            self.backend.timers,
            clock,
            seconds=settings.event_seconds,
            limit=settings.event_limit,
        )

    async def start(self) -> None:
        """Create what every cluster has and start the controllers."""
        restoring.restore(self.backend)
        self._event_expiry.start()
        self._controllers.start()
        bootstrap.populate(self.backend)
        self._started = True
        self.backend.hooks.open = True
        self._begin_timeline()

    async def stop(self) -> None:
        """End watches and controllers, and give the data folder free; the objects stay readable."""
        self.watches.close_all()
        self._event_expiry.stop()
        await self._controllers.stop()
        await self.backend.timers.close()
        self.backend.store.close()

    def trust(self, authority: str) -> None:
        """Name the certificate with which clients trust this cluster; what holds it is brought up to date."""
        self.backend.authority = authority
        self._controllers.look_again(Bucket("", "namespaces"), Bucket("", "secrets"))

    async def settled(self) -> None:
        """Wait until no controller has work at hand; timers may still be pending."""
        await self._controllers.settled()

    def compact(self) -> None:
        """Forget the history of changes: watches from older versions get 410 Gone."""
        self.backend.store.compact()

    def transport(self, user: str = "admin", groups: tuple[str, ...] = ("system:masters",)) -> InProcessTransport:
        """Return a way into this sandbox as one user, without a socket."""
        from syncline.sandbox.serving.transport import InProcessTransport

        return InProcessTransport(self, User(user, groups))

    @property
    def controls(self) -> Controls:
        """Faults and admission rules in force; assign to change them."""
        return self.backend.controls

    @controls.setter
    def controls(self, controls: Controls) -> None:
        self.backend.controls = controls
        self._faults = Faults()
        for timer in self._timeline.values():
            timer.cancel()
        self._timeline = {}
        if self._started:
            self._begin_timeline()

    def _begin_timeline(self) -> None:
        for place, happening in enumerate(self.controls.timeline):
            self._plan(place, happening, happening.at or happening.every)

    def _plan(self, place: int, happening: ScheduledFault, seconds: float) -> None:
        def happen() -> None:
            if happening.do == "compact":
                self.compact()
            else:
                self.watches.cut(Bucket(happening.group, happening.resource) if happening.resource else None)
            if happening.every:
                self._plan(place, happening, happening.every)

        self._timeline[place] = self.backend.timers.call_later(seconds, happen)

    async def respond(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, user: User
    ) -> ServerResponse:
        """Answer one request with the faults in force; raises `ConnectionResetError` when one cuts it off."""
        if not self.controls.faults:
            return await self._asked(method, path, headers, body, user)
        refused = await self._fail("before", method, path, user)
        if refused is not None:
            return refused
        answer = await self._asked(method, path, headers, body, user)
        refused = await self._fail("after", method, path, user)
        if refused is not None:
            await answer.close()
            return refused
        return answer

    async def _asked(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, user: User
    ) -> ServerResponse:
        """Answer one request; where a webhook must speak first, it is asked and the request begins again."""
        keys: list[bytes] = []
        try:
            for _ in range(_MOST_WEBHOOKS):
                try:
                    return self.handle(method, path, headers, body, user)
                except hooks.Awaiting as awaiting:
                    keys.append(awaiting.call.key)
                    await self.backend.hooks.fetch(awaiting.call)
            return answers.failure(errors.StatusError(500, "InternalError", "webhooks are asked without an end"))
        finally:
            self.backend.hooks.forget(keys)

    async def _fail(self, when: When, method: str, path: str, user: User) -> ServerResponse | None:
        fault = self._faults.due(self.controls, when, method, path, user.name)
        if fault is None:
            return None
        if fault.delay:
            await self.backend.clock.sleep(fault.delay)
        if fault.cut:
            raise ConnectionResetError(fault.message)
        if not fault.code:
            return None
        refusal = errors.StatusError(fault.code, fault.reason, fault.message, retry_after=fault.retry_after)
        return answers.failure(refusal)

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes, user: User) -> ServerResponse:
        """Answer one request; header names are in lower case."""
        noted = self.backend.annotated = {}
        answer = self._answer(method, path, headers, body, user)
        self._measures.count(method, answer.status)
        if self.on_request is not None:
            _, query = routing.split(path)
            manager = query.get("fieldManager") or headers.get("user-agent", "").split("/", 1)[0]
            self.on_request(Handled(method, path, user.name, manager, answer.status, noted))
        return answer

    def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes, user: User) -> ServerResponse:
        answer = self._answer_in_json(method, path, headers, body, user)
        if "yaml" in headers.get("accept", "") and negotiation.wants_yaml(headers["accept"]):
            negotiation.in_yaml(answer)
        return answer

    def _answer_in_json(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, user: User
    ) -> ServerResponse:
        bare, query = routing.split(path)
        try:
            route = routing.parse(bare)
            if route is None or not route.plural:
                access.check_path(self.backend, user, method, bare)
                document = None if "//" in bare else self._document(method, bare, query, headers)
                return document or self._nothing(bare)
            if "//" in bare:
                return self._nothing(bare)
            call = requests.Call(
                verb=routing.verb(method, route, query),
                route=route,
                query=query,
                headers=headers,
                body=body,
                user=user,
                raw_query=path.partition("?")[2],
            )
            return requests.handle(self.backend, self.watches, call)
        except errors.PathNotFound:
            return answers.path_not_found()
        except errors.NobodyAnswers:
            return answers.service_unavailable()
        except errors.StatusError as error:
            return answers.failure(error)

    def _document(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> ServerResponse | None:
        """Answer paths that name no resource; None when this one does."""
        trimmed = path.rstrip("/") or "/"
        accept = headers.get("accept", "")
        healthy = health.answer(trimmed, query)
        if healthy is not None:
            return healthy
        if trimmed == "/":
            return health.paths(self.backend.registry)
        if trimmed in ("/api", "/version") and method != "GET":
            raise errors.method_not_allowed()
        if trimmed == "/metrics":
            return self._measures.answer(self.backend.store, self.watches.count())
        if trimmed == "/version":
            return answers.json(bootstrap.version(self.backend.settings.version))
        if trimmed.startswith("/openapi/"):
            return self._openapi.answer(trimmed, accept)
        if trimmed in ("/api", "/apis"):
            return self._root_document(trimmed, accept)
        return self._group_document([part for part in trimmed.split("/") if part])

    def _root_document(self, path: str, accept: str) -> ServerResponse:
        if discovery.wants_aggregated(accept):
            document = self._discovery.aggregated(core=path == "/api")
            return answers.json(document, content_type=discovery.AGGREGATED)
        return answers.json(self._discovery.versions() if path == "/api" else self._discovery.groups())

    def _nothing(self, path: str) -> ServerResponse:
        """Answer where nothing is served: below a known group the server says so in its own words."""
        if path.startswith("//"):
            return answers.path_not_found()
        parts = [part for part in path.split("/") if part]
        group = "" if parts[:1] == ["api"] else (parts[1] if len(parts) > 1 else None)
        if parts[:1] in (["api"], ["apis"]) and any(known.group == group for known in self.backend.registry.all()):
            return answers.failure(errors.resource_not_found())
        return answers.path_not_found()

    def _group_document(self, parts: list[str]) -> ServerResponse | None:
        found = None
        if len(parts) == 2 and parts[0] == "api":
            found = self._discovery.resources("", parts[1])
        elif len(parts) == 2 and parts[0] == "apis":
            found = self._discovery.group(parts[1])
        elif len(parts) == 3 and parts[0] == "apis":
            found = self._discovery.resources(parts[1], parts[2])
        return None if found is None else answers.json(found)
