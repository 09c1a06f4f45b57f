"""The live Applications of a namespace, as far as their sets have to know them, without decoding each at every look.

Asked by `syncline.controller.appsets.reconcile`. What was read of one version of an Application is kept until there is
another; those that are gone are forgotten.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.app_key import APPLICATION
from syncline.controller.live.index import LiveIndex
from syncline.core.appset.changes import controller_from
from syncline.core.appset.decide import AppFacts


class _Owner(msgspec.Struct, rename="camel"):
    kind: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class _Metadata(msgspec.Struct, rename="camel"):
    owner_references: list[_Owner] = []
    deletion_timestamp: str | None = None


class _Code(msgspec.Struct):
    status: str = ""


class _Status(msgspec.Struct):
    sync: _Code | None = None
    health: _Code | None = None


class _Spec(msgspec.Struct):
    project: str | None = None


class _Part(msgspec.Struct):
    """As much of an Application as a set has to know."""

    metadata: _Metadata
    spec: _Spec | None = None
    status: _Status | None = None


_PART = msgspec.json.Decoder(_Part)


class LiveApps:
    """What is known of the Applications of each namespace."""

    def __init__(self, index: LiveIndex) -> None:
        self._index = index
        self._known: dict[str, dict[str, AppFacts]] = {}

    def of(self, namespace: str) -> dict[str, AppFacts]:
        """Return what is known of the Applications of a namespace, by name."""
        before = self._known.get(namespace, {})
        found: dict[str, AppFacts] = {}
        for key in self._index.keys(APPLICATION, namespace):
            facts = before.get(key.name)
            if facts is None or facts.version != self._index.version(key):
                facts = self._read(key)
            found[key.name] = facts
        self._known[namespace] = found
        return found

    def _read(self, key: ObjectKey) -> AppFacts:
        version = self._index.version(key)
        try:
            part = self._index.part(key, _PART)
        except msgspec.ValidationError:
            part = None
        if part is None:
            return AppFacts(key.name, version)
        status = part.status or _Status()
        return AppFacts(
            name=key.name,
            version=version,
            controller=next(
                (
                    controller_from(one.kind, one.name, one.uid, one.api_version)
                    for one in part.metadata.owner_references
                    if one.controller
                ),
                None,
            ),
            project=(part.spec.project if part.spec else None) or "default",
            sync=status.sync.status if status.sync else "",
            health=status.health.status if status.health else "",
            deleting=bool(part.metadata.deletion_timestamp),
        )
