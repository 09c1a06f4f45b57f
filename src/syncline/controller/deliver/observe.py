"""Reads everything a decision about one Application needs, and freezes it.

Called by `syncline.controller.deliver.reconcile` with what is stored, and by `syncline.verbs.look` also with what an
Application might be. What cannot be read becomes a `Trouble` in the snapshot, with the words people will see; nothing
is guessed.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.app_key import AppKey
from syncline.controller.clusters.destinations import Destinations, OpenDestination
from syncline.controller.coexistence.ownership import as_ours
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.deliver.orphans import Orphans
from syncline.controller.deliver.survey import Survey, survey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.sources import handed_in as manifests
from syncline.controller.sources.capabilities import Capabilities, capabilities
from syncline.controller.sources.desired import DesiredSources
from syncline.controller.sources.verification import UnverifiedError, refuse_handed_in
from syncline.controller.world import World
from syncline.core.compare.prepared import Preparations
from syncline.core.health import scripts
from syncline.core.policy import global_projects, namespaces, projects, scoped_clusters
from syncline.core.sources import asked_revisions, is_asked_for, operated, pinned_revisions, sources_of
from syncline.model import names, project
from syncline.model.application import Application, Destination
from syncline.model.condition import ConditionType
from syncline.model.desired import Desired
from syncline.model.errors import InvalidSpec, SynclineError
from syncline.model.project import ProjectSpec
from syncline.model.reason import Reason
from syncline.model.snapshot import ScriptedHealth, Snapshot, Trouble
from syncline.ports.kube import Discovery

APPLICATION = GroupKind(names.GROUP, "Application")
PROJECT = GroupKind(names.GROUP, "AppProject")


class Observer:
    """Builds snapshots. `home` is the live view of the cluster with the Applications."""

    def __init__(
        self,
        world: World,
        home: LiveCluster,
        sources: DesiredSources,
        interest: Interest,
        destinations: Destinations | None = None,
        lookout: Lookout | None = None,
    ) -> None:
        self._world = world
        self._home = home
        self._sources = sources
        self._destinations = destinations or Destinations(world, home, interest)
        self._lookout = lookout or Lookout()
        self._capabilities_known = WeakKeyDictionary[LiveCluster, tuple[Discovery, Capabilities]]()
        self._last_place: dict[AppKey, OpenDestination] = {}
        self.orphans = Orphans(world)
        self.prepared = Preparations()
        """What was worked out for snapshots, for those who assess them."""

    async def observe(self, obj: Object, *, hard: bool = False) -> Snapshot:
        """Return the snapshot of one Application as it is handed in; raises `InvalidSpec` when it cannot be read.

        With `hard` its sources are asked, fetched and rendered as if somebody had asked for a hard refresh.
        """
        key = AppKey(obj["metadata"]["namespace"], obj["metadata"]["name"])
        obj = as_ours(obj)
        typed = self.prepared.app(obj)
        app = operated(_refreshed(typed) if hard else typed)
        place, troubles = await self._place(app)
        self._move(key, place)
        destination = _resolved(app, place)
        project_obj, denials = self._project(app, destination, place)
        troubles = (troubles or denials) + await self._cluster_troubles(place)
        if place is None:
            return self._without_cluster(obj, project_obj, troubles)
        desired, newest, source_troubles = await self._desired(key, app, place, _spec(project_obj))
        seen = await survey(place, app, desired, self._world.settings, self.prepared)
        outside = [Trouble(Reason.SPEC_INVALID, f"Failed to load live state: {text}") for text in seen.outside]
        snapshot = self._snapshot(obj, project_obj, place, seen)
        managed = frozenset(map(key_of, seen.live))
        orphaned = self.orphans.count(key, place, app.spec.destination.namespace, _spec(project_obj), managed)
        return msgspec.structs.replace(
            snapshot,
            desired=desired,
            desired_stale=desired is not None and bool(source_troubles),
            newest_revisions=newest,
            destination=destination,
            orphaned=orphaned,
            untouched=desired is not None and await self._untouched(app, desired),
            unseen=self._lookout.unseen(key),
            events=place.live.events.about(seen.live),
            scripted=await self._scripted(place, seen.live),
            troubles=(*troubles, *source_troubles, *outside[:1]),
        )

    def forget(self, key: AppKey) -> None:
        """Drop what is remembered about an Application that is gone."""
        self._sources.forget(key)
        self.orphans.forget(key)
        self._move(key, None)

    def place_of(self, key: AppKey) -> OpenDestination | None:
        """Return the destination an app was last looked at on."""
        return self._last_place.get(key)

    def _snapshot(self, obj: Object, project_obj: Object | None, place: OpenDestination, seen: Survey) -> Snapshot:
        live = place.live
        return Snapshot(
            as_of=self._world.now(),
            app=obj,
            settings=self._world.settings,
            project=project_obj,
            live=seen.live,
            kinds=live.kinds(),
            schemas=seen.schemas,
            surroundings=seen.surroundings,
            complete=not live.failures and not live.discovery.failed and not live.unreachable,
            incomplete_groups=tuple(sorted({*map(str, live.failures), *live.discovery.failed})),
            unread=seen.unread,
            desired_elsewhere=seen.desired_elsewhere,
        )

    def _without_cluster(self, obj: Object, project_obj: Object | None, troubles: list[Trouble]) -> Snapshot:
        return Snapshot(
            as_of=self._world.now(),
            app=obj,
            settings=self._world.settings,
            project=project_obj,
            troubles=tuple(troubles),
        )

    async def _place(self, app: Application) -> tuple[OpenDestination | None, list[Trouble]]:
        """Return where an app is delivered to, or why that cannot be told."""
        try:
            return await self._destinations.place(self._destinations.choose(app.spec.destination)), []
        except InvalidSpec as error:
            return None, [_invalid(str(error))]

    def _move(self, key: AppKey, place: OpenDestination | None) -> None:
        """Note where an app is; where it was before, it no longer wants to hear of anything."""
        before = self._last_place.pop(key, None)
        if before is not None and (place is None or before.interest is not place.interest):
            before.interest.forget(key)
        if place is not None:
            self._last_place[key] = place

    async def _scripted(self, place: OpenDestination, live: tuple[Object, ...]) -> tuple[ScriptedHealth, ...]:
        """Return what the settings' health scripts say about the objects they are for."""
        settings, server = self._world.settings, place.known.server
        overrides, folder = settings.overrides, settings.customizations
        chosen = [(obj, script) for obj in live if (script := scripts.script(obj, overrides, folder, server))]
        if not chosen:
            return ()
        results = await self._world.evaluator.evaluate([script for _, script in chosen])
        return tuple(
            ScriptedHealth(key_of(obj), scripts.version_of(obj), scripts.read(result))
            for (obj, _), result in zip(chosen, results, strict=True)
        )

    def _project(
        self, app: Application, destination: Destination, place: OpenDestination | None
    ) -> tuple[Object | None, list[Trouble]]:
        name = app.spec.project or "default"
        settings, index = self._world.settings, self._home.index

        def find(wanted: str) -> Object | None:
            return index.get(ObjectKey(PROJECT.group, PROJECT.kind, settings.namespace, wanted))

        obj = find(name)
        if obj is None:
            known = ", ".join(str(item["metadata"]["name"]) for item in self._home.index.of_kind(PROJECT)) or "none"
            message = f"Application referencing project {name} which does not exist (projects here: {known})"
            return None, [_invalid(message)]
        obj = global_projects.merged(obj, settings.global_projects, find)
        try:
            typed = project.parse(obj)
        except InvalidSpec as error:
            return obj, [_invalid(str(error))]
        if refused := namespaces.denial(app, typed, self._world.settings):
            return obj, [Trouble(Reason.SPEC_INVALID, refused, ConditionType.UNKNOWN_ERROR)]
        placed = msgspec.structs.replace(app, spec=msgspec.structs.replace(app.spec, destination=destination))
        denials = list(projects.denials(placed, typed))
        if place is not None and (refused := scoped_clusters.denial(place.known, typed, settings.compat)):
            denials.append(refused)
        return obj, [_invalid(message) for message in denials]

    async def _cluster_troubles(self, place: OpenDestination | None) -> list[Trouble]:
        unread = await self._destinations.unread(place) if place is not None else ""
        return [Trouble(Reason.CLUSTER_UNREACHABLE, f"Failed to load live state: {unread}")] if unread else []

    async def _desired(
        self, key: AppKey, app: Application, place: OpenDestination, permitted: ProjectSpec | None
    ) -> tuple[Desired | None, tuple[str, ...], list[Trouble]]:
        newest: tuple[str, ...] = ()
        try:
            sources = sources_of(app)
            fresh = names.REFRESH in app.metadata.annotations or is_asked_for(app)
            newest = await self._sources.newest(key, sources, project=app.spec.project, fresh=fresh)
            pinned = pinned_revisions(app)
            if not pinned and (asked := asked_revisions(app)):
                pinned = await self._sources.resolve(sources, asked, newest, project=app.spec.project)
            if handed_in := manifests.handed_in(app, pinned or newest):
                refuse_handed_in(permitted or ProjectSpec(), [source.repo_url for source in sources])
                return handed_in, newest, []
            cluster = self._capabilities(place)
            desired = await self._sources.render(app, sources, pinned or newest, cluster, project=permitted)
            return desired, newest, []
        except InvalidSpec as error:
            return None, newest, [_invalid(str(error))]
        except SynclineError as error:
            kept, remark = self._sources.last_good(app)
            words = "" if isinstance(error, UnverifiedError) else "Failed to load target state: "
            return kept, newest, [Trouble(Reason.SOURCE_FAILED, f"{words}{error}{remark}")]

    async def _untouched(self, app: Application, desired: Desired) -> bool:
        """Whether nothing that counts changed since the revision of the last operation."""
        state = app.status.operation_state
        if state is None or state.sync_result is None or not state.phase.completed:
            return False
        before = state.sync_result.all_revisions
        if before == desired.revisions:
            return False
        return await self._sources.untouched(app, app.spec.all_sources, before, desired.revisions)

    def _capabilities(self, place: OpenDestination) -> Capabilities:
        """Return what a cluster can do; worked out again only when it was discovered again."""
        live, discovery = place.live, place.live.discovery
        known = self._capabilities_known.get(live)
        if known is None or known[0] is not discovery:
            known = self._capabilities_known[live] = (discovery, capabilities(discovery))
        return known[1]


def application_key(key: AppKey) -> ObjectKey:
    """Return the object key of an Application."""
    return ObjectKey(APPLICATION.group, APPLICATION.kind, key.namespace, key.name)


def _spec(obj: Object | None) -> ProjectSpec | None:
    """Return the rules of a project; None where there is none that can be read, which is told already."""
    try:
        return project.parse(obj).spec if obj is not None else None
    except InvalidSpec:
        return None


def _resolved(app: Application, place: OpenDestination | None) -> Destination:
    """Return the destination with both its names, since a project may permit it by either."""
    if place is None:
        return app.spec.destination
    return Destination(place.known.server, app.spec.destination.namespace, place.known.name)


def _refreshed(app: Application) -> Application:
    """Return the Application as if a hard refresh had been asked for."""
    annotations = {**app.metadata.annotations, names.REFRESH: "hard"}
    return msgspec.structs.replace(app, metadata=msgspec.structs.replace(app.metadata, annotations=annotations))


def _invalid(message: str) -> Trouble:
    return Trouble(Reason.SPEC_INVALID, message, ConditionType.INVALID_SPEC_ERROR)
