"""What `syncline doctor` says of ApplicationSets: tokens that need a label, and requests that are refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object
from syncline.model import names
from syncline.ports.kube import ApiError

if TYPE_CHECKING:
    from syncline.model.settings.settings import Settings
    from syncline.ports.kube import Cluster, Discovery

_SHOWN = 5


class SetCheck(msgspec.Struct, frozen=True):
    """One line about sets: how it stands, what was found, and what to do."""

    name: str
    status: str
    found: str
    fix: str = ""


async def set_checks(cluster: Cluster, discovery: Discovery, settings: Settings) -> AsyncIterator[SetCheck]:
    """Look at every set of an installation; one who may not read Secrets learns that instead."""
    from syncline.core.policy.set_refusals import set_refusals, unlabelled_secrets
    from syncline.core.policy.set_tenancy import tenancy
    from syncline.verbs.moving import typed_projects

    try:
        sets = await _listed(cluster, discovery, "ApplicationSet")
        if not sets:
            return
        listed = await _listed(cluster, discovery, "AppProject", settings.namespace)
        projects = list(typed_projects(listed, settings).values())
        namespaces = {settings.namespace, *map(meta.namespace, sets)}
        secrets: dict[tuple[str, str], Object] = {}
        for one in sorted(namespaces):
            secrets |= await _secrets(cluster, discovery, one)
    except ApiError as error:
        yield SetCheck("ApplicationSets", "warning", f"not checked: {error.message}", "give this user rights to read")
        return

    def find(namespace: str, name: str) -> Object | None:
        return secrets.get((namespace, name))

    refused, wanting = [], dict[tuple[str, str], list[str]]()
    for appset in sets:
        whose = tenancy(appset, projects, settings.namespace)
        where = f"{meta.namespace(appset)}/{meta.name(appset)}"
        refused += [f"{where}: {sentence}" for sentence in set_refusals(appset, whose, settings, find)]
        for ref in unlabelled_secrets(appset, whose, settings, find):
            wanting.setdefault((ref.namespace, ref.name), []).append(where)
    if refused:
        fix = "see docs/guide/applicationsets.md, what sets of projects may ask"
        yield SetCheck("requests of sets", "warning", _some(refused), fix)
    else:
        yield SetCheck("requests of sets", "ok", f"{len(sets)} ApplicationSets, none is refused")
    if wanting:
        named = [f"Secret {namespace}/{name} ({', '.join(users)})" for (namespace, name), users in wanting.items()]
        namespace, name = next(iter(wanting))
        fix = f"kubectl label secret -n {namespace} {name} {names.SECRET_TYPE}=scm-creds"
        yield SetCheck("tokens without a label", "warning", _some(named), fix)


async def _listed(cluster: Cluster, discovery: Discovery, kind: str, namespace: str = "") -> list[Object]:
    resource = discovery.find(GroupKind(names.GROUP, kind))
    return [] if resource is None else list((await cluster.list(resource, namespace=namespace)).items)


async def _secrets(cluster: Cluster, discovery: Discovery, namespace: str) -> Mapping[tuple[str, str], Object]:
    resource = discovery.find(GroupKind("", "Secret"))
    if resource is None:
        return {}
    found = (await cluster.list(resource, namespace=namespace)).items
    return {(namespace, meta.name(one)): one for one in found}


def _some(texts: list[str]) -> str:
    more = f"; and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more
