"""The objects of a repository as its apps would deliver them: on which cluster, under which key, from which line.

Shared by the rules on repositories and changes; worked out once, by `syncline.core.diagnose.repository.world`.
Namespaces and duplicates follow the same rules as in a sync.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.core.diagnose.repository.world import Delivery, cluster_of, typed_app
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.application import Application


class Rendered(msgspec.Struct, frozen=True):
    """An object, and the app that delivers it."""

    app: str
    item: Prepared
    roots: tuple[str, ...] = ()


Address = tuple[str, ObjectKey]
"""A cluster and an object on it."""


def rendered(repo: Repo, keys: Container[ObjectKey] | None = None) -> dict[Address, list[Rendered]]:
    """Return every object that the apps of a repository deliver, with all the apps that do, both in order.

    With `keys` only those objects.
    """
    found: dict[Address, list[Rendered]] = {}
    for one in repo.world.deliveries:
        for item in one.prepared.objects:
            if keys is None or item.key in keys:
                found.setdefault((one.cluster, item.key), []).append(Rendered(str(one), item, one.app.roots))
    return dict(sorted(found.items()))


def unknown_clusters(repo: Repo) -> frozenset[str]:
    """Return the clusters of apps that could not be rendered: what else is delivered there is not known."""
    missing = (app for app in repo.apps if app.desired is None)
    return frozenset(cluster_of(typed) if (typed := typed_app(app)) else "" for app in missing)


def repo_apps(repo: Repo) -> Iterator[tuple[str, RepoApp]]:
    """Yield every app of a repository, as parts for `syncline.core.diagnose.rule.Rule.on_each`."""
    yield from repo.by_name


def prepared_apps(repo: Repo) -> Iterator[tuple[str, tuple[RepoApp, Application, PreparedSet]]]:
    """Yield every app that was rendered, with its objects as a sync would take them."""
    for one in repo.world.deliveries:
        yield str(one), (one.app, one.typed, one.prepared)


def deliveries(repo: Repo) -> Iterator[tuple[str, Delivery]]:
    """Yield every app that was rendered, as parts for `syncline.core.diagnose.rule.Rule.on_each`."""
    for one in repo.world.deliveries:
        yield str(one), one


def delivered(repo: Repo) -> Iterator[tuple[str, tuple[Delivery, Prepared]]]:
    """Yield every object that is delivered, with its app."""
    for one in repo.world.deliveries:
        for item in one.items:
            yield item.key.short, (one, item)


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
