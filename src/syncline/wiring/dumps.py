"""Reads and writes the files of a diagnosis: snapshots, and folders of dumps."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syncline.apimachinery.keys import GroupKind
    from syncline.model.fleet import FleetSnapshot
    from syncline.model.live_objects import LiveObjects
    from syncline.verbs.fleet.dump import DumpRead


def read_from(path: Path) -> DumpRead:
    """Return what a snapshot, a single dumped file or a folder of them holds, and what of it was skipped."""
    from syncline.adapters import dumps
    from syncline.model import fleet_file
    from syncline.verbs.fleet.dump import DumpFile, DumpRead, read_dump

    if path.is_dir():
        files = (DumpFile(name, read) for name, read in dumps.files(path))
        return read_dump(files, f"dump {path}")
    if fleet_file.is_snapshot(dumps.beginning(path)):
        return DumpRead(fleet_file.read(dumps.lines(path), str(path)))
    return read_dump([DumpFile(path.name, lambda: b"".join(dumps.lines(path)))], f"dump {path}")


def live_from(path: Path, kinds: Iterable[GroupKind]) -> LiveObjects:
    """Return the whole objects of some kinds that a dumped file or a folder of them holds."""
    from syncline.adapters import dumps
    from syncline.model import fleet_file
    from syncline.model.errors import NeedsUser
    from syncline.verbs.fleet.dump import DumpFile
    from syncline.verbs.live_objects import live_of_dump

    if path.is_dir():
        files = [DumpFile(name, read) for name, read in dumps.files(path)]
    elif fleet_file.is_snapshot(dumps.beginning(path)):
        raise NeedsUser(
            f"{path} is a snapshot, which keeps only what a diagnosis looks at",
            hint="name a folder or a file of kubectl get -o yaml output",
        )
    else:
        files = [DumpFile(path.name, lambda: b"".join(dumps.lines(path)))]
    return live_of_dump(files, kinds, f"dump {path}")


def write_snapshot(path: Path, snapshot: FleetSnapshot) -> int:
    """Write a snapshot without what looks like a secret; return the size of the file."""
    from syncline.adapters import dumps
    from syncline.model import fleet_file
    from syncline.verbs.fleet.sharing import cleaned

    return dumps.write(path, fleet_file.lines(snapshot, cleaned))
