"""Which objects a partial sync covers.

Used by `syncline.core.sync.plan`. A self-heal names every object that drifted, which may be thousands: entries without
wildcards are looked up, not walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from syncline.apimachinery.keys import ObjectKey
from syncline.model.operation import SyncOperation, SyncOperationResource

Covers = Callable[[ObjectKey], bool]


def covers(sync: SyncOperation) -> Covers:
    """Return a test: without including entries all objects are covered but the excluded ones."""
    included = [resource for resource in sync.resources if not resource.exclude]
    chosen = _matcher(included)
    spared = _matcher(resource for resource in sync.resources if resource.exclude)
    return lambda key: (not included or chosen(key)) and not spared(key)


def _matcher(resources: Iterable[SyncOperationResource]) -> Covers:
    exact: set[tuple[str, str, str, str]] = set()
    patterns: list[SyncOperationResource] = []
    for item in resources:
        if "*" in (item.group, item.kind, item.name):
            patterns.append(item)
        else:
            exact.add((item.group, item.kind, item.name, "" if item.namespace == "*" else item.namespace))

    def matches(key: ObjectKey) -> bool:
        plain = (key.group, key.kind, key.name)
        if (*plain, key.namespace) in exact or (*plain, "") in exact:
            return True
        return any(_names(item, key) for item in patterns)

    return matches


def _names(item: SyncOperationResource, key: ObjectKey) -> bool:
    wanted = (item.group, item.kind, item.name)
    same = all(want in (have, "*") for want, have in zip(wanted, (key.group, key.kind, key.name), strict=True))
    return same and item.namespace in ("", "*", key.namespace)
