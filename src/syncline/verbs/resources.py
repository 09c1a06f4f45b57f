"""The live objects of an Application: finding, patching and deleting them.

What an Application manages and what those objects own is seen, and nothing else: a name that belongs to another
Application is not found.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.core.assess import Assessment
from syncline.core.compare.masks import Masks
from syncline.core.policy import orphans, projects
from syncline.core.policy.bounds import Bounds
from syncline.model import project
from syncline.model.masking import is_secret
from syncline.model.project import OrphanedResources
from syncline.ports.kube import ApiResource, Cluster, PatchType
from syncline.verbs.applications import MANAGER
from syncline.verbs.errors import Denied, InvalidRequest, NotFound
from syncline.verbs.look import Seen

_LISTED = 10


class ResourceChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of an Application are meant; what is not said matches everything."""

    kind: str = ""
    group: str | None = None
    namespace: str = ""
    name: str = ""

    def matches(self, key: ObjectKey) -> bool:
        """Whether an object is meant."""
        return (
            (not self.kind or key.kind == self.kind)
            and (self.group is None or key.group == self.group)
            and (not self.namespace or key.namespace == self.namespace)
            and (not self.name or key.name == self.name)
        )

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind or 'object'} {where}{self.name}".strip()


class PatchResourceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A patch of one live object."""

    key: ObjectKey
    patch: Any
    kind: PatchType = "merge"


class ChildPolicy(StrEnum):
    """What becomes of what a deleted object owns."""

    FOREGROUND = "Foreground"
    BACKGROUND = "Background"
    ORPHAN = "Orphan"


class DeleteResourceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Deletion of one live object."""

    key: ObjectKey
    children: ChildPolicy = ChildPolicy.FOREGROUND
    resource_version: str = ""
    """Where it is given, the state that was judged: the object is deleted in no other."""


def managed_keys(assessment: Assessment) -> set[ObjectKey]:
    """Return what the app manages and what is owned by that: live objects, and desired ones that are missing."""
    rows = {row.key for row in assessment.comparison.rows}
    uids = {_uid(obj) for key, obj in assessment.live.items() if key in rows}
    owned: set[ObjectKey] = set()
    while True:
        fresh = {
            key
            for key, obj in assessment.live.items()
            if key not in owned and any(owner.get("uid") in uids for owner in meta.owner_references(obj))
        }
        if not fresh:
            return rows | owned
        owned |= fresh
        uids |= {_uid(assessment.live[key]) for key in fresh}


def chosen_objects(assessment: Assessment, choice: ResourceChoice) -> list[Object]:
    """Return the live objects that are meant; raises a sentence that names those of the same kind."""
    keys = managed_keys(assessment)
    found = [obj for key, obj in sorted(assessment.live.items()) if key in keys and choice.matches(key)]
    if not found:
        others = sorted(key.name for key in keys if key.kind == choice.kind)
        kinds = ", ".join(sorted({key.kind for key in keys}))
        there = f"of that kind: {', '.join(others)}" if others else f"known kinds: {kinds or 'none'}"
        raise NotFound(f"{assessment.app.metadata.name} has no {choice}", hint=there)
    return found


def only_one(found: list[Object], choice: ResourceChoice) -> Object:
    """Return the object where there is just one; raises a sentence otherwise."""
    if len(found) > 1:
        listed = ", ".join(key_of(obj).short for obj in found[:_LISTED])
        raise InvalidRequest(f"{len(found)} objects match {choice}", hint=f"name one, or use --all: {listed}")
    return found[0]


def orphaned_keys(seen: Seen) -> list[ObjectKey]:
    """Return the roots in the destination namespace that belong to no app, less what Kubernetes puts there itself."""
    assessment = seen.assessment
    described = assessment.snapshot.project
    rules = project.parse(described).spec.orphaned_resources if described else None
    index, namespace = seen.place.live.index, assessment.app.spec.destination.namespace
    found = orphans.roots(index.strays(namespace), assessment.live, rules or OrphanedResources(), index.excluded)
    denied = denied_to(assessment, found)
    return [key for key in found if key not in denied]


def denied_to(assessment: Assessment, keys: Iterable[ObjectKey]) -> frozenset[ObjectKey]:
    """Return the objects that the project of an Application does not permit it to touch."""
    there = assessment.snapshot.destination or assessment.app.spec.destination
    return Bounds(assessment.project, there).denied(keys)


def live_object(seen: Seen, key: ObjectKey) -> Object:
    """Return a live object of an Application; raises `NotFound` for one that is not its own.

    One that Git names and the project denies is refused, whether it exists or not.
    """
    if key in seen.assessment.snapshot.unpermitted:
        require_permitted(seen, key)
    if key not in seen.assessment.live or key not in managed_keys(seen.assessment):
        raise NotFound(f"{seen.assessment.app.metadata.name} has no {key}")
    return seen.assessment.live[key]


def require_permitted(seen: Seen, key: ObjectKey) -> None:
    """Raise `Refused` where the project does not let its Applications touch an object, whoever made it."""
    snapshot, app = seen.assessment.snapshot, seen.assessment.app
    if snapshot.project is None:
        return
    there = snapshot.destination or app.spec.destination
    if denied := projects.object_denial(key, there, project.parse(snapshot.project)):
        raise Denied(str(denied), (denied,), control=snapshot.settings.namespace)


async def patch_resource(seen: Seen, request: PatchResourceRequest) -> Object:
    """Patch a live object of an Application; returns it as the server stored it."""
    key, cluster = request.key, seen.place.cluster
    obj = live_object(seen, key)
    require_permitted(seen, key)
    resource = await resource_of(cluster, obj)
    return await cluster.patch(resource, key.namespace, key.name, request.patch, kind=request.kind, manager=MANAGER)


async def delete_resource(seen: Seen, request: DeleteResourceRequest) -> None:
    """Delete that very live object of an Application, and no other that got its name since."""
    key, cluster = request.key, seen.place.cluster
    obj = live_object(seen, key)
    require_permitted(seen, key)
    resource = await resource_of(cluster, obj)
    uid = str(_uid(obj) or "")
    await cluster.delete(
        resource,
        key.namespace,
        key.name,
        uid=uid,
        resource_version=request.resource_version,
        propagation=request.children.value,
    )


async def resource_of(cluster: Cluster, obj: Object) -> ApiResource:
    """Return how a cluster serves the kind of an object; raises a sentence when it does not."""
    gvk = gvk_of(obj)
    resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
    if resource is None:
        raise NotFound(f"the cluster no longer serves {gvk.kind}")
    return resource


def masked(obj: Object) -> Object:
    """Return an object for showing: values of Secrets are masked."""
    return Masks().masked(obj) if is_secret(obj) else obj


def _uid(obj: Object) -> Any:
    return meta.uid(obj)
