"""What a render means for an app, worked out once for a render and not once for every look at it.

Asked by `syncline.core.assess` and `syncline.controller.deliver.survey`. Renders and lists of kinds are never changed,
only replaced, so the very same ones mean the very same thing; a few hundred answers are kept, for passes that follow
one another.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from syncline.apimachinery.keys import Object
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.model import application
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import KindFact

_KEPT = 256
_Key = tuple[int, int, int, str, str, str]
_sets: OrderedDict[_Key, tuple[object, PreparedSet]] = OrderedDict()
_apps: OrderedDict[int, tuple[Object, Application]] = OrderedDict()


def prepared_set(desired: Desired, app: Application, settings: Settings, kinds: Sequence[KindFact]) -> PreparedSet:
    """Return what a render means for an app on a cluster that knows these kinds."""
    metadata = app.metadata
    key = (id(desired), id(kinds), id(settings), metadata.namespace, metadata.name, app.spec.destination.namespace)
    known = _sets.get(key)
    if known is not None:
        _sets.move_to_end(key)
    else:
        made = prepare(desired, app, settings, {fact.kind: fact.namespaced for fact in kinds})
        # What a key stands for is kept alive with the answer, so that no other value can get its identity.
        known = _sets[key] = ((desired, kinds, settings), made)
        if len(_sets) > _KEPT:
            _sets.popitem(last=False)
    return known[1]


def parsed(obj: Object) -> Application:
    """Return a typed Application; an object that was read from a cluster is never changed in place."""
    known = _apps.get(id(obj))
    if known is not None:
        _apps.move_to_end(id(obj))
    else:
        known = _apps[id(obj)] = (obj, application.parse(obj))
        if len(_apps) > _KEPT:
            _apps.popitem(last=False)
    return known[1]
