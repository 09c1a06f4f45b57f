"""The objects of a repository as its apps would deliver them: on which cluster, under which key, from which line.

Shared by the rules on repositories and changes. Which kinds are namespaced is known from Kubernetes and from the CRDs
of the repository; any other kind is taken as namespaced. Namespaces and duplicates follow the same rules as in a sync.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of
from syncline.apimachinery.schema import resources
from syncline.core import defined_kinds
from syncline.core.compare.prepare import Prepared, PreparedSet, prepare
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model import application, names
from syncline.model.application import Application
from syncline.model.errors import InvalidSpec


class Rendered(msgspec.Struct, frozen=True):
    """An object, and the app that delivers it."""

    app: str
    item: Prepared
    roots: tuple[str, ...] = ()


Address = tuple[str, ObjectKey]
"""A cluster and an object on it."""


def rendered(repo: Repo) -> dict[Address, list[Rendered]]:
    """Return every object that the apps of a repository deliver, with all the apps that do, both in order."""
    found: dict[Address, list[Rendered]] = {}
    scopes = _scopes(repo)
    for app in sorted(repo.apps, key=str):
        typed = _typed(app)
        if app.desired is None or typed is None:
            continue
        for item in prepare(app.desired, typed, repo.settings.settings, scopes).objects:
            found.setdefault((cluster_of(typed), item.key), []).append(Rendered(str(app), item, app.roots))
    return dict(sorted(found.items()))


def unknown_clusters(repo: Repo) -> frozenset[str]:
    """Return the clusters of apps that could not be rendered: what else is delivered there is not known."""
    missing = (app for app in repo.apps if app.desired is None)
    return frozenset(cluster_of(typed) if (typed := _typed(app)) else "" for app in missing)


def cluster_of(app: Application) -> str:
    """Return the address of the cluster an app is delivered to, or its name; both names of our own are one."""
    destination = app.spec.destination
    if destination.name == names.IN_CLUSTER_NAME:
        return names.IN_CLUSTER_SERVER
    return destination.server or destination.name


def _typed(app: RepoApp) -> Application | None:
    """Return the typed Application; None where it cannot be read, which is another rule's to report."""
    try:
        return application.parse(app.manifest.obj)
    except InvalidSpec:
        return None


def _scopes(repo: Repo) -> Mapping[GroupKind, bool]:
    objects = [item.obj for app in repo.apps if app.desired is not None for item in app.desired.objects]
    kinds = {gvk_of(obj).group_kind for obj in objects}
    built_in = {kind: known.namespaced for kind in kinds if (known := resources.for_group_kind(kind)) is not None}
    return {**built_in, **dict(defined_kinds.scopes(objects))}


def scopes(repo: Repo) -> Mapping[GroupKind, bool]:
    """Return which kinds are namespaced, as far as that is known without a cluster."""
    return _scopes(repo)


def repo_apps(repo: Repo) -> Iterator[tuple[str, RepoApp]]:
    """Yield every app of a repository, as parts for `syncline.core.diagnose.rule.Rule.on_each`."""
    for app in sorted(repo.apps, key=str):
        yield str(app), app


def prepared_apps(repo: Repo) -> Iterator[tuple[str, tuple[RepoApp, Application, PreparedSet]]]:
    """Yield every app that was rendered, with its objects as a sync would take them."""
    scopes = _scopes(repo)
    for name, app in repo_apps(repo):
        typed = _typed(app)
        if app.desired is not None and typed is not None:
            yield name, (app, typed, prepare(app.desired, typed, repo.settings.settings, scopes))


def sources_with_paths(app: Object) -> Iterator[tuple[str, Object]]:
    """Yield the sources of an Application as it is written, each with its path in it."""
    spec = app.get("spec") or {}
    if spec.get("sources"):
        for index, source in enumerate(spec["sources"]):
            if isinstance(source, dict):
                yield f"spec.sources[{index}]", source
    elif isinstance(spec.get("source"), dict):
        yield "spec.source", spec["source"]


def ignore_rules(app: Object) -> Iterator[tuple[str, str, str]]:
    """Yield the JSON pointers of an Application's ignore rules: path in it, kind and pointer.

    Rules for one object by name are passed over: they are exceptions that somebody meant.
    """
    rules = (app.get("spec") or {}).get("ignoreDifferences")
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        pointers = rule.get("jsonPointers") if isinstance(rule, dict) and not rule.get("name") else None
        for place, pointer in enumerate(pointers if isinstance(pointers, list) else ()):
            path = f"spec.ignoreDifferences[{index}].jsonPointers[{place}]"
            yield path, str(rule.get("kind") or ""), str(pointer)
