"""Reads the data file of all built-in definitions, as `tools/build_schemas.py` writes it.

Loaded late by `syncline.apimachinery.schema.definitions`, for it needs msgspec. Bodies stay undecoded.
"""

from __future__ import annotations

import zlib
from importlib import resources

import msgspec


class PackedDefinition(msgspec.Struct, array_like=True, frozen=True):
    """One definition, shared by all Kubernetes minors in which it is the same."""

    name: str
    kinds: list[tuple[str, str, str]]
    body: msgspec.Raw


class Pack(msgspec.Struct, frozen=True):
    """All definitions, and which of them each Kubernetes minor has."""

    entries: list[PackedDefinition]
    versions: dict[str, list[int]]


def load() -> Pack:
    """Read the file."""
    packed = resources.files("syncline.apimachinery.schema").joinpath("data", "definitions.json.z").read_bytes()
    return msgspec.json.decode(zlib.decompress(packed), type=Pack)
