"""The roles, bindings, APIServices and priority classes every cluster begins with, as kube-apiserver creates them.

Created by `syncline.sandbox.cluster.bootstrap`. The file beside this module holds them as recorded from the server,
without those of the controllers that the sandbox does not run as users of their own. They go straight into the store:
they are right already, and every sandbox that starts waits for them.
"""

from __future__ import annotations

from importlib import resources

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox.access import aggregation
from syncline.sandbox.backend import Backend
from syncline.sandbox.store.store import Bucket, RowKey


def create(backend: Backend) -> None:
    """Create what is not there yet."""
    content = resources.files(__package__).joinpath("first_objects.json").read_bytes()
    recorded: dict[str, list[Object]] = orjson.loads(content)
    now = backend.timestamp()
    for bucket, objects in recorded.items():
        group, _, plural = bucket.partition("/")
        for obj in objects:
            metadata = obj["metadata"]
            metadata |= {"uid": backend.ids.uid(), "creationTimestamp": now}
            for entry in metadata["managedFields"]:
                entry["time"] = now
            for condition in (obj.get("status") or {}).get("conditions") or ():
                condition["lastTransitionTime"] = now
            place = RowKey(Bucket(group, plural), metadata.get("namespace", ""), metadata["name"])
            if backend.store.at(place) is None:
                backend.store.put(place, obj, expected=None)
    if backend.settings.simulate:
        _aggregate(backend)


def _aggregate(backend: Backend) -> None:
    """Fill in what roles gather from others, which on a real cluster is a controller's work."""
    for row in list(backend.store.rows(aggregation.ROLES)):
        role = row.decode()
        rules = aggregation.rules_of(backend, role)
        if role.get("aggregationRule") and role.get("rules") != rules:
            backend.store.put(row.place, {**role, "rules": rules}, expected=row)
