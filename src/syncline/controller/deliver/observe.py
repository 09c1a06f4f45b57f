"""Reads everything a decision about one Application needs, and freezes it.

Called by `syncline.controller.deliver.reconcile` with what is stored, and by `syncline.verbs.look` also with what an
Application might be. What cannot be read becomes a `Trouble` in the snapshot, with the words people will see; nothing
is guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.app_key import AppKey
from syncline.controller.clusters.destinations import Destinations, OpenDestination
from syncline.controller.coexistence.ownership import as_ours
from syncline.controller.deliver.claims import Claimed, Claims
from syncline.controller.deliver.courtesy import Courtesy
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.deliver.orphans import Orphans
from syncline.controller.deliver.roster import Roster
from syncline.controller.deliver.survey import Survey, own_keys, survey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.sources import handed_in as manifests
from syncline.controller.sources.backoffs import recorded_failure
from syncline.controller.sources.capabilities import Capabilities, capabilities
from syncline.controller.sources.desired import DesiredSources
from syncline.controller.sources.layers import layers_of
from syncline.controller.sources.verification import UnverifiedError, refuse_handed_in
from syncline.controller.world import World
from syncline.core.compare import adoption, tracking
from syncline.core.compare.prepare import Prepared
from syncline.core.compare.prepared import Preparations
from syncline.core.health import scripts
from syncline.core.policy import projects
from syncline.core.policy.bounds import Bounds, bounds
from syncline.core.policy.permission import Permission, destination_of, invalid, permission
from syncline.core.sources import asked_revisions, is_asked_for, operated, pinned_revisions, sources_of
from syncline.model import names
from syncline.model.application import Application
from syncline.model.cluster import KnownCluster
from syncline.model.desired import Desired
from syncline.model.errors import InvalidSpec, RenderError, SynclineError
from syncline.model.layers import Layers
from syncline.model.project import ProjectSpec
from syncline.model.reason import Reason
from syncline.model.settings.settings import Compat
from syncline.model.snapshot import ScriptedHealth, Snapshot, Trouble
from syncline.ports.kube import Discovery

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
        claims: Claims | None = None,
        is_awaited: Callable[[AppKey], bool] = lambda _app: True,
        courtesy: Courtesy | None = None,
        *,
        only_looks: bool = False,
    ) -> None:
        self._world = world
        self._home = home
        self._sources = sources
        self._destinations = destinations or Destinations(world, home, interest)
        self._lookout = lookout or Lookout()
        self._is_awaited = is_awaited
        self._only_looks = only_looks
        self._courtesy = courtesy or Courtesy(world.clock)
        self._claims = claims or Claims(home.index, Roster(world, home.index, self._destinations), self._lookout)
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
        cluster, troubles = self._chosen(app)
        permitted = self._permission(app, cluster)
        troubles = troubles or list(permitted.troubles)
        denied = bool(troubles)
        if denied:
            # Nor asked again at the refresh interval.
            self._sources.forget(key)
        place, unopened = await self._place(cluster, app, denied=denied)
        troubles += unopened
        self._move(key, place)
        if place is None:
            return self._without_cluster(obj, permitted.project, troubles)
        desired: Desired | None = None
        newest: tuple[str, ...] = ()
        source_troubles: list[Trouble] = []
        if not denied:
            troubles += await self._cluster_troubles(place)
            desired, newest, source_troubles = await self._desired(key, app, place, permitted.spec)
        limits = bounds(permitted, destination_of(app, place.known))
        async with self._courtesy.computing(len(desired.objects) if desired is not None else 0):
            self._note_desired(key, app, place, permitted, desired, sure=not source_troubles)
            seen = await survey(place, app, desired, self._world.settings, self.prepared, limits)
            claimed = self._claimed(key, app, place, desired, seen)
        outside = [Trouble(Reason.SPEC_INVALID, f"Failed to load live state: {text}") for text in seen.outside]
        snapshot = self._snapshot(obj, permitted.project, place, seen)
        orphaned = self.orphans.count(key, place, app.spec.destination.namespace, limits, seen.keys)
        return msgspec.structs.replace(
            snapshot,
            desired=desired,
            desired_stale=desired is not None and bool(source_troubles),
            newest_revisions=newest,
            destination=destination_of(app, cluster),
            orphaned=orphaned,
            others=claimed.others,
            claims=claimed.claims,
            strangers=self._strangers(app, seen),
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

    def bounds(self, app: Application, place: OpenDestination) -> Bounds:
        """Return which live objects of a cluster may be attached to an app."""
        return bounds(self._permission(app, place.known), destination_of(app, place.known))

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
            unpermitted=seen.unpermitted,
        )

    def _without_cluster(self, obj: Object, project_obj: Object | None, troubles: list[Trouble]) -> Snapshot:
        return Snapshot(
            as_of=self._world.now(),
            app=obj,
            settings=self._world.settings,
            project=project_obj,
            troubles=tuple(troubles),
        )

    def _chosen(self, app: Application) -> tuple[KnownCluster | None, list[Trouble]]:
        """Return the cluster an app names, or why that is none; nothing is contacted."""
        try:
            return self._destinations.choose(app.spec.destination), []
        except InvalidSpec as error:
            return None, [invalid(str(error))]

    async def _place(
        self, cluster: KnownCluster | None, app: Application, *, denied: bool
    ) -> tuple[OpenDestination | None, list[Trouble]]:
        """Return where an app is delivered to, or why it cannot be reached.

        For an app that is denied no cluster is opened, except to take down what it left there: what is permitted of
        that is decided object by object.
        """
        if cluster is None:
            return None, []
        if denied and not app.metadata.deletion_timestamp:
            return self._destinations.opened(cluster.server), []
        try:
            return await self._destinations.place(cluster), []
        except InvalidSpec as error:
            return None, [invalid(str(error))]

    def _move(self, key: AppKey, place: OpenDestination | None) -> None:
        """Note where an app is; where it was before, it no longer wants to hear of anything."""
        before = self._last_place.pop(key, None)
        if before is not None and (place is None or before.interest is not place.interest):
            self._claims.leave(key, before)
        if place is not None:
            self._last_place[key] = place

    def _note_desired(
        self,
        key: AppKey,
        app: Application,
        place: OpenDestination,
        permitted: Permission,
        desired: Desired | None,
        *,
        sure: bool,
    ) -> None:
        """Tell what an app desires, for others that may desire the same; one that is on its way out desires nothing.

        A project that is not known may be one that was not read yet, as just after a start: then nobody can tell.
        """
        if app.metadata.deletion_timestamp or (permitted.denials and permitted.typed is not None):
            self._claims.desire(key, place, (), frozenset(), sure=not permitted.denials)
        elif desired is None:
            self._claims.unsure(key, place)
        else:
            items = self._items(app, place, desired)
            denied: frozenset[ObjectKey] = frozenset()
            if permitted.typed is not None:
                there = destination_of(app, place.known)
                denied = projects.denied_keys((item.key for item in items), there, permitted.typed)
            self._claims.desire(key, place, items, denied, sure=sure)

    def _items(self, app: Application, place: OpenDestination, desired: Desired) -> tuple[Prepared, ...]:
        prepared = self.prepared.set(desired, app, self._world.settings, place.live.kinds())
        return (*prepared.objects, *prepared.hooks)

    def _claimed(
        self, key: AppKey, app: Application, place: OpenDestination, desired: Desired | None, seen: Survey
    ) -> Claimed:
        """Return who else has to do with an app's objects; whose a foreign object is, its project need not know."""
        if self._world.settings.compat is Compat.ARGOCD:
            return Claimed()
        keys = own_keys(place, app, self._world.settings)
        if desired is not None:
            keys |= {item.key for item in self._items(app, place, desired)}
        return self._claims.about(key, place, sorted(keys.difference(seen.unpermitted)))

    def _strangers(self, app: Application, seen: Survey) -> tuple[str, ...]:
        own = tracking.instance_name(app.metadata.namespace, app.metadata.name, self._world.settings)
        return self._claims.strangers(adoption.named_apps(seen.live, own))

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

    def _permission(self, app: Application, cluster: KnownCluster | None) -> Permission:
        settings, index = self._world.settings, self._home.index

        def find(wanted: str) -> Object | None:
            return index.get(ObjectKey(PROJECT.group, PROJECT.kind, settings.namespace, wanted))

        return permission(app, cluster, settings, find, self.prepared.project)

    async def _cluster_troubles(self, place: OpenDestination) -> list[Trouble]:
        unread = await self._destinations.unread(place)
        return [Trouble(Reason.CLUSTER_UNREACHABLE, f"Failed to load live state: {unread}")] if unread else []

    async def _desired(
        self, key: AppKey, app: Application, place: OpenDestination, permitted: ProjectSpec | None
    ) -> tuple[Desired | None, tuple[str, ...], list[Trouble]]:
        newest: tuple[str, ...] = ()
        try:
            sources = sources_of(app)
            fresh = names.REFRESH in app.metadata.annotations or is_asked_for(app)
            rules = permitted or ProjectSpec()
            newest = await self._sources.newest(
                key, sources, project=app.spec.project, permitted=rules.source_repos, fresh=fresh
            )
            pinned = pinned_revisions(app)
            if not pinned and (asked := asked_revisions(app)):
                pinned = await self._sources.resolve(sources, asked, newest, project=app.spec.project)
            if handed_in := manifests.handed_in(app, pinned or newest):
                refuse_handed_in(rules, [source.repo_url for source in sources])
                return handed_in, newest, []
            if self._only_looks and (recorded := recorded_failure(app, pinned or newest, self._world.clock.now())):
                # A render that ran into its limit would do so again, while somebody waits for the answer.
                raise recorded
            cluster = self._capabilities(place)
            awaited = self._is_awaited(key)
            desired = await self._sources.render(
                app, sources, pinned or newest, cluster, project=rules, awaited=awaited
            )
            return desired, newest, []
        except InvalidSpec as error:
            return None, newest, [invalid(str(error))]
        except SynclineError as error:
            kept, remark = self._sources.last_good(app)
            words = "" if isinstance(error, UnverifiedError) else "Failed to load target state: "
            over_limit = isinstance(error, RenderError) and error.over_limit
            reason = Reason.RENDER_BACKOFF if over_limit else Reason.SOURCE_FAILED
            return kept, newest, [Trouble(reason, f"{words}{error}{remark}")]

    async def layers(self, app: Application, desired: Desired | None) -> Layers:
        """Return which layers of an app's sources say what its objects are; for somebody who explains them."""
        if desired is None:
            return Layers()
        return await layers_of(self._sources, app, sources_of(app), desired.revisions, desired)

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


def _refreshed(app: Application) -> Application:
    """Return the Application as if a hard refresh had been asked for."""
    annotations = {**app.metadata.annotations, names.REFRESH: "hard"}
    return msgspec.structs.replace(app, metadata=msgspec.structs.replace(app.metadata, annotations=annotations))
