"""Pairs desired objects with live ones, as an apply would meet them: placed, tracked, one per key.

Called by `syncline.api.diffing`, which compares the pairs. What the live side does not know of a desired object (its
namespace, the app's tracking mark) is filled in here, so that only what somebody wrote can differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncline.api.inputs import Tell
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.apimachinery.schema import resources
from syncline.core.assess import is_root
from syncline.core.compare import placing, prepare, tracking
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.core.sync import hooks, waves
from syncline.model.application import Application
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec
from syncline.model.masking import as_stored, is_secret
from syncline.model.settings.settings import Settings


def seen(
    desired: Sequence[DesiredObject], live: Sequence[Object], settings: Settings, tell: Tell
) -> tuple[list[DesiredObject], list[Object]]:
    """Return what settings do not exclude: excluded kinds are never compared, which is told once for each."""
    kinds = {gvk_of(obj).group_kind for obj in (*(item.obj for item in desired), *live)}
    left_out = {kind for kind in kinds if prepare.excluded(kind, settings)}
    for kind in sorted(left_out):
        tell(f"{kind} is excluded in the settings: objects of this kind are not compared")
    return (
        [item for item in desired if gvk_of(item.obj).group_kind not in left_out],
        [obj for obj in live if gvk_of(obj).group_kind not in left_out],
    )


def pairs(
    desired: Sequence[DesiredObject],
    present: Mapping[ObjectKey, Object],
    app: Application | None,
    settings: Settings,
    tell: Tell,
) -> PreparedSet:
    """Return the desired objects as they would be applied, each in the namespace of its live counterpart."""
    found: dict[ObjectKey, Prepared] = {}
    for item in desired:
        made = _prepared(item, present, app, settings)
        if made.key in found:
            where = f" ({item.origin.place()})" if item.origin.file else ""
            tell(f"{made.key} is desired twice; the last one is used{where}")
        found[made.key] = made
    apart = {key for key, made in found.items() if hooks.hook_types(made.obj) is not None}
    ours = tuple(made for key, made in found.items() if key not in apart)
    return PreparedSet(ours, tuple(found[key] for key in apart), ())


def check_single(found: PreparedSet, present: Mapping[ObjectKey, Object]) -> None:
    """Raise where one object is compared with another one."""
    desired = [item.key for item in (*found.objects, *found.hooks)]
    if desired and present and desired[0] not in present:
        raise InvalidSpec(
            f"the files hold two different objects: {desired[0]} is desired, {next(iter(present))} is live"
        )


def is_managed(obj: Object, app: Application | None, settings: Settings) -> bool:
    """Whether a live object is extra where Git lacks it: nobody owns it, and it is the app's where one is given."""
    if app is None or not is_root(obj):
        return is_root(obj)
    instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    return tracking.owner_of(obj, settings) == instance


def _prepared(
    item: DesiredObject, present: Mapping[ObjectKey, Object], app: Application | None, settings: Settings
) -> Prepared:
    destination = app.spec.destination.namespace if app is not None else ""
    obj = _placed(item.obj, present, destination)
    obj = as_stored(obj) if is_secret(obj) else obj
    if app is not None:
        instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
        obj = tracking.with_tracking(obj, instance, destination, settings)
    elif key_of(obj) in present:
        obj = _marked_as(present[key_of(obj)], obj, settings)
    return Prepared(key_of(obj), obj, item.origin, gvk_of(obj).version, waves.wave_of(obj))


def _placed(desired: Object, present: Mapping[ObjectKey, Object], destination: str) -> Object:
    """Return the desired object in its namespace: its own, that of the app, or that of the one it must be live as."""
    wanted = key_of(desired)
    if wanted in present:
        return desired
    same = [key for key in present if (key.group, key.kind, key.name) == (wanted.group, wanted.kind, wanted.name)]
    if len(same) == 1 and not (same[0].namespace and wanted.namespace):
        namespace = same[0].namespace
        return prepare.in_namespace(desired, namespaced=bool(namespace), namespace=namespace)
    return prepare.in_namespace(desired, namespaced=_is_namespaced(desired), namespace=destination)


def _is_namespaced(obj: Object) -> bool:
    known = resources.for_group_kind(gvk_of(obj).group_kind)
    return known is None or known.namespaced


def _marked_as(live: Object, desired: Object, settings: Settings) -> Object:
    """Return the desired object with live's tracking marks where it has none of its own."""
    for path in sorted(tracking.marks(settings)):
        value = FieldPath(path).resolve(live)
        if value is not MISSING and FieldPath(path).resolve(desired) is MISSING:
            desired = placing.put(desired, path, value)
    return desired
