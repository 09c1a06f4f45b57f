"""From rendered objects to what would be applied: scope, namespace, tracking, hooks, duplicates.

Called by `syncline.core.assess` with the render and what the cluster says about kinds; the result goes to
`syncline.core.compare.compare` and `syncline.core.sync.plan`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of, key_of
from syncline.core import defined_kinds
from syncline.core.compare import tracking
from syncline.core.metadata_form import odd_metadata
from syncline.core.settings import filters
from syncline.core.sync import hooks, option_words, waves
from syncline.model.application import Application, Condition
from syncline.model.condition import ConditionType
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.errors import Place
from syncline.model.masking import as_stored, is_secret
from syncline.model.settings.settings import Compat, Settings


class Prepared(msgspec.Struct, frozen=True):
    """One object ready to be applied, with where it comes from and when in a sync it belongs."""

    key: ObjectKey
    obj: Object
    origin: Origin
    version: str
    wave: int = 0
    hook_types: tuple[str, ...] = ()
    is_hook: bool = False


class OddObject(msgspec.Struct, frozen=True):
    """An object that nobody can apply: it has no kind, no name, no namespace, or metadata of the wrong form.

    One sentence says where and why. Its key may have no name and no kind.
    """

    key: ObjectKey
    version: str
    message: str
    place: Place


class PreparedSet(msgspec.Struct, frozen=True):
    """All objects of an app, hooks apart, and what people should know about them."""

    objects: tuple[Prepared, ...]
    hooks: tuple[Prepared, ...]
    conditions: tuple[Condition, ...]
    odd: tuple[OddObject, ...] = ()
    unplaced: tuple[OddObject, ...] = ()
    """Objects that belong into a namespace, and nobody says which."""


def prepare(desired: Desired, app: Application, settings: Settings, scopes: Mapping[GroupKind, bool]) -> PreparedSet:
    """Return what the render means for this app on this cluster; `scopes` says which kinds are namespaced."""
    # Kinds whose CRD is in the same render: the cluster may not know them yet.
    scopes = {**scopes, **dict(defined_kinds.scopes(item.obj for item in desired.objects))}
    namespace = app.spec.destination.namespace
    instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    conditions: list[Condition] = []
    kept: dict[ObjectKey, Prepared] = {}
    counts: Counter[ObjectKey] = Counter()
    odd: list[OddObject] = []
    unplaced: list[OddObject] = []
    generated = 0
    for item in desired.objects:
        kind = gvk_of(item.obj).group_kind
        if malformed := _malformed(item):
            conditions.append(Condition(ConditionType.COMPARISON_ERROR, malformed))
            odd.append(_odd(item, malformed))
            continue
        if excluded(kind, settings):
            conditions.append(Condition(ConditionType.EXCLUDED_RESOURCE_WARNING, _excluded_text(item, kind)))
            continue
        obj = in_namespace(item.obj, namespaced=scopes.get(kind, True), namespace=namespace)
        obj = as_stored(obj) if is_secret(obj) else obj
        if scopes.get(kind, True) and not key_of(obj).namespace:
            conditions.append(Condition(ConditionType.INVALID_SPEC_ERROR, _namespace_missing(item)))
            unplaced.append(_odd(item, _namespace_missing(item)))
            continue
        prepared = _prepared(tracking.with_tracking(obj, instance, namespace, settings), item.origin)
        key = prepared.key
        if not key.name:
            key = ObjectKey(key.group, key.kind, key.namespace, f"{_generate_name(obj)}{generated}")
            prepared = msgspec.structs.replace(prepared, key=key)
            generated += 1
        counts[key] += 1
        kept[key] = prepared
    if settings.compat is not Compat.ARGOCD:
        conditions += _own_warnings(desired, kept.values())
    conditions += [
        Condition(ConditionType.REPEATED_RESOURCE_WARNING, _repeated(key, count))
        for key, count in counts.items()
        if count > 1
    ]
    return PreparedSet(
        tuple(item for item in kept.values() if not item.is_hook),
        tuple(item for item in kept.values() if item.is_hook),
        tuple(conditions),
        tuple({item.key: item for item in odd}.values()),
        tuple({item.key: item for item in unplaced}.values()),
    )


def _own_warnings(desired: Desired, kept: Iterable[Prepared]) -> tuple[Condition, ...]:
    """Return what Argo CD does not tell: manifests that say something twice, a render that is not steady, sync options
    that have no effect.
    """
    shown = desired.manifest_warnings
    told = (Condition(ConditionType.MANIFEST_WARNING, warning) for warning in shown)
    warnings = () if desired.steady else (warning for warning in desired.warnings if warning not in shown)
    unsteady = (Condition(ConditionType.UNSTEADY_RENDER_WARNING, warning) for warning in warnings)
    return (*told, *unsteady, *option_words.of_objects(DesiredObject(item.obj, item.origin) for item in kept))


def _prepared(obj: Object, origin: Origin) -> Prepared:
    types = hooks.hook_types(obj)
    return Prepared(
        key_of(obj), obj, origin, gvk_of(obj).version, waves.wave_of(obj), types or (), is_hook=types is not None
    )


def in_namespace(obj: Object, *, namespaced: bool, namespace: str) -> Object:
    """Return the object in the namespace it will live in."""
    metadata = meta.metadata(obj)
    if not namespaced:
        if "namespace" not in metadata:
            return obj
        return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "namespace"}}
    if metadata.get("namespace") or not namespace:
        return obj
    return {**obj, "metadata": {**metadata, "namespace": namespace}}


def excluded(kind: GroupKind, settings: Settings) -> bool:
    """Whether settings exclude a kind."""
    return filters.excluded(kind, settings)


def _odd(item: DesiredObject, message: str) -> OddObject:
    kind = gvk_of(item.obj)
    key = ObjectKey(kind.group, kind.kind, meta.namespace(item.obj), meta.name(item.obj))
    return OddObject(key, kind.version, message, item.origin.place())


def _malformed(item: DesiredObject) -> str:
    """Return why metadata cannot be worked with, naming the place; empty where it can. Unknown is safer than a crash:
    nothing is applied or pruned then.
    """
    if lacks := meta.untyped(item.obj):
        place = item.origin.place("kind" if lacks == "kind" else "apiVersion")
        return f"{place}: this is not a Kubernetes object: it has no {lacks}"
    path, form = odd_metadata(item.obj)
    if path:
        return f"{item.origin.place(path)}: {path} {form}"
    named = meta.name(item.obj) or meta.generate_name(item.obj)
    return "" if named else f"{item.origin.place()}: metadata.name is missing"


def _generate_name(obj: Object) -> str:
    return meta.generate_name(obj)


def _excluded_text(item: DesiredObject, kind: GroupKind) -> str:
    return f"Resource {kind.group}/{kind.kind} {item.key.name} is excluded in the settings"


def _namespace_missing(item: DesiredObject) -> str:
    kind = gvk_of(item.obj)
    return (
        f"Namespace for {item.key.name} {kind.group}/{kind.version}, Kind={kind.kind} is missing."
        f" ({item.origin.place()}: set metadata.namespace there, or spec.destination.namespace in the Application)"
    )


def _repeated(key: ObjectKey, count: int) -> str:
    # Argo CD's spelling of a key, with slashes only: people search for this text.
    name = f"{key.group}/{key.kind}/{key.namespace}/{key.name}"
    return f"Resource {name} appeared {count} times among application resources."
