"""Which ApplicationSets whoever asks may see, for lists of them and for causes that lie in one.

A set says which repositories and clusters there are, so its right is asked for apart from that of the Applications
which it makes. Asked by the routes of sets, of the fleet and of explanations.
"""

from __future__ import annotations

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.controller.appsets.keys import APPLICATION_SET
from syncline.core.policy import namespaces
from syncline.core.policy.set_writing import project_of
from syncline.server.lists.shelf import rbac_name
from syncline.server.requests.call import Call


def may_see(call: Call, obj: Object) -> bool:
    """Whether whoever asks may see a set, and the installation looks after its namespace."""
    permitted = namespaces.permitted(meta.namespace(obj), call.backend.world.settings)
    return permitted and call.may("applicationsets", "get", set_rbac(call, obj))


def set_rbac(call: Call, obj: Object) -> str:
    """Return the name of a set as policies know it."""
    return rbac_name(project_of(obj), meta.namespace(obj), meta.name(obj), call.backend.namespace)


def visible_sets(call: Call) -> frozenset[ObjectKey]:
    """Return the sets that whoever asks may see."""
    index = call.backend.live.index
    return frozenset(key_of(obj) for obj in index.of_kind(APPLICATION_SET) if may_see(call, obj))
