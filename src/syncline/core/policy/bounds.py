"""Which live objects may be attached to an Application: those that its project permits it to touch.

Asked by `syncline.controller.deliver.survey`, the one place where live objects get to an Application, before it reads
any. A name in Git, a tracking id or an owner reference can point at anything in the cluster, so none of them is proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy import projects
from syncline.core.policy.matching import denied_kinds, destination_permitted, kind_listed, resolved
from syncline.core.policy.permission import Permission
from syncline.model.application import Destination
from syncline.model.condition import ConditionType
from syncline.model.project import AppProject, GroupKindPattern


class Bounds(msgspec.Struct, frozen=True):
    """What a project permits at one destination; without a project nothing is permitted."""

    project: AppProject | None
    destination: Destination = Destination()

    def denied(self, keys: Iterable[ObjectKey]) -> frozenset[ObjectKey]:
        """Return the objects that must not be attached, of those that Git names or that name the Application."""
        if self.project is None:
            return frozenset(keys)
        return projects.denied_keys(keys, self.destination, self.project)

    def child_filter(self) -> Callable[[ObjectKey], bool]:
        """Return what tells whether an object may be attached because one that is permitted owns it.

        A list of namespaced kinds says what Applications may write. Kubernetes makes ReplicaSets and Pods of a
        permitted Deployment, so a child need not be on that list; a kind that the project denies stays hidden.
        """
        verdicts: dict[tuple[str, str, str, str], bool] = {}

        def permits(key: ObjectKey) -> bool:
            alike = (key.group, key.kind, key.namespace, key.name if by_name or not key.namespace else "")
            if alike not in verdicts:
                verdicts[alike] = self._permits_child(key)
            return verdicts[alike]

        by_name = self.project is not None and projects.tells_names_apart(self.project.spec)
        return permits

    def _permits_child(self, key: ObjectKey) -> bool:
        if self.project is None or not key.namespace:
            return not self.denied((key,))
        rules = self.project.spec
        return self.permits_namespace(key.namespace) and not kind_listed(key, denied_kinds(key, rules))

    def permits_namespace(self, name: str) -> bool:
        """Whether objects of a namespace may be attached."""
        if self.project is None:
            return False
        there = resolved(Destination(self.destination.server, name, self.destination.name))
        return destination_permitted(there, self.project.spec.destinations)


def bounds(permission: Permission, destination: Destination) -> Bounds:
    """Return what may be attached to an Application; nothing where it may not use its project from where it lives."""
    is_outsider = permission.condition == ConditionType.UNKNOWN_ERROR
    return Bounds(None if is_outsider else permission.typed, destination)


def permits_everything(project: AppProject | None) -> bool:
    """Whether a project has no bounds at all: its Applications are the operator's own."""
    if project is None:
        return False
    rules = project.spec
    lists = (rules.cluster_resource_whitelist, rules.namespace_resource_whitelist)
    kinds = all(listed is None or _has_any(listed) for listed in lists) and rules.cluster_resource_whitelist is not None
    denies = rules.cluster_resource_blacklist or rules.namespace_resource_blacklist
    places = {(rule.server or rule.name, rule.namespace) for rule in rules.destinations}
    is_open = ("*", "*") in places and not any(text.startswith("!") for place in places for text in place)
    return kinds and not denies and is_open


def _has_any(patterns: Iterable[GroupKindPattern]) -> bool:
    return any((one.group, one.kind, one.name) == ("*", "*", "") for one in patterns)
