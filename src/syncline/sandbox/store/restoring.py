"""Brings a sandbox back to where it was when its objects come from a data folder.

Called by `syncline.sandbox.server` before anything else runs: custom kinds are served again from the first request on,
and simulated addresses go on after the highest one in use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds import allocating
from syncline.sandbox.served import custom
from syncline.sandbox.store.store import Bucket

_DEFINITIONS: Final = Bucket("apiextensions.k8s.io", "customresourcedefinitions")


def restore(backend: Backend) -> None:
    """Work out of the stored objects what else a running sandbox keeps in memory."""
    for row in backend.store.rows(_DEFINITIONS):
        definition = row.decode()
        conditions = (definition.get("status") or {}).get("conditions") or ()
        if any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
            spec = definition["spec"]
            # Objects that are there may be older than the schema where that has changed since the beginning.
            changed = int(definition["metadata"].get("generation") or 1) > 1
            resources = custom.resources_of(definition, used=changed)
            backend.registry.replace_custom(spec["group"], spec["names"]["plural"], resources)
    for plural in ("services", "pods"):
        for row in backend.store.rows(Bucket("", plural)):
            obj = row.decode()
            for address in _addresses(obj):
                backend.mark_address(address)
    for row in backend.store.rows(Bucket("", "services")):
        allocating.remember(backend, row.decode())


def _addresses(obj: Object) -> Iterator[str]:
    status = obj.get("status") or {}
    yield status.get("podIP") or ""
    yield from (one.get("ip") or "" for one in (status.get("loadBalancer") or {}).get("ingress") or ())
