"""Objects as Argo CD's server answers them: with the members that its types always have, though nobody wrote them.

Used by the routes that return Applications and projects. Clients made for Argo CD read `status.summary.images` or
`status.jwtTokensByRole` without asking whether the parents are there. The objects themselves are never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import names

_STATUS: Mapping[str, Any] = {
    "health": {},
    "sourceHydrator": {},
    "summary": {},
    "sync": {"status": "", "comparedTo": {"destination": {}, "source": {"repoURL": ""}}},
}
_SPEC: Mapping[str, Any] = {"destination": {}, "project": ""}
_FROM_TREE = "appTree"


def application(obj: Object) -> Object:
    """Return an Application with all members that clients expect."""
    return {
        **obj,
        "spec": {**_SPEC, **_members(obj.get("spec"))},
        "status": {**_STATUS, **_members(obj.get("status"))},
    }


def project(obj: Object) -> Object:
    """Return a project; its status says which tokens each role has, as Argo CD keeps it."""
    status = _members(obj.get("status"))
    roles = [role for role in _members(obj.get("spec")).get("roles") or () if isinstance(role, dict)]
    tokens = dict(_members(status.get("jwtTokensByRole")))
    for role in roles:
        issued = role.get("jwtTokens")
        tokens.setdefault(str(role.get("name") or ""), {"items": issued} if issued else {})
    return {**obj, "status": {**status, "jwtTokensByRole": tokens} if tokens else status}


def wants_health(obj: Object) -> bool:
    """Whether the health of an Application's objects is left out of its status, as Argo CD does since 3.0."""
    status = _members(obj.get("status"))
    return status.get("resourceHealthSource") == _FROM_TREE and bool(status.get("resources"))


def with_health(obj: Object, tree: Mapping[str, Any]) -> Object:
    """Return an Application whose rows have the health that the nodes of its tree have."""
    known = {_name(node): node["health"] for node in tree["nodes"] if node.get("health")}
    status = obj["status"]
    rows = [
        {**row, "health": known[_name(row)]} if _name(row) in known else row
        for row in status["resources"]
        if isinstance(row, dict)
    ]
    return {**obj, "status": {**status, "resources": rows}}


def _name(one: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(one.get(member) or "") for member in ("group", "kind", "namespace", "name"))


def listed(kind: str, items: list[Object]) -> dict[str, Any]:
    """Return a list of objects of ours, with the newest of their versions."""
    return {"apiVersion": names.API_VERSION, "kind": kind, **listed_events(items)}


def listed_events(items: list[Object]) -> dict[str, Any]:
    """Return a list of Events, which Argo CD does not name the kind of."""
    newest = max((int(text) for one in items if (text := meta.resource_version(one)).isdigit()), default=0)
    return {"metadata": {"resourceVersion": str(newest)}, "items": items}


def _members(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
