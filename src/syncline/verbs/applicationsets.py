"""Reads, creates, deletes, approves and explains ApplicationSets, directly in the Kubernetes API.

Called by the commands of `syncline appset`. What a set would do is not worked out again here: its controller has
recorded it in the status, and what is live is looked up beside it.
"""

from __future__ import annotations

import re

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.nearest import instead
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.controller.appsets.keys import APPLICATION_SET, AppSetKey
from syncline.core.appset.changes import is_controlled
from syncline.core.policy.set_writing import project_of
from syncline.model import applicationset, names
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.verbs.applications import MANAGER
from syncline.verbs.errors import Conflict, InvalidRequest, NotFound, Refused

_APPLICATION = GroupKind(names.GROUP, "Application")
_WAITING = re.compile(r"(?P<what>.+); approve with: syncline appset approve \S+ (?P<digest>[0-9a-f]+)$")
_SHOWN = 10
_KEPT = ("name", "namespace", "labels", "annotations", "finalizers")


class StoredSet(msgspec.Struct, frozen=True):
    """An ApplicationSet as the cluster has it, and the Applications that it controls."""

    obj: Object
    apps: tuple[Object, ...] = ()

    @property
    def key(self) -> AppSetKey:
        """Its namespace and name."""
        return AppSetKey(meta.namespace(self.obj), meta.name(self.obj))

    def condition(self, kind: str) -> Object:
        """Return a condition of its status; empty where it has none of the kind."""
        conditions = (self.obj.get("status") or {}).get("conditions") or ()
        return next((dict(one) for one in conditions if one.get("type") == kind), {})


async def resource_of(cluster: Cluster) -> ApiResource:
    """Return how ApplicationSets are served; raises a sentence when they are not."""
    resource = (await cluster.discover()).find(APPLICATION_SET)
    if resource is None:
        raise NeedsUser(
            "this cluster has no ApplicationSets", hint="install the CRDs: syncline admin crds | kubectl apply -f -"
        )
    return resource


async def list_sets(
    cluster: Cluster, namespace: str, selector: str = "", projects: tuple[str, ...] = ()
) -> list[Object]:
    """Return the sets of a namespace (empty: of all) whose labels and project match, sorted by name."""
    try:
        LabelSelector.parse(selector)
    except InvalidSelector as error:
        raise InvalidRequest(f"the selector {selector!r} cannot be read: {error}") from None
    listed = await cluster.list(await resource_of(cluster), namespace=namespace, label_selector=selector)
    found = [item for item in listed.items if not projects or project_of(item) in projects]
    return sorted(found, key=lambda item: (meta.namespace(item), meta.name(item)))


async def read_set(cluster: Cluster, key: AppSetKey) -> StoredSet:
    """Return one set with its Applications; raises a sentence that names the sets there are."""
    resource = await resource_of(cluster)
    found = await cluster.get(resource, key.namespace, key.name)
    if found is None:
        listed = await cluster.list(resource, namespace=key.namespace)
        hint = instead(key.name, [meta.name(item) for item in listed.items])
        raise NotFound(f"ApplicationSet {key.name} not found in namespace {key.namespace}", hint=hint)
    return StoredSet(found, await _apps(cluster, found))


async def _apps(cluster: Cluster, appset: Object) -> tuple[Object, ...]:
    """Return the Applications that a set controls: by its UID, since another may have had its name."""
    served = (await cluster.discover()).find(_APPLICATION)
    if served is None:
        return ()
    listed = await cluster.list(served, namespace=meta.namespace(appset))
    return tuple(item for item in listed.items if is_controlled(item, appset))


async def create_set(cluster: Cluster, appset: Object, namespace: str, *, upsert: bool) -> tuple[Object, str]:
    """Store a set; one that is there already and says something else is only overwritten on request."""
    metadata = kept_metadata(appset, namespace)
    wanted = {**appset, "metadata": metadata}
    wanted.pop("status", None)
    applicationset.parse(wanted)
    resource = await resource_of(cluster)
    try:
        return await cluster.create(resource, wanted, manager=MANAGER), "created"
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
    found = await cluster.get(resource, metadata["namespace"], metadata["name"]) or {}
    if found.get("spec") == wanted["spec"]:
        return found, "unchanged"
    if not upsert:
        name = metadata["name"]
        raise Conflict(f"ApplicationSet {name} already exists with a different spec", hint="overwrite it with --upsert")
    patched = {**found, "spec": wanted["spec"], "metadata": {**found["metadata"], **merged_metadata(metadata, found)}}
    return await cluster.replace(resource, patched, manager=MANAGER), "updated"


