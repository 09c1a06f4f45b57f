"""Which objects of a namespace belong to nobody, as a project that watches for them wants to know.

Called by `syncline.controller.deliver.orphans` and `syncline app resources` with the objects that neither an app nor
another object owns. What Kubernetes itself puts into every namespace is never an orphan.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from syncline.apimachinery.globs import matches
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.model.project import OrphanedResources, ProjectSpec

IsExcluded = Callable[[GroupKind], bool]

# The control plane makes them of Services, and names no owner in them.
_ENDPOINTS = GroupKind("", "Endpoints")
_NEVER = frozenset(
    (
        ("", "ServiceAccount", "default"),
        ("", "Service", "kubernetes"),
        ("", "ConfigMap", "kube-root-ca.crt"),
    )
)


def wanted(project: ProjectSpec | None) -> OrphanedResources | None:
    """Return the rules by which a project wants to be warned of orphans; None where it does not."""
    rules = project.orphaned_resources if project is not None else None
    return rules if rules is not None and rules.warn is not False else None


def roots(
    strays: Iterable[ObjectKey], managed: Collection[ObjectKey], rules: OrphanedResources, excluded: IsExcluded
) -> list[ObjectKey]:
    """Return those that are not desired here, that the project does not ignore, and whose kind settings leave in."""
    return sorted(
        key
        for key in strays
        if key not in managed
        and (key.group, key.kind, key.name) not in _NEVER
        and key.group_kind != _ENDPOINTS
        and not _is_ignored(key, rules)
        and not excluded(key.group_kind)
    )


def _is_ignored(key: ObjectKey, rules: OrphanedResources) -> bool:
    return any(
        matches(key.group, rule.group)
        and (not rule.kind or matches(key.kind, rule.kind))
        and (not rule.name or matches(key.name, rule.name))
        for rule in rules.ignore
    )
