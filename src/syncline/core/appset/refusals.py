"""Which ApplicationSets and Secrets of a running Argo CD would be refused here, for `syncline shadow report`.

Called by `syncline.verbs.moving` with what the cluster has. Nothing is generated for it: what a set is written with,
and the Applications that Argo CD made of it, show where it leaves its project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.appset.boundary import marked_otherwise
from syncline.core.appset.changes import controller_of, is_controlled
from syncline.core.policy import namespaces, set_writing, token_refs
from syncline.core.policy.set_refusals import set_refusals
from syncline.core.policy.set_tenancy import SetTenancy, tenancy
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings
from syncline.model.shadow import RefusedObject

_SHOWN = 3


def refused_sets(
    sets: Iterable[Object], apps: Sequence[Object], projects: Mapping[str, AppProject], settings: Settings
) -> Iterator[RefusedObject]:
    """Yield each set that is refused as it is written, or for what Argo CD made of it."""
    for appset in sets:
        whose = tenancy(appset, projects.values(), settings.namespace)
        own = [app for app in apps if meta.namespace(app) == meta.namespace(appset) and is_controlled(app, appset)]
        why = _as_written(appset, projects, settings) or _as_made(appset, own, whose, projects, settings)
        if why:
            yield RefusedObject("ApplicationSet", _key(appset), why)
        if left := _left_by_an_older(appset, apps):
            yield RefusedObject("ApplicationSet", _key(appset), left)


def _as_written(appset: Object, projects: Mapping[str, AppProject], settings: Settings) -> str:
    return marked_otherwise(appset) or set_writing.leaving(appset, projects, settings.namespace)


def _as_made(
    appset: Object, own: Iterable[Object], whose: SetTenancy, projects: Mapping[str, AppProject], settings: Settings
) -> str:
    namespace = meta.namespace(appset)
    is_elsewhere = namespace != settings.namespace
    outside: list[str] = []
    for app in own:
        name = str((app.get("spec") or {}).get("project") or "default")
        project = projects.get(name)
        is_listed = project is not None and namespaces.listed(namespace, project.spec.source_namespaces)
        if (whose.project and name != whose.project) or (is_elsewhere and not is_listed):
            outside.append(f"{meta.name(app)} in project {name}")
    if not outside:
        return ""
    more = f" and {len(outside) - _SHOWN} more" if len(outside) > _SHOWN else ""
    bound = f"it belongs to project {whose.project}" if whose.project else f"it is in namespace {namespace}"
    return f"{bound}, and made {', '.join(outside[:_SHOWN])}{more}"


def _left_by_an_older(appset: Object, apps: Iterable[Object]) -> str:
    """Return which Applications are its own by name only: those of another project it may not take."""
    own_project = set_writing.project_of(appset)
    foreign = [
        meta.name(app)
        for app in apps
        if meta.namespace(app) == meta.namespace(appset)
        and (owner := controller_of(app)) is not None
        and owner.is_set
        and owner.name == meta.name(appset)
        and owner.uid != meta.uid(appset)
        and "{{" not in own_project
        and str((app.get("spec") or {}).get("project") or "default") != own_project
    ]
    if not foreign:
        return ""
    return (
        f"an older set of its name made {', '.join(sorted(foreign)[:_SHOWN])} in another project, so it may not take it"
    )


def refused_requests(
    appset: Object,
    secrets: Mapping[tuple[str, str], Object],
    projects: Mapping[str, AppProject],
    settings: Settings,
) -> Iterator[RefusedObject]:
    """Yield what the generators of a set may not ask for, and each Secret that they may not use.

    `secrets` are those that the set names, by namespace and name; one that is missing works nowhere.
    """
    whose = tenancy(appset, projects.values(), settings.namespace)
    for ref in token_refs.refs_of(appset, settings.namespace):
        secret = secrets.get((ref.namespace, ref.name))
        if secret is None and ref.name != token_refs.COMMON:
            continue
        if why := token_refs.refusal(ref, secret, whose, settings.application_sets, settings.namespace):
            yield RefusedObject("Secret", f"{ref.namespace}/{ref.name}", f"ApplicationSet {_key(appset)}: {why}")
    for why in set_refusals(appset, whose, settings, lambda namespace, name: secrets.get((namespace, name))):
        if not why.startswith("Secret "):
            yield RefusedObject("ApplicationSet", _key(appset), why)


def _key(appset: Object) -> str:
    return f"{meta.namespace(appset)}/{meta.name(appset)}"
