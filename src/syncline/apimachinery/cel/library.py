"""All functions and type names that expressions of a current API server may use."""

from __future__ import annotations

import functools
from typing import Final

from syncline.apimachinery.cel import amounts, formats, lists, network, regexes, rights, standard, texts, urls
from syncline.apimachinery.cel import types as kinds
from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.types import Type

TYPES: Final[dict[str, Type]] = {
    "bool": kinds.BOOL, "int": kinds.INT, "uint": kinds.UINT, "double": kinds.DOUBLE, "string": kinds.STRING,
    "bytes": kinds.BYTES, "null_type": kinds.NULL, "list": kinds.list_of(kinds.DYN),
    "map": kinds.map_of(kinds.DYN, kinds.DYN), "type": kinds.type_of(kinds.DYN),
    "google.protobuf.Timestamp": kinds.TIMESTAMP, "google.protobuf.Duration": kinds.DURATION,
    "optional_type": kinds.optional_of(kinds.DYN), "net.IP": Type("net.IP"), "net.CIDR": Type("net.CIDR"),
    "kubernetes.URL": Type("kubernetes.URL"), "kubernetes.Quantity": Type("kubernetes.Quantity"),
    "kubernetes.Semver": Type("kubernetes.Semver"),
}  # fmt: skip


@functools.cache
def functions() -> Functions:
    """Return what rules and policies may call; built once."""
    gathered = Functions()
    for part in (standard, texts, lists, regexes, network, urls, amounts, formats, rights):
        gathered.include(part.FUNCTIONS)
    return gathered


@functools.cache
def for_patches() -> Functions:
    """Return what policies that change objects may call; built once."""
    gathered = Functions()
    gathered.include(functions())
    gathered.add("jsonpatch.escapeKey", "(string) string", does=lambda a: a.replace("~", "~0").replace("/", "~1"))
    return gathered
