"""Which Applications want to hear of which objects, whoever those belong to.

Set by `syncline.controller.deliver.observe` with what an app desires, read by `syncline.controller.deliver.changes`
through the open destination when an object changes: an object that exists but is not marked as the app's own concerns
it all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.app_key import AppKey


class Interest:
    """Objects by Application and the other way round."""

    def __init__(self) -> None:
        self._keys: dict[AppKey, frozenset[ObjectKey]] = {}
        self._apps: dict[ObjectKey, set[AppKey]] = defaultdict(set)

    def apps(self, key: ObjectKey) -> AbstractSet[AppKey]:
        """Return the Applications that desire an object."""
        return self._apps.get(key, frozenset())

    def set(self, app: AppKey, keys: AbstractSet[ObjectKey]) -> None:
        """Replace what an Application desires."""
        before = self._keys.get(app, frozenset())
        if before == keys:
            return
        for key in before - keys:
            self._apps[key].discard(app)
            if not self._apps[key]:
                del self._apps[key]
        for key in keys - before:
            self._apps[key].add(app)
        self._keys[app] = frozenset(keys)

    def forget(self, app: AppKey) -> None:
        """Drop an Application that is gone."""
        self.set(app, frozenset())
        self._keys.pop(app, None)
