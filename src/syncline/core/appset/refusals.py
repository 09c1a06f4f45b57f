"""Which ApplicationSets and Secrets of a running Argo CD would be refused here, for `syncline shadow report`.

Called by `syncline.verbs.moving` with what the cluster has. Nothing is generated for it: what a set is written with,
and the Applications that Argo CD made of it, show where it leaves its project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.appset.boundary import marked_otherwise
from syncline.core.appset.changes import controller_of, is_controlled
from syncline.core.policy import namespaces, set_writing
from syncline.core.policy.set_tenancy import SetTenancy, tenancy
from syncline.model import names
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings
from syncline.model.shadow import RefusedObject

_SCM_CREDENTIALS = "scm-creds"
_COMMON_SECRET = "argocd-secret"  # noqa: S105 - the name of a Secret
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


def secret_names(appset: Object) -> tuple[str, ...]:
    """Return the Secrets that the generators of a set name for code hosts; one that is a template is left out."""
    spec = appset.get("spec")
    generators = spec.get("generators") if isinstance(spec, Mapping) else None
    return tuple(dict.fromkeys(name for name in _named_secrets(generators) if "{{" not in name))


def refused_secrets(
    appset: Object, secrets: Mapping[str, Object], projects: Mapping[str, AppProject], settings: Settings
) -> Iterator[RefusedObject]:
    """Yield each Secret, of those in the namespace of a set by name, that the set may not use."""
    whose = tenancy(appset, projects.values(), settings.namespace)
    is_strict = settings.application_sets.strict_token_refs or not whose.is_operators
    for name in secret_names(appset):
        secret = secrets.get(name)
        key = f"{meta.namespace(appset)}/{name}"
        if name == _COMMON_SECRET and meta.namespace(appset) == settings.namespace:
            why = f"ApplicationSet {_key(appset)} names it, and it is sent to no code host"
            yield RefusedObject("Secret", key, why)
        elif secret is not None and is_strict and meta.labels(secret).get(names.SECRET_TYPE) != _SCM_CREDENTIALS:
            label = f"{names.SECRET_TYPE}: {_SCM_CREDENTIALS}"
            yield RefusedObject(
                "Secret", key, f"ApplicationSet {_key(appset)} names it, and it lacks the label {label}"
            )


def _named_secrets(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for member in value:
            yield from _named_secrets(member)
    if not isinstance(value, Mapping):
        return
    for field, member in value.items():
        if str(field).endswith("Ref") and isinstance(member, Mapping) and isinstance(member.get("secretName"), str):
            yield member["secretName"]
        elif field not in ("template", "values"):
            yield from _named_secrets(member)


def _key(appset: Object) -> str:
    return f"{meta.namespace(appset)}/{meta.name(appset)}"
