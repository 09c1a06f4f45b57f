"""Which Applications somebody waits for: they come before all others, however many of those there are.

Told by `syncline.controller.deliver.changes` and `syncline.controller.deliver.triage`, asked by the queue whenever an
Application is put into it. Somebody waits for what was asked for (a refresh, a sync, a deletion), and for the
Applications that a commit concerns, until there is nothing left to do for them.
"""

from __future__ import annotations

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.model import names


class Attention:
    """The Applications of one controller that somebody waits for."""

    def __init__(self) -> None:
        self._awaited: set[AppKey] = set()

    def heard(self, app: AppKey, obj: Object) -> None:
        """Take note of an Application that changed."""
        if is_asked(obj):
            self._awaited.add(app)

    def turn_to(self, app: AppKey) -> None:
        """Let an Application come first, whatever it says itself."""
        self._awaited.add(app)

    def is_on(self, app: AppKey) -> bool:
        """Whether somebody waits for an Application."""
        return app in self._awaited

    def looked_at(self, app: AppKey, obj: Object | None) -> None:
        """Let go of an Application after a pass, unless there is more to do."""
        if obj is None or not (is_asked(obj) or obj.get("operation")):
            self._awaited.discard(app)


def is_asked(obj: Object) -> bool:
    """Whether somebody asked for something that is not done yet: a refresh, a sync, a deletion."""
    if names.REFRESH in meta.annotations(obj) or meta.deletion_timestamp(obj):
        return True
    operation = obj.get("operation") or {}
    return bool(operation) and not (operation.get("initiatedBy") or {}).get("automated")
