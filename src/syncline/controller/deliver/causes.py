"""What the published diagnosis says about one Application, in a few words for its health message.

Read from the Diagnosis in the live view, so that a new process says the same as the one before it. Asked by
`syncline.controller.deliver.record`; `syncline.controller.deliver.changes` looks at the Applications of which the
diagnosis says something else than before.
"""

from __future__ import annotations

import msgspec

from syncline.controller.app_key import AppKey
from syncline.controller.live.index import LiveIndex
from syncline.controller.world import World
from syncline.model.published import PublishedCause, PublishedDiagnosis, key
from syncline.model.settings.settings import Compat

_LONGEST = 160


class KnownCauses:
    """The causes of one installation, by Application; the first of several stands for all."""

    def __init__(self, world: World, index: LiveIndex) -> None:
        self._world = world
        self._index = index
        self._version = -1
        self._words: dict[AppKey, str] = {}
        self._stirred: dict[AppKey, str] = {}

    def of(self, app: AppKey) -> str:
        """Return the cause behind an Application in a few words; empty where none is known, and for Argo CD's rules."""
        self._read()
        return "" if self._world.settings.compat is Compat.ARGOCD else self._words.get(app, "")

    def stirred(self) -> list[AppKey]:
        """Return the Applications of which something else is said than when this was last asked."""
        self._read()
        before, self._stirred = self._stirred, self._words
        return sorted(app for app in {*before, *self._words} if before.get(app) != self._words.get(app))

    def _read(self) -> None:
        where = key(self._world.settings.namespace)
        version = self._index.version(where)
        if version == self._version:
            return
        self._version, self._words = version, {}
        try:
            found = msgspec.convert(self._index.get(where) or {}, PublishedDiagnosis)
        except msgspec.ValidationError:
            return
        for cause in found.status.causes:
            for name in cause.applications:
                self._words.setdefault(AppKey(*name.partition("/")[::2]), _words(cause))


def _words(cause: PublishedCause) -> str:
    told = f"{cause.code} {cause.message}"
    return f"{told if len(told) <= _LONGEST else f'{told[: _LONGEST - 1]}…'} [{cause.id}]"
