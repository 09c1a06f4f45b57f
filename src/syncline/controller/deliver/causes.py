"""What the published diagnosis says about one Application, in a few words for its health message.

Read from the Diagnosis in the live view, so that a new process says the same as the one before it. Asked by
`syncline.controller.deliver.record`; `syncline.controller.deliver.changes` looks at the Applications of which the
diagnosis says something else than before.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import AppKey, application_key
from syncline.controller.live.index import LiveIndex
from syncline.controller.world import World
from syncline.core.policy import global_projects
from syncline.core.policy.bounds import permits_everything
from syncline.model import names
from syncline.model.published import PublishedCause, PublishedDiagnosis, key, plain_words
from syncline.model.settings.settings import Compat, Settings

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
                app = AppKey(*name.partition("/")[::2])
                self._words.setdefault(app, _words(cause, whole=reads_all(app, self._index, self._world.settings)))


def reads_all(app: AppKey, index: LiveIndex, settings: Settings) -> bool:
    """Whether those who see an Application may read everything that its causes say: its project has no bounds."""
    found = index.get(application_key(app)) or {}

    def find(name: str) -> Object | None:
        return index.get(ObjectKey(names.GROUP, "AppProject", settings.namespace, name))

    name = str((found.get("spec") or {}).get("project") or "default")
    project = global_projects.read_merged(name, settings.global_projects, find)
    return project is not None and permits_everything(project)


def _words(cause: PublishedCause, *, whole: bool) -> str:
    told = f"{cause.code} {cause.message if whole else plain_words(cause)}"
    return f"{told if len(told) <= _LONGEST else f'{told[: _LONGEST - 1]}…'} [{cause.id}]"
