"""Knows the API names of built-in kinds (plural, short names, scope) and which API versions are gone.

Asked by the sandbox for its discovery documents, by the command line for short names, and by checks for
removed APIs. OpenAPI says none of this, so it is data: `data/resources.json` and `data/removed.json`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import msgspec

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, split_api_version
from syncline.apimachinery.schema import definitions

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


class ResourceInfo(msgspec.Struct, frozen=True):
    """How one kind is addressed in the API and on the command line."""

    plural: str
    singular: str
    short_names: tuple[str, ...]
    namespaced: bool
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS


class RemovedApi(msgspec.Struct, frozen=True):
    """An API version the server no longer has."""

    since: str
    """The Kubernetes minor that no longer serves it, as `1.22`."""
    replacement: str
    """The apiVersion to write instead; empty when the kind is gone for good."""


class _Row(msgspec.Struct, frozen=True):
    group: str
    kind: str
    plural: str
    namespaced: bool
    singular: str = ""
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS


class _RemovedRow(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str
    kind: str
    since: str
    replacement: str


def _read(name: str) -> bytes:
    from importlib import resources

    return resources.files("syncline.apimachinery.schema").joinpath("data", name).read_bytes()


@functools.cache
def _by_group_kind() -> Mapping[GroupKind, ResourceInfo]:
    rows = msgspec.json.decode(_read("resources.json"), type=list[_Row])
    return {
        GroupKind(row.group, row.kind): ResourceInfo(
            plural=row.plural,
            singular=row.singular or row.kind.lower(),
            short_names=row.short,
            namespaced=row.namespaced,
            categories=row.categories,
            subresources=row.subresources,
            verbs=row.verbs,
        )
        for row in rows
    }


@functools.cache
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
    rows = msgspec.json.decode(_read("removed.json"), type=list[_RemovedRow])
    return {
        GroupVersionKind(*split_api_version(row.api_version), row.kind): RemovedApi(row.since, row.replacement)
        for row in rows
    }


def removed(gvk: GroupVersionKind) -> RemovedApi | None:
    """Return since when an API version is gone and what replaces it, None when it never went."""
    return _removed().get(gvk)
