"""The projects of the installation as values, with what each inherits, without reading all of them at every look.

Asked by `syncline.controller.appsets.reconcile` and by the API when a set is written. A project that cannot be read is
left out, so that it permits nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.live.index import LiveIndex
from syncline.core.policy import global_projects
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings


class LiveProjects:
    """The projects of the control-plane namespace; read again when one of them, or a global rule, has changed."""

    def __init__(self, index: LiveIndex) -> None:
        self._index = index
        self._seen: object = None
        self._projects: Mapping[str, AppProject] = MappingProxyType({})

    def known(self, settings: Settings) -> Mapping[str, AppProject]:
        """Return every project that can be read, by name."""
        keys = self._index.keys(PROJECT, settings.namespace)
        seen = (settings.namespace, settings.global_projects, [(key.name, self._index.version(key)) for key in keys])
        if seen != self._seen:
            self._projects = MappingProxyType(read_projects(self._index, settings))
            self._seen = seen
        return self._projects


def read_projects(index: LiveIndex, settings: Settings) -> dict[str, AppProject]:
    """Return every project that can be read, by name, with what it inherits."""

    def find(name: str) -> Object | None:
        return index.get(ObjectKey(PROJECT.group, PROJECT.kind, settings.namespace, name))

    names = [key.name for key in index.keys(PROJECT, settings.namespace)]
    return global_projects.read_all(names, settings.global_projects, find)