def kept_metadata(appset: Object, namespace: str) -> Object:
    """Return the metadata of a set that is stored with it; `namespace` is where it goes unless it says."""
    metadata = {name: value for name, value in meta.metadata(appset).items() if name in _KEPT}
    return {**metadata, "namespace": metadata.get("namespace") or namespace}


def merged_metadata(metadata: Object, found: Object) -> Object:
    """Return labels and annotations of both."""
    return {
        field: {**(found["metadata"].get(field) or {}), **metadata[field]}
        for field in ("labels", "annotations")
        if metadata.get(field)
    }


async def delete_set(cluster: Cluster, stored: StoredSet, *, orphan: bool) -> None:
    """Delete a set; its Applications go with it, unless they are to be kept."""
    policy = "Orphan" if orphan else "Background"
    resource = await resource_of(cluster)
    await cluster.delete(resource, stored.key.namespace, stored.key.name, uid=meta.uid(stored.obj), propagation=policy)


async def refresh_set(cluster: Cluster, key: AppSetKey) -> None:
    """Have a set generate again now, and ask code hosts and plugins again."""
    patch = {"metadata": {"annotations": {names.APPSET_REFRESH: "true"}}}
    await cluster.patch(await resource_of(cluster), key.namespace, key.name, patch, manager=MANAGER)


class WaitingDeletions(msgspec.Struct, frozen=True):
    """Deletions that wait for an approval: in the controller's words, and the mark of the list."""

    what: str
    digest: str


def waiting_deletions(stored: StoredSet, wanted: str = "") -> WaitingDeletions:
    """Return what a set waits with; raises a sentence where that is nothing, or another list than was wanted."""
    found = _WAITING.search(str(stored.condition("ErrorOccurred").get("message") or ""))
    if found is None:
        raise Refused(f"ApplicationSet {stored.key.name} waits for no approval", hint="nothing was changed")
    if wanted and wanted != found["digest"]:
        raise Conflict(
            f"ApplicationSet {stored.key.name} would delete other Applications by now: {found['what']}",
            hint=f"approve these with: syncline appset approve {stored.key} {found['digest']}",
        )
    return WaitingDeletions(found["what"], found["digest"])


async def approve(cluster: Cluster, stored: StoredSet, waiting: WaitingDeletions) -> None:
    """Agree to these deletions, and to no others."""
    patch = {"metadata": {"annotations": {names.APPROVED_DELETIONS: waiting.digest}}}
    await cluster.patch(await resource_of(cluster), stored.key.namespace, stored.key.name, patch, manager=MANAGER)


def explain(stored: StoredSet) -> list[str]:
    """Return why a set is not up to date, a line for each reason after the verdict; one line where it is."""
    error, rollout = stored.condition("ErrorOccurred"), stored.condition("RolloutProgressing")
    reasons: list[str] = []
    if not stored.condition("ResourcesUpToDate"):
        reasons.append("no controller has looked at it yet: is one running, and is its namespace permitted?")
    if error.get("status") == "True":
        reasons.append(f"{error.get('reason')}: {error.get('message')}")
    invalid = stored.condition("InvalidRolloutConfig")
    if invalid.get("status") == "True":
        reasons.append(f"{invalid.get('reason')}: {invalid.get('message')}")
    if rollout.get("status") == "True":
        reasons.append(str(rollout.get("message")))
        entries = (stored.obj.get("status") or {}).get("applicationStatus") or ()
        reasons += [
            f"  step {one['step']}  {one['application']} is {one['status']}: {one['message']}"
            for one in entries
            if one["status"] != "Healthy"
        ]
    bad = [app for app in stored.apps if _unwell(app)]
    reasons += [
        f"Application {meta.name(app)} is {_unwell(app)}: syncline why {meta.name(app)}" for app in bad[:_SHOWN]
    ]
    if len(bad) > _SHOWN:
        reasons.append(f"and {len(bad) - _SHOWN} more Applications")
    count = f"{len(stored.apps)} Application{'' if len(stored.apps) == 1 else 's'}"
    verdict = "is not up to date" if reasons else "is up to date, and all are Synced and Healthy"
    return [f"{stored.key} ({count}) {verdict}", *reasons]


def _unwell(app: Object) -> str:
    status = app.get("status") or {}
    sync, health = ((status.get(part) or {}).get("status") or "Unknown" for part in ("sync", "health"))
    return "" if (sync, health) == ("Synced", "Healthy") else f"{sync} and {health}"
