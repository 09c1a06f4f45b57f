"""Reads what a move from Argo CD would have refused: ApplicationSets and the Secrets that they use.

Called by `syncline shadow record`, which keeps the answer beside the verdicts. Nothing is written. Of Secrets only
those are read that a set names, and of those only the labels count.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.appset.refusals import refused_requests, refused_sets
from syncline.core.policy import global_projects, token_refs
from syncline.model import names
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings
from syncline.model.shadow import RefusedObject
from syncline.ports.kube import ApiError, Cluster

_SECRET = GroupKind("", "Secret")


async def refused_after_move(cluster: Cluster, settings: Settings) -> tuple[RefusedObject, ...]:
    """Return every set and Secret that would be refused, sorted."""
    sets = await _objects(cluster, "ApplicationSet", "")
    if not sets:
        return ()
    apps = await _objects(cluster, "Application", "")
    projects = typed_projects(await _objects(cluster, "AppProject", settings.namespace), settings)
    refused = list(refused_sets(sets, apps, projects, settings))
    for appset in sets:
        refused += refused_requests(appset, await _secrets(cluster, appset, settings.namespace), projects, settings)
    return tuple(sorted(set(refused), key=lambda one: (one.kind, one.name, one.why)))


async def _objects(cluster: Cluster, kind: str, namespace: str) -> list[Object]:
    served = (await cluster.discover()).find(GroupKind(names.GROUP, kind))
    return list((await cluster.list(served, namespace=namespace)).items) if served is not None else []


def typed_projects(objects: Iterable[Object], settings: Settings) -> dict[str, AppProject]:
    """Return the projects that can be read, by name, with what each inherits."""
    by_name = {meta.name(obj): obj for obj in objects}
    return global_projects.read_all(by_name, settings.global_projects, by_name.get)


async def _secrets(cluster: Cluster, appset: Object, control_namespace: str) -> dict[tuple[str, str], Object]:
    """Return the Secrets that a set names; one that may not be read is left out, and not judged."""
    served = (await cluster.discover()).find(_SECRET)
    secrets: dict[tuple[str, str], Object] = {}
    for ref in token_refs.refs_of(appset, control_namespace) if served is not None else ():
        try:
            secret = await cluster.get(served, ref.namespace, ref.name) if served is not None else None
        except ApiError:
            continue
        if secret is not None:
            secrets[ref.namespace, ref.name] = secret
    return secrets
