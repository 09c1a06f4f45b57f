"""Which objects of a namespace belong to nobody, as a project that watches for them wants to know.

Called by `syncline.controller.orphans`. What Kubernetes itself puts into every namespace is never an orphan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.compare import tracking
from syncline.core.policy.globs import matches
from syncline.model.project import OrphanedResources, ProjectSpec
from syncline.model.settings import Settings

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
    objects: Iterable[Object], managed: Collection[ObjectKey], rules: OrphanedResources, settings: Settings
) -> list[ObjectKey]:
    """Return the objects that nobody owns, that no app has marked as its own, and that are not desired here."""
    found = []
    for obj in objects:
        key = key_of(obj)
        if (obj.get("metadata") or {}).get("ownerReferences") or tracking.owner_of(obj, settings) or key in managed:
            continue
        if (key.group, key.kind, key.name) not in _NEVER and not _is_ignored(key, rules):
            found.append(key)
    return sorted(found)


def _is_ignored(key: ObjectKey, rules: OrphanedResources) -> bool:
    return any(
        matches(key.group, rule.group)
        and (not rule.kind or matches(key.kind, rule.kind))
        and (not rule.name or matches(key.name, rule.name))
        for rule in rules.ignore
    )
