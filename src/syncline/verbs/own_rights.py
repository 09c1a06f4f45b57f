"""Asks a cluster what the identity at hand may do there, and compares it with what the components ask for.

Called by `syncline.cli.doctor_rights`; asking stores nothing. Servers whose authorizer cannot list rules say so: what
seems to be missing there is asked for one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.core.rights import review
from syncline.core.rights.review import Right
from syncline.core.rights.roles import account_name, is_pattern
from syncline.core.rights.table import Component, Where
from syncline.ports.kube import ApiResource, Cluster, Discovery

MANAGER = "syncline-cli"


def _question(group: str, kind: str) -> ApiResource:
    gvk = GroupVersionKind(f"{group}.k8s.io", "v1", kind)
    return ApiResource(gvk=gvk, plural=f"{kind.lower()}s", namespaced=False)


_RULES = _question("authorization", "SelfSubjectRulesReview")
_ACCESS = _question("authorization", "SelfSubjectAccessReview")
_SELF = _question("authentication", "SelfSubjectReview")


class ComponentRights(msgspec.Struct, frozen=True, kw_only=True):
    """What an identity lacks of the rights of a component, and has beyond them, by namespace."""

    component: Component
    lacking: dict[str, list[Right]]
    beyond: dict[str, list[Right]]
    is_itself: bool
    """Whether the identity is the account of the component."""
    reads_all_secrets: bool


async def reviewed(
    cluster: Cluster, discovery: Discovery, namespace: str, application_namespaces: Iterable[str]
) -> list[ComponentRights]:
    """Return what the identity may do, for each component; nothing where the server does not say."""
    if any(discovery.find(question.gvk.group_kind) is None for question in (_RULES, _ACCESS, _SELF)):
        return []
    asked = _Asked(cluster)
    username = await asked.username()
    named = [name for name in application_namespaces if name != namespace and not is_pattern(name)]
    places = {namespace: (Where.CONTROL_PLANE, Where.APPLICATIONS), **dict.fromkeys(named, (Where.APPLICATIONS,))}
    rules = {place: await asked.rules(place) for place in places}
    reads_all = await asked.allowed(Right("", "secrets", "list"), "")
    found = []
    for component in Component:
        lacking, beyond = {}, {}
        for place, sorts in places.items():
            rights = review.wanted(component, *sorts)
            missing = review.lacking(rights, rules[place])
            lacking[place] = [right for right in missing if not await asked.allowed(right, place)]
            beyond[place] = review.beyond(rights, rules[place])
        found.append(
            ComponentRights(
                component=component,
                lacking=lacking,
                beyond=beyond,
                is_itself=username == f"system:serviceaccount:{namespace}:{account_name(component)}",
                reads_all_secrets=reads_all,
            )
        )
    return found


class _Asked:
    """Questions about oneself."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def username(self) -> str:
        """Return as whom we are known."""
        answer = await self._answer(_SELF, {})
        return str((answer.get("userInfo") or {}).get("username") or "")

    async def rules(self, namespace: str) -> list[Any]:
        """Return the rules that count in a namespace."""
        answer = await self._answer(_RULES, {"spec": {"namespace": namespace}})
        return list(answer.get("resourceRules") or ())

    async def allowed(self, right: Right, namespace: str) -> bool:
        """Return whether one request would be permitted; without a namespace in all of them."""
        resource, _, subresource = right.resource.partition("/")
        attributes = {
            "namespace": namespace,
            "group": right.group,
            "resource": resource,
            "subresource": subresource,
            "verb": right.verb,
            "name": right.name,
        }
        answer = await self._answer(_ACCESS, {"spec": {"resourceAttributes": attributes}})
        return bool(answer.get("allowed"))

    async def _answer(self, resource: ApiResource, spec: Object) -> Object:
        gvk = resource.gvk
        question = {"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": {}, **spec}
        return (await self._cluster.create(resource, question, manager=MANAGER)).get("status") or {}
