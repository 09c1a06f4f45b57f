"""How entries of a project's lists match: destinations, and kinds with their names.

Asked by `syncline.core.policy.projects` for verdicts and by `syncline.core.policy.denials` for which entry decided. A
`!pattern` that matches denies, whatever else allows; one that does not match counts as an allow, so a lone `!pattern`
permits everything else. Patterns of repositories have a rule of their own (`syncline.model.sources.permitted`).
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.globs import matches
from syncline.apimachinery.keys import ObjectKey
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.project import GroupKindPattern, ProjectDestination, ProjectSpec


def kind_permitted(key: ObjectKey, spec: ProjectSpec) -> bool:
    """Whether the lists permit a kind: without a list of cluster-scoped kinds none, of namespaced ones all."""
    allowed = allowed_kinds(key, spec)
    return (allowed is None or kind_listed(key, allowed)) and not kind_listed(key, denied_kinds(key, spec))


def allowed_kinds(key: ObjectKey, spec: ProjectSpec) -> tuple[GroupKindPattern, ...] | None:
    """Return the list that has to name the kind of an object; None where all are permitted."""
    return spec.namespace_resource_whitelist if key.namespace else spec.cluster_resource_whitelist


def denied_kinds(key: ObjectKey, spec: ProjectSpec) -> tuple[GroupKindPattern, ...]:
    """Return the list that must not name the kind of an object."""
    return spec.namespace_resource_blacklist if key.namespace else spec.cluster_resource_blacklist


def kind_listed(key: ObjectKey, patterns: Iterable[GroupKindPattern]) -> bool:
    """Whether a list names the kind of an object."""
    return any(
        matches(key.group, pattern.group)
        and matches(key.kind, pattern.kind)
        and (not pattern.name or matches(key.name, pattern.name))
        for pattern in patterns
    )


def destination_permitted(destination: Destination, rules: Iterable[ProjectDestination]) -> bool:
    """Whether a destination is allowed by an entry and denied by none."""
    verdicts = [judge(destination, rule) for rule in rules]
    return True in verdicts and False not in verdicts


def judge(destination: Destination, rule: ProjectDestination) -> bool | None:
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


def resolved(destination: Destination) -> Destination:
    """Return a destination with both names of the cluster it stands for, as far as they are known here."""
    if destination.name == names.IN_CLUSTER_NAME or destination.server == names.IN_CLUSTER_SERVER:
        return Destination(server=names.IN_CLUSTER_SERVER, name=names.IN_CLUSTER_NAME, namespace=destination.namespace)
    return destination


def _is_denial(pattern: str) -> bool:
    return pattern.startswith("!")


def _agrees(value: str, pattern: str) -> bool:
    """Whether a value is what a pattern allows; a `!pattern` allows all that it does not match."""
    if _is_denial(pattern):
        return not matches(value, pattern[1:])
    return pattern == "*" or matches(value, pattern)
