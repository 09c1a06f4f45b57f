"""Baselines: the findings of an old repository that somebody has decided to live with for now, in a file.

Written by `syncline check --write-baseline` and handed to `syncline.api.check` again. The file has no lines of other
files in it, so it stays right while those move; it is sorted, so that it merges.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from syncline.core.diagnose.findings.same import Identity, identity
from syncline.model.errors import InvalidSpec
from syncline.model.finding import Finding

USUAL = Path(".syncline", "baseline.json")
"""Where a baseline stands unless somebody says otherwise, from the top of the repository."""
_VERSION = 1


class _Entry(msgspec.Struct, frozen=True, order=True):
    code: str
    subject: str
    message: str


class _File(msgspec.Struct, frozen=True, rename="camel"):
    schema_version: int
    findings: list[_Entry]


def write(path: Path, found: Iterable[Finding]) -> int:
    """Write findings to a file; return how many."""
    entries = sorted(_Entry(*identity(one)) for one in found)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(_File(_VERSION, entries)), indent=2)
    path.write_bytes(text + b"\n")
    return len(entries)


def read(path: Path) -> tuple[Identity, ...]:
    """Return the findings of a baseline; raises `InvalidSpec` where it cannot be read."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InvalidSpec(f"{path} is not a baseline: {error}", hint="write it again with --write-baseline") from None
    if found.schema_version != _VERSION:
        raise InvalidSpec(f"{path} is of version {found.schema_version}; this program knows {_VERSION}")
    return tuple((one.code, one.subject, one.message) for one in found.findings)
