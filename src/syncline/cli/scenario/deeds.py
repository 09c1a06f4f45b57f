"""Carries out what a person does in a story outside Git, on the cluster that it is played on."""

from __future__ import annotations

from syncline.controller.app_key import AppKey
from syncline.model.errors import NeedsUser
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiResource, Cluster
from syncline.scenarios.story import Deed, Verb
from syncline.verbs import delete, sync

_MANAGER = "syncline-story"


async def carry_out(cluster: Cluster, deed: Deed, clock: Clock) -> None:
    """Delete, annotate, apply or sync an object, or end or confirm the operation of an Application."""
    resource = await find_resource(cluster, deed.resource)
    if deed.verb is Verb.DELETE:
        await cluster.delete(resource, deed.namespace, deed.name, propagation="Background")
    elif deed.verb is Verb.CONFIRM:
        await delete.confirm_deletion(cluster, AppKey(deed.namespace, deed.name), clock)
    elif deed.verb in (Verb.ANNOTATE, Verb.SYNC):
        annotated = {"metadata": {"annotations": dict(deed.content)}}
        patch = annotated if deed.verb is Verb.ANNOTATE else {"operation": {"sync": {}}}
        await cluster.patch(resource, deed.namespace, deed.name, patch, manager=_MANAGER)
    elif deed.verb is Verb.TERMINATE:
        await sync.terminate(cluster, AppKey(deed.namespace, deed.name), clock)
    else:
        await cluster.apply(resource, dict(deed.content), manager=_MANAGER)


async def find_resource(cluster: Cluster, name: str) -> ApiResource:
    """Return what a plural name with its group means on a cluster."""
    plural, _, group = name.partition(".")
    for one in (await cluster.discover()).resources:
        if (one.plural, one.gvk.group) == (plural, group):
            return one
    raise NeedsUser(f"{name} is not served by this cluster")
