"""What is known about well-known custom kinds without a cluster: whether they have a namespace, and what brings them.

Asked by `syncline.core.diagnose` where no cluster answers. The data is `syncline/knowledge/kinds.yaml`; a kind that is
not there is not known, which is not the same as not there.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources

import msgspec

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import GroupKind


class _Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """One API group: its provider, its kinds without a namespace, and those with one that a rule asks about."""

    provider: str = ""
    cluster: tuple[str, ...] = ()
    namespaced: tuple[str, ...] = ()


@functools.cache
def _groups() -> Mapping[str, _Group]:
    text = resources.files("syncline.knowledge").joinpath("kinds.yaml").read_bytes()
    return msgspec.convert(yaml.load(text, source="kinds.yaml"), dict[str, _Group])


def namespaced(kind: GroupKind) -> bool | None:
    """Return whether objects of a kind have a namespace; None where that is not known."""
    group = _groups().get(kind.group)
    if group is None:
        return None
    if kind.kind in group.cluster:
        return False
    return True if kind.kind in group.namespaced else None


def provider(group: str) -> str:
    """Return what usually brings the kinds of a group, such as `cert-manager (crds.enabled)`; empty where not known."""
    known = _groups()
    while group:
        if group in known and known[group].provider:
            return known[group].provider
        group = group.partition(".")[2]
    return ""
