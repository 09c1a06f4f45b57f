"""Knows the API names of built-in kinds (plural, short names, scope) and which API versions are gone.

Asked by the sandbox for its discovery documents, by the command line for short names, and by checks for
removed APIs. OpenAPI says none of this, so it is data: `data/resources.json` and `data/removed.json`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from syncline.apimachinery import encoding
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, split_api_version
from syncline.apimachinery.schema import definitions

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


class ResourceInfo(NamedTuple):
    """How one kind is addressed in the API and on the command line."""

    plural: str
    singular: str
    short_names: tuple[str, ...]
    namespaced: bool
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS


class RemovedApi(NamedTuple):
    """An API version the server no longer has."""

    since: str
    """The Kubernetes minor that no longer serves it, as `1.22`."""
    replacement: str
    """The apiVersion to write instead; empty when the kind is gone for good."""


def _read(name: str) -> list[dict[str, Any]]:
    from importlib import resources

    packed = resources.files("syncline.apimachinery.schema").joinpath("data", name).read_bytes()
    rows: list[dict[str, Any]] = encoding.decode(packed)
    return rows


@functools.cache
def _by_group_kind() -> Mapping[GroupKind, ResourceInfo]:
    return {
        GroupKind(row["group"], row["kind"]): ResourceInfo(
            plural=row["plural"],
            singular=row.get("singular") or row["kind"].lower(),
            short_names=tuple(row.get("short", ())),
            namespaced=row["namespaced"],
            categories=tuple(row.get("categories", ())),
            subresources=tuple(row.get("subresources", ())),
            verbs=tuple(row.get("verbs", ALL_VERBS)),
        )
        for row in _read("resources.json")
    }


@functools.lru_cache(maxsize=32)
def kinds(version: str | None = None) -> Mapping[GroupVersionKind, ResourceInfo]:
    """Return the kinds a Kubernetes minor serves as resources of their own, with their API names."""
    known = _by_group_kind()
    return {
        gvk: known[gvk.group_kind] for gvk in definitions.of_version(version).names_by_kind if gvk.group_kind in known
    }


def for_group_kind(group_kind: GroupKind) -> ResourceInfo | None:
    """Return the API names of a built-in kind, whatever its version; None for a custom kind."""
    return _by_group_kind().get(group_kind)


@functools.cache
def _removed() -> Mapping[GroupVersionKind, RemovedApi]:
    return {
        GroupVersionKind(*split_api_version(row["apiVersion"]), row["kind"]): RemovedApi(
            row["since"], row["replacement"]
        )
        for row in _read("removed.json")
    }


def removed(gvk: GroupVersionKind) -> RemovedApi | None:
    """Return since when an API version is gone and what replaces it, None when it never went."""
    return _removed().get(gvk)
