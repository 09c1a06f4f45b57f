"""What a diagnosis says of each row of the fleet, which may have changed since.

Made by the routes of the fleet of `syncline.server.insight.diagnoses.Diagnosed`.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import msgspec

from syncline.model.diagnosis import Diagnosis
from syncline.server.lists.shelf import AppRow


class Told(msgspec.Struct, frozen=True):
    """What a diagnosis says of each Application: the ids of its causes, and how the first of them shows there."""

    causes: Mapping[str, tuple[str, ...]] = {}
    ways: Mapping[str, str] = {}
    good: frozenset[str] = frozenset()

    def of(self, row: AppRow) -> tuple[tuple[str, ...], str]:
        """Return the causes of a row and how they show there; none where it has become well since the diagnosis."""
        key = str(row.key)
        if row.good and key not in self.good:
            return (), ""
        return self.causes.get(key, ()), self.ways.get(key, "")

    def digest(self) -> str:
        """Return a mark that differs when rows are told otherwise, though none of them has changed since."""
        said = (self.causes, self.ways, sorted(self.good & self.causes.keys()))
        return f"{zlib.crc32(msgspec.json.encode(said, order='sorted')):08x}"


def told_by_app(diagnosis: Diagnosis, good: frozenset[str]) -> Told:
    """Return a diagnosis by Application; `good` are those that were Synced and Healthy in it."""
    found: dict[str, tuple[str, ...]] = {}
    for cause in diagnosis.causes:
        for name in cause.affected:
            found[name] = (*found.get(name, ()), cause.id)
    return Told(found, diagnosis.ways, good)
