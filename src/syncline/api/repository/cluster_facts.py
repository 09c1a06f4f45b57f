"""Reads what is known about clusters from `.syncline/clusters/NAME.yaml`, for `syncline check`.

The files are written by `syncline facts`. Called by `syncline.api.repository.snapshot`; an old file still counts, and
what rests on it is said as a remark.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from syncline.apimachinery import times, yaml
from syncline.model import cluster_facts, names
from syncline.model.cluster_facts import ClusterFacts
from syncline.model.errors import InvalidSpec, Place

FOLDER = ".syncline/clusters"
_STALE_DAYS = 30


def read(root: Path, now: datetime) -> dict[str, ClusterFacts]:
    """Return the facts of a checkout, by the name and by the address of each cluster.

    Raises `InvalidSpec` where a file cannot be read. A cluster without an address is the local one where it is the
    only one; of several, each is known by its name alone.
    """
    there = [*sorted((root / FOLDER).glob("*.yaml")), *sorted((root / FOLDER).glob("*.yml"))]
    files = [file for file in there if not file.is_symlink()]
    found: dict[str, ClusterFacts] = {}
    for file in files:
        one = _one(root, file, now, names.IN_CLUSTER_SERVER if len(files) == 1 else "")
        found |= {key: one for key in (one.facts.name, one.facts.server) if key}
        if one.facts.name == names.IN_CLUSTER_NAME:
            found[names.IN_CLUSTER_SERVER] = one
    return found


def _one(root: Path, file: Path, now: datetime, server: str) -> ClusterFacts:
    shown = file.relative_to(root).as_posix()
    try:
        value = yaml.load(file.read_bytes(), source=shown)
    except (OSError, yaml.YamlError) as error:
        raise InvalidSpec(f"these facts cannot be read: {error}", place=Place(shown)) from None
    facts = cluster_facts.parse(value, shown, name=file.stem, default_server=server)
    return msgspec.structs.replace(facts, stale=_is_old(facts.facts.date, now))


def _is_old(date: str, now: datetime) -> bool:
    try:
        return (now - times.parse(date)).days > _STALE_DAYS
    except ValueError:
        return True
