"""Whether a project permits an Application's source and destination, and the objects it delivers.

Called by `syncline.core.policy.permission` and `syncline.core.sync.refusals`; every denial says which rule decided and
what would allow it. A `!pattern` that matches denies, whatever else allows; one that does not match counts as an allow,
so a lone `!pattern` permits everything else. Patterns of repositories have a rule of their own
(`syncline.model.sources.permitted`).
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.globs import matches
from syncline.apimachinery.keys import ObjectKey
from syncline.model import names
from syncline.model.application import Application, Destination
from syncline.model.project import AppProject, GroupKindPattern, ProjectDestination, ProjectSpec
from syncline.model.sources.permitted import repo_permitted


def source_denials(app: Application, project: AppProject) -> tuple[str, ...]:
    """Return one sentence per source that the project does not permit."""
    return tuple(
        f"application repo {source.shown_url} is not permitted in project '{project.metadata.name}'"
        f" (add it to spec.sourceRepos, which is {_listed(project.spec.source_repos)})"
        for source in app.spec.all_sources
        if not repo_permitted(source.repo_url, project.spec.source_repos)
    )


def destination_denials(app: Application, project: AppProject) -> tuple[str, ...]:
    """Return why the project does not permit the destination; nothing when it does."""
    destination = app.spec.destination
    if _destination_permitted(_resolved(destination), project.spec.destinations):
        return ()
    message = (
        f"application destination server '{destination.server or destination.name}' and namespace"
        f" '{destination.namespace}' do not match any of the allowed destinations in project"
        f" '{project.metadata.name}' (add it to spec.destinations)"
    )
    return (message,)


def object_denial(key: ObjectKey, destination: Destination, project: AppProject) -> str:
    """Return why a project does not permit an object; empty when it does."""
    name = project.metadata.name
    if not kind_permitted(key, project.spec):
        lists = "namespaceResourceWhitelist/Blacklist" if key.namespace else "clusterResourceWhitelist/Blacklist"
        return f"resource {key.group}:{key.kind} is not permitted in project {name} (see its spec.{lists})"
    if not key.namespace:
        return ""
    there = _resolved(Destination(server=destination.server, name=destination.name, namespace=key.namespace))
    if _destination_permitted(there, project.spec.destinations):
        return ""
    return f"namespace {key.namespace} is not permitted in project '{name}' (see its spec.destinations)"


def denied_keys(keys: Iterable[ObjectKey], destination: Destination, project: AppProject) -> frozenset[ObjectKey]:
    """Return the objects that a project does not permit; a rule is asked once for all that it cannot tell apart."""
    verdicts: dict[tuple[str, str, str, str], bool] = {}
    denied, by_name = [], _by_name(project.spec)
    for key in keys:
        alike = (key.group, key.kind, key.namespace, "" if key.namespace and not by_name else key.name)
        if alike not in verdicts:
            verdicts[alike] = bool(object_denial(key, destination, project))
        if verdicts[alike]:
            denied.append(key)
    return frozenset(denied)


def _by_name(spec: ProjectSpec) -> bool:
    lists = (spec.namespace_resource_whitelist or (), spec.namespace_resource_blacklist)
    return any(pattern.name for patterns in lists for pattern in patterns)


def kind_permitted(key: ObjectKey, spec: ProjectSpec) -> bool:
    """Whether the lists permit a kind: without a list of cluster-scoped kinds none, of namespaced ones all."""
    if not key.namespace:
        return _listed_kind(key, spec.cluster_resource_whitelist) and not _listed_kind(
            key, spec.cluster_resource_blacklist
        )
    allowed = spec.namespace_resource_whitelist
    return (allowed is None or _listed_kind(key, allowed)) and not _listed_kind(key, spec.namespace_resource_blacklist)


def _listed_kind(key: ObjectKey, patterns: Iterable[GroupKindPattern]) -> bool:
    return any(
        matches(key.group, pattern.group)
        and matches(key.kind, pattern.kind)
        and (not pattern.name or matches(key.name, pattern.name))
        for pattern in patterns
    )


def _listed(patterns: Iterable[str]) -> str:
    return "now " + (", ".join(patterns) or "empty")


def _is_denial(pattern: str) -> bool:
    return pattern.startswith("!")


def _agrees(value: str, pattern: str) -> bool:
    """Whether a value is what a pattern allows; a `!pattern` allows all that it does not match."""
    if _is_denial(pattern):
        return not matches(value, pattern[1:])
    return pattern == "*" or matches(value, pattern)


def _resolved(destination: Destination) -> Destination:
    """Return a destination with both names of the cluster it stands for, as far as they are known here."""
    if destination.name == names.IN_CLUSTER_NAME or destination.server == names.IN_CLUSTER_SERVER:
        return Destination(server=names.IN_CLUSTER_SERVER, name=names.IN_CLUSTER_NAME, namespace=destination.namespace)
    return destination


def _destination_permitted(destination: Destination, rules: Iterable[ProjectDestination]) -> bool:
    verdicts = [_judge(destination, rule) for rule in rules]
    return True in verdicts and False not in verdicts


def _judge(destination: Destination, rule: ProjectDestination) -> bool | None:
    """Return whether a rule allows (True) or denies (False) a destination; None when it says nothing about it."""
    by_name = bool(destination.name) and _agrees(destination.name, rule.name)
    by_server = bool(destination.server) and _agrees(destination.server, rule.server)
    namespace = _agrees(destination.namespace, rule.namespace)
    if (by_name or by_server) and namespace:
        return True
    denied_cluster = (_is_denial(rule.name) and not by_name) or (_is_denial(rule.server) and not by_server)
    if denied_cluster and namespace:
        return False
    denied_namespace = _is_denial(rule.namespace) and not namespace
    return False if denied_namespace and (by_name or by_server) else None
