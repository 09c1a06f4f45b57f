"""Which live objects are compared: one object that the API serves under several groups counts once.

Asked by `syncline.core.assess` before pairing. Kubernetes serves some objects under an old and a new group, with
one UID. The one that Git names stays, else the first by key.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare.prepare import PreparedSet


def without_twins(
    owned: frozenset[ObjectKey], live: Mapping[ObjectKey, Object], prepared: PreparedSet
) -> frozenset[ObjectKey]:
    """Return the keys of live objects without those that are another one under another group."""
    by_uid: dict[tuple[str, str], list[ObjectKey]] = {}
    for key in owned:
        uid = meta.uid(live[key])
        if uid:
            by_uid.setdefault((uid, key.kind), []).append(key)
    several = [keys for keys in by_uid.values() if len(keys) > 1]
    if not several:
        return owned
    desired = {item.key for item in prepared.objects}
    twins = (sorted(keys, key=lambda key: (key not in desired, key))[1:] for keys in several)
    return owned.difference(*twins)
