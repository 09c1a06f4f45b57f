"""Reads everything a decision about one Application needs, and freezes it.

Called by `syncline.controller.reconcile` (and by the command line, which reads the cluster once). What cannot be read
becomes a `Trouble` in the snapshot, with the words people will see; nothing is guessed.
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of, key_of
from syncline.controller.interest import Interest
from syncline.controller.live import LiveCluster
from syncline.controller.queue import AppKey
from syncline.controller.renders import Capabilities, capabilities
from syncline.controller.sources import Sources
from syncline.controller.world import World
from syncline.core.compare import tracking
from syncline.core.compare.prepare import prepare
from syncline.core.health import checkup, claims, scripts
from syncline.core.policy import projects
from syncline.model import application, names, project
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.errors import InvalidSpec, SynclineError
from syncline.model.reason import Reason
from syncline.model.snapshot import ScriptedHealth, Snapshot, Trouble
from syncline.model.source import ApplicationSource
from syncline.ports.kube import ApiError, Discovery

APPLICATION = GroupKind(names.GROUP, "Application")
PROJECT = GroupKind(names.GROUP, "AppProject")
STORAGE_CLASS = GroupKind("storage.k8s.io", "StorageClass")


class Observer:
    """Builds snapshots. `home` is the live view of the cluster with the Applications."""

    def __init__(self, world: World, home: LiveCluster, sources: Sources, interest: Interest) -> None:
        self._world = world
        self._home = home
        self._sources = sources
        self._interest = interest
        self._capabilities_known = Capabilities()
        self._capabilities_of: Discovery | None = None

    async def observe(self, key: AppKey) -> Snapshot | None:
        """Return the snapshot of one Application; None when it is gone, `InvalidSpec` when it cannot be read."""
        obj = self._home.index.get(application_key(key))
        if obj is None:
            self._sources.forget(key)
            self._interest.forget(key)
            return None
        app = application.parse(obj)
        project_obj, denials = self._project(app)
        troubles = (self._destination_troubles(app) or denials) + self._cluster_troubles()
        desired, newest, source_troubles = await self._desired(key, app)
        return await self._snapshot(app, obj, project_obj, desired, newest, [*troubles, *source_troubles])

    async def _snapshot(
        self,
        app: Application,
        obj: Object,
        project_obj: Object | None,
        desired: Desired | None,
        newest: tuple[str, ...],
        troubles: list[Trouble],
    ) -> Snapshot:
        kinds = self._home.kinds()
        live = await self._live(app, desired)
        wanted = {gvk_of(item.obj).group_kind for item in desired.objects} if desired else set()
        return Snapshot(
            as_of=self._world.now(),
            app=obj,
            settings=self._world.settings,
            project=project_obj,
            desired=desired,
            newest_revisions=newest,
            live=live,
            kinds=kinds,
            schemas=self._home.definitions(wanted),
            surroundings=self._surroundings(live),
            scripted=await self._scripted(live),
            complete=not self._home.failures and not self._home.discovery.failed and not self._home.unreachable,
            incomplete_groups=tuple(sorted({*map(str, self._home.failures), *self._home.discovery.failed})),
            troubles=tuple(troubles),
            desired_elsewhere=self._desired_elsewhere(app, live),
        )

    def _desired_elsewhere(self, app: Application, live: tuple[Object, ...]) -> tuple[ObjectKey, ...]:
        """Return the objects that another Application desires: those are handed over, not pruned."""
        myself = AppKey(app.metadata.namespace, app.metadata.name)
        return tuple(key for key in map(key_of, live) if self._interest.apps(key) - {myself})

    def _surroundings(self, live: tuple[Object, ...]) -> tuple[Object, ...]:
        """Return the StorageClasses where the app has claims, since those say what a pending claim means."""
        claimed = any(gvk_of(obj).group_kind == claims.CLAIM for obj in live)
        return tuple(self._home.index.of_kind(STORAGE_CLASS)) if claimed else ()

    async def _scripted(self, live: tuple[Object, ...]) -> tuple[ScriptedHealth, ...]:
        """Return what the settings' health scripts say about the objects they are for."""
        overrides = self._world.settings.overrides
        chosen = [(obj, script) for obj in live if overrides and (script := scripts.script(obj, overrides))]
        if not chosen:
            return ()
        results = await self._world.evaluator.evaluate([script for _, script in chosen])
        return tuple(
            ScriptedHealth(key_of(obj), checkup.version_of(obj), scripts.read(result))
            for (obj, _), result in zip(chosen, results, strict=True)
        )

    def _project(self, app: Application) -> tuple[Object | None, list[Trouble]]:
        name = app.spec.project or "default"
        obj = self._home.index.get(ObjectKey(PROJECT.group, PROJECT.kind, self._world.settings.namespace, name))
        if obj is None:
            known = ", ".join(str(item["metadata"]["name"]) for item in self._home.index.of_kind(PROJECT)) or "none"
            message = f"Application referencing project {name} which does not exist (projects here: {known})"
            return None, [_invalid(message)]
        try:
            typed = project.parse(obj)
        except InvalidSpec as error:
            return obj, [_invalid(str(error))]
        return obj, [_invalid(message) for message in projects.denials(app, typed)]

    def _destination_troubles(self, app: Application) -> list[Trouble]:
        destination = app.spec.destination
        if destination.server and destination.name:
            return [_invalid("application destination can't have both name and server defined: remove one of them")]
        if not destination.server and not destination.name:
            return [_invalid("Destination server missing from app spec: set spec.destination.server or .name")]
        if self._world.clusters.find(server=destination.server, name=destination.name) is None:
            known = ", ".join(self._world.clusters.names())
            wanted = destination.server or destination.name
            return [_invalid(f"there are no clusters with this name or address: {wanted} (known: {known})")]
        return []

    def _cluster_troubles(self) -> list[Trouble]:
        if not self._home.unreachable:
            return []
        message = f"Failed to load live state: {self._home.unreachable}"
        return [Trouble(Reason.CLUSTER_UNREACHABLE, message)]

    async def _desired(self, key: AppKey, app: Application) -> tuple[Desired | None, tuple[str, ...], list[Trouble]]:
        newest: tuple[str, ...] = ()
        try:
            source = single_source(app)
            fresh = names.REFRESH in app.metadata.annotations
            newest = (await self._sources.newest(key, source, fresh=fresh),)
            pinned = pinned_revision(app)
            if not pinned and (asked := asked_revision(app)):
                pinned = await self._sources.resolve(source, asked)
            cluster = self._capabilities()
            return await self._sources.render(app, source, pinned or newest[0], cluster), newest, []
        except InvalidSpec as error:
            return None, newest, [_invalid(str(error))]
        except SynclineError as error:
            return None, newest, [Trouble(Reason.SOURCE_FAILED, f"Failed to load target state: {error}")]

    def _capabilities(self) -> Capabilities:
        """Return what the cluster can do; worked out again only when it was discovered again."""
        if self._capabilities_of is not self._home.discovery:
            self._capabilities_of = self._home.discovery
            self._capabilities_known = capabilities(self._capabilities_of)
        return self._capabilities_known

    async def _live(self, app: Application, desired: Desired | None) -> tuple[Object, ...]:
        """Return the app's objects, the live counterparts of what it desires, and everything those own."""
        settings, index = self._world.settings, self._home.index
        instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
        keys = set(index.owned_by(instance))
        keys.add(ObjectKey("", "Namespace", "", app.spec.destination.namespace))
        versions: dict[ObjectKey, str] = {}
        if desired is not None:
            scopes = {fact.kind: fact.namespaced for fact in self._home.kinds()}
            prepared = prepare(desired, app, settings, scopes)
            versions = {item.key: item.version for item in (*prepared.objects, *prepared.hooks)}
            keys |= set(versions)
            self._interest.set(AppKey(app.metadata.namespace, app.metadata.name), set(versions))
        found = index.with_descendants(keys)
        return tuple([await self._in_version(obj, versions) for obj in found])

    async def _in_version(self, obj: Object, versions: dict[ObjectKey, str]) -> Object:
        """Return the object in the API version Git uses, asking the server to convert it where that differs."""
        gvk = gvk_of(obj)
        metadata = obj.get("metadata") or {}
        key = ObjectKey(gvk.group, gvk.kind, str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
        wanted = versions.get(key, gvk.version)
        resource = self._home.resource(gvk.group_kind, wanted) if wanted != gvk.version else None
        if resource is None:
            return obj
        try:
            return await self._world.home.get(resource, key.namespace, key.name) or obj
        except ApiError:
            return obj


def application_key(key: AppKey) -> ObjectKey:
    """Return the object key of an Application."""
    return ObjectKey(APPLICATION.group, APPLICATION.kind, key.namespace, key.name)


def single_source(app: Application) -> ApplicationSource:
    """Return the one source of an Application; raises `InvalidSpec` where there is none or more than one."""
    sources = app.spec.all_sources
    if app.spec.source_hydrator is not None:
        raise InvalidSpec("spec.sourceHydrator is not supported yet: use spec.source")
    if not sources:
        raise InvalidSpec("spec.source.repoURL and either spec.source.path or spec.source.chart are required")
    if len(sources) > 1:
        raise InvalidSpec("several sources in spec.sources are not supported yet: use spec.source")
    source = sources[0]
    if not source.repo_url or not (source.path or source.chart):
        raise InvalidSpec("spec.source.repoURL and either spec.source.path or spec.source.chart are required")
    return source


def pinned_revision(app: Application) -> str:
    """Return the commit a running operation is bound to; empty when none is running."""
    state = app.status.operation_state
    if state is not None and not state.phase.completed and state.sync_result is not None:
        return state.sync_result.revision
    return ""


def asked_revision(app: Application) -> str:
    """Return the revision that a sync which is asked for, but not started yet, names; empty for the newest."""
    state = app.status.operation_state
    started = state is not None and not state.phase.completed
    return app.operation.sync.revision if app.operation and app.operation.sync and not started else ""


def _invalid(message: str) -> Trouble:
    return Trouble(Reason.SPEC_INVALID, message, "InvalidSpecError")
