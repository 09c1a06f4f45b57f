"""Decides which kinds of a cluster are seen at all.

Asked for every kind of a cluster and every kind in a render. Exclusion wins over inclusion; groups and clusters are
globs, kinds are exact names or a lone `*`, as Argo CD matches them.
"""

from __future__ import annotations

import functools

from syncline.apimachinery import globs
from syncline.apimachinery.keys import GroupKind
from syncline.model import names
from syncline.model.settings.resources import ResourceFilter
from syncline.model.settings.settings import Settings


def excluded(kind: GroupKind, settings: Settings, server: str = names.IN_CLUSTER_SERVER) -> bool:
    """Whether settings leave a kind out on the cluster at an address; patterns are `group/Kind`, core kinds `Kind`."""
    return _excluded(kind, server, settings.exclusions, settings.resource_exclusions, settings.resource_inclusions)


@functools.lru_cache(maxsize=4096)
def _excluded(
    kind: GroupKind,
    server: str,
    patterns: tuple[str, ...],
    exclusions: tuple[ResourceFilter, ...],
    inclusions: tuple[ResourceFilter, ...],
) -> bool:
    """Decide once for each kind: it is asked again for every object."""
    if any(globs.matches(str(kind), pattern) for pattern in patterns):
        return True
    if any(matches(one, kind, server) for one in exclusions):
        return True
    return bool(inclusions) and not any(matches(one, kind, server) for one in inclusions)


def matches(one: ResourceFilter, kind: GroupKind, server: str) -> bool:
    """Whether a kind on a cluster is of the class that a filter describes."""
    return (
        (not one.api_groups or any(globs.matches(kind.group, pattern) for pattern in one.api_groups))
        and (not one.kinds or "*" in one.kinds or kind.kind in one.kinds)
        and (not one.clusters or any(globs.matches(server, pattern) for pattern in one.clusters))
    )
