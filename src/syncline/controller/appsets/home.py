"""Reads what generators ask of the control plane's namespace: a ConfigMap, and objects of a kind that it names.

Called by `syncline.controller.appsets.reconcile`; asked of the API server each time, since nobody follows such kinds.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey, split_api_version
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.questions import ConfigMapQuestion, Failure, ObjectsQuestion
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.ports.kube import ApiError, ApiResource, Discovery
from syncline.ports.transport import TransportError


async def read_home(
    world: World, live: LiveCluster, question: ConfigMapQuestion | ObjectsQuestion, tenancy: SetTenancy
) -> Any:
    """Return the answer, or why there is none; a project's set does not learn which ConfigMaps there are."""
    namespace = world.settings.namespace
    if isinstance(question, ConfigMapQuestion):
        found = live.index.get(ObjectKey("", "ConfigMap", namespace, question.name))
        if found is None and not tenancy.is_operators:
            return {}
        if found is None:
            return Failure(f"ConfigMap {question.name} does not exist in namespace {namespace}: create it")
        return dict(found.get("data") or {})
    try:
        # A kind that was just installed may not be known yet.
        resource = _served(live.discovery, question) or _served(await world.home.discover(), question)
        if resource is None:
            return Failure(f"{question.plural} of {question.api_version} are not served: install their CRD")
        listed = await world.home.list(resource, namespace=namespace, label_selector=question.selector)
    except (ApiError, TransportError) as error:
        return Failure(f"{question.plural} of {question.api_version} cannot be listed: {error}")
    return tuple(one for one in listed.items if question.name in ("", meta.name(one)))


def _served(discovery: Discovery, question: ObjectsQuestion) -> ApiResource | None:
    wanted = (*split_api_version(question.api_version), question.plural)
    return next((one for one in discovery.resources if (one.gvk.group, one.gvk.version, one.plural) == wanted), None)
