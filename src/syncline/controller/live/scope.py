"""How much of a cluster is seen: all of it, or some namespaces of it.

Made from a cluster Secret by `syncline.controller.clusters.destinations` and, for the home cluster, by
`syncline.controller.clusters.home`; used by `syncline.controller.live.cluster` to decide what to list and to watch. The
odd fact: with namespaces named, kinds without namespace are seen only if the Secret says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.model import names
from syncline.ports.kube import ApiResource

_NEEDED_VERBS = frozenset({"list", "watch"})


class WatchTarget(NamedTuple):
    """What one list and one watch are about: a kind, in one namespace or (empty) everywhere."""

    kind: GroupKind
    namespace: str = ""

    def __str__(self) -> str:
        return f"{self.kind} in {self.namespace}" if self.namespace else str(self.kind)


class ViewScope(msgspec.Struct, frozen=True):
    """What to look at in one cluster. `always` are kinds that settings cannot exclude here.

    `homes` are the namespaces of kinds that an installation consists of: they are seen there whatever else is; an empty
    name stands for everywhere.
    """

    server: str = names.IN_CLUSTER_SERVER
    namespaces: tuple[str, ...] = ()
    cluster_resources: bool = False
    always: frozenset[GroupKind] = frozenset()
    homes: Mapping[GroupKind, tuple[str, ...]] = {}

    def watches(self, resource: ApiResource) -> Iterable[WatchTarget]:
        """Return what to list and watch of a kind."""
        kind = resource.gvk.group_kind
        if not resource.verbs >= _NEEDED_VERBS:
            return ()
        own = self.homes.get(kind, ())
        if not self.namespaces or "" in own:
            return (WatchTarget(kind),)
        if resource.namespaced:
            return tuple(WatchTarget(kind, namespace) for namespace in sorted({*self.namespaces, *own}))
        return (WatchTarget(kind),) if self.cluster_resources else ()

    def unmanaged(self, kind: str, name: str, namespace: str) -> str:
        """Return why an object lies outside, in Argo CD's words; empty when it does not."""
        if not self.namespaces or (not namespace and self.cluster_resources):
            return ""
        if not namespace:
            return f'cluster level {kind} "{name}" can not be managed when in namespaced mode'
        if namespace not in self.namespaces:
            return f'namespace "{namespace}" for {kind} "{name}" is not managed'
        return ""
