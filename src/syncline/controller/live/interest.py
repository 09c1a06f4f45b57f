"""Which Applications desire which objects of one cluster, and which of them is writing one right now.

Set by `syncline.controller.deliver.claims` with what an app desires, and asked by it who else desires an object. The
changes of live objects are matched with it through the open destination: one that exists but is not marked as the app's
own concerns it all the same. Of what an app desires only what its project lets it write is a claim, so that nobody can
keep an object from its owner by naming it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.app_key import AppKey
from syncline.model.desired import Origin

Wanted = Mapping[ObjectKey, Origin]
"""What an app desires, and where that is written."""
_NOTHING: Wanted = {}


class Interest:
    """Objects by Application and the other way round."""

    def __init__(self) -> None:
        self._keys: dict[AppKey, AbstractSet[ObjectKey]] = {}
        self._claims: dict[AppKey, Wanted] = {}
        self._apps: dict[ObjectKey, set[AppKey]] = defaultdict(set)
        self._unsure: set[AppKey] = set()
        self._writers: dict[ObjectKey, AppKey] = {}
        self._held: dict[AppKey, list[ObjectKey]] = defaultdict(list)

    def apps(self, key: ObjectKey) -> AbstractSet[AppKey]:
        """Return the Applications that desire an object."""
        return self._apps.get(key, frozenset())

    def claims(self, key: ObjectKey) -> dict[AppKey, Origin]:
        """Return the Applications that desire an object and may write it, and where each says so."""
        return {app: found for app in self._apps.get(key, ()) if (found := self._claims[app].get(key)) is not None}

    def is_known(self, app: AppKey) -> bool:
        """Whether all that an Application desires is known."""
        return app in self._keys and app not in self._unsure

    def is_recorded(self, app: AppKey) -> bool:
        """Whether anything was said about what an Application desires."""
        return app in self._keys

    def set(self, app: AppKey, wanted: AbstractSet[ObjectKey], claims: Wanted = _NOTHING) -> AbstractSet[AppKey]:
        """Replace what an Application desires; return those to whom that makes a difference."""
        before, claimed = self._keys.get(app, frozenset()), self._claims.get(app, _NOTHING)
        stirred: set[AppKey] = set()
        if claimed.keys() != claims.keys():
            for key in claimed.keys() ^ claims.keys():
                stirred |= self._apps.get(key, frozenset())
        self._claims[app] = claims
        if before != wanted:
            for key in before - wanted:
                self._apps[key].discard(app)
                if not self._apps[key]:
                    del self._apps[key]
            for key in wanted - before:
                self._apps[key].add(app)
        self._keys[app] = frozenset(wanted)
        return stirred - {app}

    def settle(self, app: AppKey, *, sure: bool) -> AbstractSet[AppKey]:
        """Note whether an Application could be rendered; return those to whom a change of that makes a difference."""
        if sure is (app not in self._unsure):
            return frozenset()
        (self._unsure.discard if sure else self._unsure.add)(app)
        stirred: set[AppKey] = set()
        for key in self._claims.get(app, _NOTHING):
            stirred |= self._apps.get(key, frozenset())
        return stirred - {app}

    def forget(self, app: AppKey) -> AbstractSet[AppKey]:
        """Drop an Application that is gone; return those to whom that makes a difference."""
        stirred = self.set(app, frozenset())
        del self._keys[app], self._claims[app]
        self._unsure.discard(app)
        self.release(app)
        return stirred

    def hold(self, key: ObjectKey, app: AppKey) -> bool:
        """Let an app write an object until it is released; False while another one does."""
        if self._writers.setdefault(key, app) != app:
            return False
        self._held[app].append(key)
        return True

    def release(self, app: AppKey) -> None:
        """Let others write what an app has written."""
        for key in self._held.pop(app, ()):
            self._writers.pop(key, None)
