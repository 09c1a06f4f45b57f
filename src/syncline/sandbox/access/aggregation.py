"""ClusterRoles that gather the rules of others by labels.

Asked by `syncline.sandbox.access.rbac` whenever such a role counts, so that a role that comes later is gathered at
once, and by `syncline.sandbox.cluster.first_objects` for the rules that are shown from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.store.store import Bucket, Row

ROLES: Final = Bucket("rbac.authorization.k8s.io", "clusterroles")


def rules_of(backend: Backend, role: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> list[Object]:
    """Return the rules of a ClusterRole, gathered ones without repetition."""
    gathering = (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
    name = role["metadata"]["name"]
    if not gathering or name in seen:
        return role.get("rules") or []
    found: dict[bytes, Object] = {}
    for selector in gathering:
        wanted = (selector.get("matchLabels") or {}).items()
        for row in backend.store.rows(ROLES):
            if row.place.name != name and wanted <= row.labels.items():
                for rule in rules_of(backend, decoded(row), seen | {name}):
                    found.setdefault(orjson.dumps(rule), rule)
    return list(found.values())


def decoded(row: Row) -> Object:
    """Return a role or binding, not to be changed; it is asked for with every request, so it is kept with its row."""
    if row.view is None:
        row.view = row.decode()
    found: Object = row.view
    return found
