"""Whole live objects of one cluster, for comparing renders with them: read from it, or from a dump.

Made by `syncline.verbs.live_objects`, compared by `syncline.api.preview_live` and `syncline.cli.parity`. Unlike a
snapshot for diagnosis nothing is left out of an object. Secrets are never among them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey


class LiveObjects(msgspec.Struct, frozen=True, kw_only=True):
    """What was read: `origin` in words, the objects, and the kinds about which nothing is known, each with why.

    `server` is the address of the cluster; empty where a dump does not tell.
    """

    origin: str
    as_of: str
    server: str = ""
    objects: Mapping[ObjectKey, Object] = {}
    unread: Mapping[GroupKind, str] = {}
    skipped: tuple[str, ...] = ()
    """A sentence for each file of a dump that could not be read."""

    def knows(self, kind: GroupKind) -> bool:
        """Whether an object of a kind that is not here is known to be absent."""
        return kind not in self.unread
