"""Reads what is live of one Application from the cluster it is delivered to.

Called by `syncline.controller.deliver.observe` with the destination and what is desired there. What could not be read
is named: objects of a kind that cannot be listed are asked for one by one, and those that are refused too end up in
`unread`.
"""

from __future__ import annotations

import asyncio

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of, key_of
from syncline.controller.clusters.destinations import OpenDestination
from syncline.controller.live.scope import ViewScope
from syncline.core.compare import tracking
from syncline.core.compare.prepare import PreparedSet
from syncline.core.compare.prepared import Preparations
from syncline.core.health import claims
from syncline.core.policy.bounds import Bounds
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

STORAGE_CLASS = GroupKind("storage.k8s.io", "StorageClass")
_ASKED_AT_ONCE = 8


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """The live objects that concern an app, the desired ones that could not be asked for, and those out of bounds."""

    live: tuple[Object, ...] = ()
    keys: frozenset[ObjectKey] = frozenset()
    unread: tuple[ObjectKey, ...] = ()
    outside: tuple[str, ...] = ()
    unpermitted: tuple[ObjectKey, ...] = ()
    """What Git names, or what names the app, and the project does not permit: nothing live of it is here."""
    surroundings: tuple[Object, ...] = ()
    schemas: tuple[Object, ...] = ()


async def survey(
    place: OpenDestination,
    app: Application,
    desired: Desired | None,
    settings: Settings,
    prepared: Preparations,
    bounds: Bounds,
) -> Survey:
    """Return the app's objects, the live counterparts of what it desires, and everything those own.

    Live objects get to an app here and nowhere else, so this is where `bounds` cuts off what its project denies:
    before anything is asked, compared, shown or sent as a dry run.
    """
    index, home = place.live.index, namespace_key(app)
    keys = own_keys(place, app, settings)
    versions: dict[ObjectKey, str] = {}
    if desired is not None:
        versions = _versions(prepared.set(desired, app, settings, place.live.kinds()))
        keys |= set(versions)
    denied = bounds.denied(keys)
    unpermitted = denied if home in versions else denied - {home}
    versions = {key: version for key, version in versions.items() if key not in denied}
    found = {key_of(obj): obj for obj in index.with_descendants(keys - denied, bounds.child_filter())}
    more, unread = await _ask(place, [key for key in versions if key not in found], versions)
    if home in denied and home not in unpermitted and bounds.permits_namespace(home.name):
        more |= _outline(index.get(home))
    if more:
        found = dict(sorted((found | more).items(), key=lambda pair: pair[0]))
    # Most of what is live is owned by what is desired, and in no version that anybody chose.
    live = tuple([await _in_version(place, obj, versions) if key in versions else obj for key, obj in found.items()])
    return Survey(
        live=live,
        keys=frozenset(found),
        unread=unread,
        outside=_outside(place, versions),
        unpermitted=tuple(sorted(unpermitted)),
        surroundings=_surroundings(place, live),
        schemas=place.live.definitions(key.group_kind for key in versions),
    )


def own_keys(place: OpenDestination, app: Application, settings: Settings) -> set[ObjectKey]:
    """Return the live objects that are marked as an app's own, and the namespace it is delivered to."""
    instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    return {*place.live.index.owned_by(instance), namespace_key(app)}


def namespace_key(app: Application) -> ObjectKey:
    """Return the namespace that an app is delivered to, as an object."""
    return ObjectKey("", "Namespace", "", app.spec.destination.namespace)


def _outline(namespace: Object | None) -> dict[ObjectKey, Object]:
    """Return the destination namespace as far as an app may know it whose project does not permit namespaces.

    Whether it is there decides if CreateNamespace has anything to do; that it is on its way out, if a sync waits.
    """
    if namespace is None:
        return {}
    kept = {name: value for name, value in meta.metadata(namespace).items() if name in ("name", "deletionTimestamp")}
    return {key_of(namespace): {"apiVersion": "v1", "kind": "Namespace", "metadata": kept}}


def _versions(prepared: PreparedSet) -> dict[ObjectKey, str]:
    """Return the keys of what is desired, with the API version Git uses."""
    return {item.key: item.version for item in (*prepared.objects, *prepared.hooks)}


async def _ask(
    place: OpenDestination, keys: list[ObjectKey], versions: dict[ObjectKey, str]
) -> tuple[dict[ObjectKey, Object], tuple[ObjectKey, ...]]:
    """Get objects of kinds that are not listed one by one; return those found and those that could not be asked for."""
    hidden = {kind for kind in {key.group_kind for key in keys} if place.live.unlisted(kind)}
    unlisted = [key for key in keys if key.group_kind in hidden] if hidden else []
    if not unlisted or place.live.unreachable:
        return {}, tuple(sorted(unlisted))
    slots = asyncio.Semaphore(_ASKED_AT_ONCE)

    async def one(key: ObjectKey) -> Object | None:
        resource = place.live.resource(key.group_kind, versions[key]) or place.live.resource(key.group_kind)
        if resource is None:
            raise ApiError(503, "ServiceUnavailable", f"the API group of {key.kind} does not answer")
        async with slots:
            return await place.cluster.get(resource, key.namespace, key.name)

    answers = await asyncio.gather(*(one(key) for key in unlisted), return_exceptions=True)
    found: dict[ObjectKey, Object] = {}
    unread = []
    for key, answer in zip(unlisted, answers, strict=True):
        if isinstance(answer, (ApiError, TransportError)):
            unread.append(key)
        elif isinstance(answer, BaseException):
            raise answer
        elif answer is not None:
            found[key] = answer
    return found, tuple(sorted(unread))


async def _in_version(place: OpenDestination, obj: Object, versions: dict[ObjectKey, str]) -> Object:
    """Return the object in the API version Git uses, asking the server to convert it where that differs."""
    gvk = gvk_of(obj)
    key = key_of(obj)
    wanted = versions.get(key, gvk.version)
    resource = place.live.resource(gvk.group_kind, wanted) if wanted != gvk.version else None
    if resource is None:
        return obj
    try:
        return await place.cluster.get(resource, key.namespace, key.name) or obj
    except ApiError:
        return obj


def _outside(place: OpenDestination, versions: dict[ObjectKey, str]) -> tuple[str, ...]:
    """Return one sentence per desired object in a part of the cluster that we were not given."""
    scope = ViewScope(place.known.server, place.known.namespaces, place.known.cluster_resources)
    sentences = (scope.unmanaged(key.kind, key.name, key.namespace) for key in sorted(versions))
    return tuple(sentence for sentence in sentences if sentence)


def _surroundings(place: OpenDestination, live: tuple[Object, ...]) -> tuple[Object, ...]:
    """Return the StorageClasses where the app has claims, since those say what a pending claim means."""
    claimed = any(obj.get("kind") == claims.CLAIM.kind and gvk_of(obj).group_kind == claims.CLAIM for obj in live)
    return tuple(place.live.index.of_kind(STORAGE_CLASS)) if claimed else ()
