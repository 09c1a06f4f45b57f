"""The rights to deliver that an installation can be given: three profiles, each as roles and bindings.

Called by `syncline.core.install.objects` with what the operator chose; `tools/build_manifests.py` writes the same rules
into the chart. The rights for Syncline's own objects come from `syncline.core.rights.roles`. The odd fact: with
impersonation the accounts of the projects write, but the controller still compares, so it needs to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.core.rights.roles import account_name, bound_cluster_role, bound_role
from syncline.core.rights.table import Component

_READ: Final = ("get", "list", "watch")


class Profile(StrEnum):
    """How far deliveries reach."""

    CLUSTER_ADMIN = "cluster-admin"
    NAMESPACES = "namespaces"
    IMPERSONATION = "impersonation"


def _anything(*verbs: str) -> Object:
    return {"apiGroups": ["*"], "resources": ["*"], "verbs": list(verbs)}


EVERYTHING: Final[tuple[Object, ...]] = (_anything("*"), {"nonResourceURLs": ["*"], "verbs": ["*"]})
"""What Argo CD's application controller has by default."""
ALL_IN_NAMESPACE: Final[tuple[Object, ...]] = (_anything("*"),)
READS: Final[tuple[Object, ...]] = (_anything(*_READ),)
SERVER: Final[tuple[Object, ...]] = (
    _anything(*_READ, "patch", "delete"),
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create"]},
    {"apiGroups": ["argoproj.io"], "resources": ["workflows"], "verbs": ["create"]},
)
"""To show objects and logs, to change and delete what people may change and delete, and to run actions."""

RULES: Final[Mapping[Profile, Mapping[Component, tuple[Object, ...]]]] = {
    Profile.CLUSTER_ADMIN: {Component.CONTROLLER: EVERYTHING, Component.SERVER: SERVER},
    Profile.NAMESPACES: {Component.CONTROLLER: ALL_IN_NAMESPACE, Component.SERVER: SERVER},
    Profile.IMPERSONATION: {Component.CONTROLLER: READS, Component.SERVER: READS},
}


def delivery_roles(profile: Profile, component: Component, namespace: str, targets: Iterable[str]) -> list[Object]:
    """Return the roles of a component for delivery, and their bindings.

    `namespace` is that of the installation. With `targets` a Role in each of these namespaces is made, without any a
    ClusterRole; cluster-admin always means the whole cluster.
    """
    account = account_name(component)
    name = f"{account}-delivery-{namespace}"
    rules = [dict(rule) for rule in RULES[profile][component]]
    places = [] if profile is Profile.CLUSTER_ADMIN else sorted(set(targets))
    if not places:
        return list(bound_cluster_role(name, account, namespace, rules))
    return [obj for place in places for obj in bound_role(name, place, rules, account, namespace)]
