"""Says which objects of one app a change creates, changes, deletes or renames.

Called by `syncline.core.preview.preview` for each app that is not proven equal, with its objects as a sync would take
them. An object that goes while one of its kind with the same stem, or the same content, comes was renamed: kustomize
and charts put a hash of the content at the end of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from syncline.apimachinery import equality
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.core.preview.fields import Sides, edits
from syncline.model.preview import FieldEdit, ObjectAction, ObjectChange

_HASH = re.compile(r"-[a-z0-9]{6,12}$")
_SURE = 2
_NAME = "metadata.name"

Prepareds = Mapping[ObjectKey, Prepared]


def by_key(found: PreparedSet | None) -> dict[ObjectKey, Prepared]:
    """Return all objects of an app, hooks among them."""
    return {item.key: item for item in (*found.objects, *found.hooks)} if found is not None else {}


def changes(before: Prepareds, after: Prepareds, sides: Sides) -> tuple[ObjectChange, ...]:
    """Return what becomes of the objects of an app, by key."""
    gone = {key: item for key, item in before.items() if key not in after}
    come = {key: item for key, item in after.items() if key not in before}
    found: list[ObjectChange] = []
    for old, new in list(_renames(gone, come)):
        found.append(_renamed(old, new, sides))
        del gone[old.key], come[new.key]
    found += [_change(item, ObjectAction.DELETE) for item in gone.values()]
    found += [_change(item, ObjectAction.CREATE) for item in come.values()]
    for key, item in after.items():
        same = key not in before or equality.equal(before[key].obj, item.obj)
        if not same and (fields := edits(before[key], item, sides)):
            found.append(_change(item, ObjectAction.CHANGE, fields))
    return tuple(sorted(found, key=lambda one: one.key))


def _change(item: Prepared, action: ObjectAction, fields: tuple[FieldEdit, ...] = ()) -> ObjectChange:
    phase = next(iter(item.hook_types), "") if item.is_hook else "Sync"
    place = item.origin.place() if item.origin.file else None
    return ObjectChange(key=item.key, action=action, fields=fields, place=place, phase=phase, wave=item.wave)


def _renamed(old: Prepared, new: Prepared, sides: Sides) -> ObjectChange:
    fields = tuple(one for one in edits(old, new, sides) if one.path != _NAME)
    place = new.origin.place() if new.origin.file else None
    return ObjectChange(key=new.key, action=ObjectAction.RENAME, fields=fields, place=place, was=old.key, wave=new.wave)


def _renames(gone: Prepareds, come: Prepareds) -> Iterator[tuple[Prepared, Prepared]]:
    """Yield what goes with what comes in its place, each once."""
    waiting = dict(come)
    for key, old in gone.items():
        others = [new for new in waiting.values() if _is_beside(new.key, key)]
        ranked = sorted(((_likeness(old, new), str(new.key), new) for new in others), key=lambda one: (-one[0], one[1]))
        if ranked and ranked[0][0]:
            yield old, ranked[0][2]
            del waiting[ranked[0][2].key]


def _is_beside(one: ObjectKey, other: ObjectKey) -> bool:
    return (one.group_kind, one.namespace) == (other.group_kind, other.namespace)


def _likeness(old: Prepared, new: Prepared) -> int:
    if equality.equal(_content(old.obj), _content(new.obj)):
        return _SURE
    one, other = _HASH.sub("", old.key.name), _HASH.sub("", new.key.name)
    return 1 if one == other and one not in (old.key.name, new.key.name) else 0


def _content(obj: Object) -> Object:
    return {name: value for name, value in obj.items() if name != "metadata"}
