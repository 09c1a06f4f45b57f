"""Which other Applications desire the objects of one, or hold them: values for the snapshot.

Asked by `syncline.controller.deliver.observe` after it has told here what an app desires. Whoever is concerned by a
change of that is named to `syncline.controller.deliver.applications`, which has them looked at again. One look costs as
much as the app has objects, however many apps there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.app_key import AppKey, application_key
from syncline.controller.clusters.destinations import OpenDestination
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.deliver.roster import Roster
from syncline.controller.live.index import LiveIndex
from syncline.core.compare.prepare import Prepared
from syncline.model.application import ResourceStatus
from syncline.model.claims import Claim, OtherApp, Standing
from syncline.model.desired import Origin


class _Metadata(msgspec.Struct, rename="camel"):
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None


class _Dated(msgspec.Struct):
    """As much of an Application as says how old it is, and whether it is on its way out."""

    metadata: _Metadata


class _Resources(msgspec.Struct):
    resources: tuple[ResourceStatus, ...] | None = None


class _Recorded(msgspec.Struct):
    """As much of an Application as says which objects it had."""

    status: _Resources | None = None


_REMEMBERED = 100_000
_DATED = msgspec.json.Decoder(_Dated)
_RECORDED = msgspec.json.Decoder(_Recorded)


class Claimed(msgspec.Struct, frozen=True):
    """Other Applications that have to do with objects of one, and what they desire of those."""

    others: tuple[OtherApp, ...] = ()
    claims: tuple[Claim, ...] = ()


class Claims:
    """What every Application of one controller desires, cluster by cluster."""

    def __init__(self, home: LiveIndex, roster: Roster, lookout: Lookout) -> None:
        self._home = home
        self._roster = roster
        self._lookout = lookout
        self._stirred: dict[AppKey, set[AppKey]] = defaultdict(set)
        self._waiting: dict[AppKey, set[AppKey]] = defaultdict(set)
        self._looked_at: set[AppKey] = set()

    def desire(
        self,
        app: AppKey,
        place: OpenDestination,
        items: Iterable[Prepared],
        denied: AbstractSet[ObjectKey],
        *,
        sure: bool,
    ) -> None:
        """Note what an app desires, without what its project does not let it write; `sure` if that is all of it."""
        self._remember(app)
        wanted = {item.key: item.origin for item in items}
        claims = {key: origin for key, origin in wanted.items() if key not in denied} if denied else wanted
        self._stirred[app] |= place.interest.set(app, wanted.keys(), claims)
        self._stirred[app] |= place.interest.settle(app, sure=sure)

    def unsure(self, app: AppKey, place: OpenDestination) -> None:
        """Note that what an app desires cannot be told; what it desired before it still may.

        Of an app that was never rendered here, what its status lists as its objects stands in for that: else an app
        that is deleted meanwhile would take a shared object with it.
        """
        self._remember(app)
        if not place.interest.is_recorded(app):
            recorded = self._recorded(app)
            self._stirred[app] |= place.interest.set(app, recorded.keys(), recorded)
        self._stirred[app] |= place.interest.settle(app, sure=False)

    def _recorded(self, app: AppKey) -> dict[ObjectKey, Origin]:
        """Return what the status of an Application lists as desired."""
        found = self._home.part(application_key(app), _RECORDED)
        rows = found.status.resources if found is not None and found.status is not None else ()
        wanted = (row for row in rows or () if not row.hook and not row.requires_pruning)
        return {ObjectKey(row.group, row.kind, row.namespace, row.name): Origin() for row in wanted}

    def leave(self, app: AppKey, place: OpenDestination) -> None:
        """Note that an app is no longer delivered somewhere."""
        self._stirred[app] |= place.interest.forget(app)

    def stirred(self, app: AppKey) -> list[AppKey]:
        """Return, once, those that have to be looked at again because an app was."""
        return sorted((self._stirred.pop(app, set()) | self._waiting.pop(app, set())) - {app})

    def about(self, app: AppKey, place: OpenDestination, keys: Iterable[ObjectKey]) -> Claimed:
        """Return who else has to do with objects: with those an app desires, and with those marked as its own."""
        others: dict[AppKey, OtherApp] = {}
        leaving: dict[AppKey, bool] = {}
        claims: list[Claim] = []
        index, interest = place.live.index, place.interest

        def other(key: AppKey) -> OtherApp:
            return others.get(key) or others.setdefault(key, self._other(key, place))

        def is_leaving(key: AppKey) -> bool:
            # Asked once for each app: two that desire the same thousands of objects would hold up all others.
            if key not in leaving:
                leaving[key] = self._leaving(key)
            return leaving[key]

        for key in keys:
            if instance := index.instance_of(key):
                holder = self._roster.of_instance(instance)
                if holder != app and other(holder).standing in (Standing.UNSEEN, Standing.UNKNOWN):
                    self._waiting[holder].add(app)
            if len(interest.apps(key)) > 1 or app not in interest.apps(key):
                for claimant, origin in interest.claims(key).items():
                    if claimant != app and not is_leaving(claimant):
                        claims.append(Claim(key, other(claimant).title, origin.place()))
        return Claimed(
            tuple(others[key] for key in sorted(others)), tuple(sorted(claims, key=lambda one: (one.key, one.app)))
        )

    def strangers(self, instances: Iterable[str]) -> tuple[str, ...]:
        """Return those that no Application of this installation marks its objects with, or did since we run."""
        apps = {one: self._roster.of_instance(one) for one in instances}
        return tuple(sorted(one for one, app in apps.items() if not self._knows(app)))

    def _knows(self, app: AppKey) -> bool:
        return app in self._looked_at or self._roster.exists(app)

    def _remember(self, app: AppKey) -> None:
        """Remember an app while this process runs: what it leaves when it is deleted is this installation's."""
        if len(self._looked_at) >= _REMEMBERED:
            self._looked_at.clear()
        self._looked_at.add(app)

    def _other(self, app: AppKey, place: OpenDestination) -> OtherApp:
        dated = self._home.part(application_key(app), _DATED)
        if dated is None:
            return OtherApp(app.namespace, app.name, Standing.GONE)
        return OtherApp(app.namespace, app.name, self._standing(app, place), dated.metadata.creation_timestamp or "")

    def _standing(self, app: AppKey, place: OpenDestination) -> Standing:
        if self._leaving(app):
            return Standing.KNOWN
        delivered = self._roster.cluster_of(app)
        if delivered is not None and delivered.server != place.known.server:
            return Standing.KNOWN
        if self._lookout.awaits(app):
            return Standing.UNSEEN
        return Standing.KNOWN if place.interest.is_known(app) else Standing.UNKNOWN

    def _leaving(self, app: AppKey) -> bool:
        """Whether an Application is being deleted: it desires nothing any more."""
        dated = self._home.part(application_key(app), _DATED)
        return dated is not None and bool(dated.metadata.deletion_timestamp)
