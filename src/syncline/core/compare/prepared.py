"""What a render means for an app, worked out once for a render and not once for every look at it.

A controller keeps one `Preparations` and hands it to `syncline.core.assess` (in `Aids`) and to
`syncline.controller.deliver.survey`; it goes with the controller. Objects that were read, renders and lists of kinds
are never changed, only replaced, so the very same ones mean the very same thing; a few hundred answers are kept, for
passes that follow one another.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

from syncline.apimachinery.keys import Object
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.model import application, project
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import KindFact

T = TypeVar("T")

_KEPT = 256
_Key = tuple[int, int, int, str, str, str]


class Preparations:
    """Typed Applications and projects and prepared sets, by the identity of what they were made from.

    What an entry was made from is kept alive with it, so that no other value can get its identity.
    """

    __slots__ = ("_apps", "_projects", "_sets")

    def __init__(self) -> None:
        self._sets: OrderedDict[_Key, tuple[object, PreparedSet]] = OrderedDict()
        self._apps: OrderedDict[int, tuple[Object, Application]] = OrderedDict()
        self._projects: OrderedDict[int, tuple[Object, AppProject]] = OrderedDict()

    def set(self, desired: Desired, app: Application, settings: Settings, kinds: Sequence[KindFact]) -> PreparedSet:
        """Return what a render means for an app on a cluster that knows these kinds."""
        metadata = app.metadata
        key = (id(desired), id(kinds), id(settings), metadata.namespace, metadata.name, app.spec.destination.namespace)
        known = self._sets.get(key)
        if known is not None:
            self._sets.move_to_end(key)
            return known[1]
        made = prepare(desired, app, settings, {fact.kind: fact.namespaced for fact in kinds})
        self._sets[key] = ((desired, kinds, settings), made)
        if len(self._sets) > _KEPT:
            self._sets.popitem(last=False)
        return made

    def app(self, obj: Object) -> Application:
        """Return a typed Application; raises `InvalidSpec` where it cannot be read."""
        return _read(self._apps, obj, application.parse)

    def project(self, obj: Object) -> AppProject:
        """Return a typed project; raises `InvalidSpec` where it cannot be read."""
        return _read(self._projects, obj, project.parse)


def _read(kept: OrderedDict[int, tuple[Object, T]], obj: Object, parse: Callable[[Object], T]) -> T:
    known = kept.get(id(obj))
    if known is not None:
        kept.move_to_end(id(obj))
        return known[1]
    made = parse(obj)
    kept[id(obj)] = (obj, made)
    if len(kept) > _KEPT:
        kept.popitem(last=False)
    return made
