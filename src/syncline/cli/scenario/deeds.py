"""Carries out what a person does in a story outside Git, on the cluster that it is played on."""

from __future__ import annotations

from syncline.model import names
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiResource, Cluster
from syncline.scenarios.story import Deed, Verb

_MANAGER = "syncline-story"


async def carry_out(cluster: Cluster, deed: Deed) -> None:
    """Delete, annotate, apply or sync an object."""
    resource = await _resource(cluster, deed.resource)
    if deed.verb is Verb.DELETE:
        await cluster.delete(resource, deed.namespace, deed.name, propagation="Background")
    elif deed.verb is Verb.CONFIRM:
        await _confirm(cluster, resource, deed)
    elif deed.verb in (Verb.ANNOTATE, Verb.SYNC):
        annotated = {"metadata": {"annotations": dict(deed.content)}}
        patch = annotated if deed.verb is Verb.ANNOTATE else {"operation": {"sync": {}}}
        await cluster.patch(resource, deed.namespace, deed.name, patch, manager=_MANAGER)
    else:
        await cluster.apply(resource, dict(deed.content), manager=_MANAGER)


async def _confirm(cluster: Cluster, resource: ApiResource, deed: Deed) -> None:
    """Approve what the running operation of an app would delete, and nothing that a later one would."""
    app = await cluster.get(resource, deed.namespace, deed.name) or {}
    since = ((app.get("status") or {}).get("operationState") or {}).get("startedAt")
    patch = {"metadata": {"annotations": {names.DELETION_APPROVED: since}}}
    await cluster.patch(resource, deed.namespace, deed.name, patch, manager=_MANAGER)


async def _resource(cluster: Cluster, name: str) -> ApiResource:
    plural, _, group = name.partition(".")
    for one in (await cluster.discover()).resources:
        if (one.plural, one.gvk.group) == (plural, group):
            return one
    raise NeedsUser(f"{name} is not served by this cluster")
