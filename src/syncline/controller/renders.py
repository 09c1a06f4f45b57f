"""Renders that can be used again: those whose inputs have not changed since.

Kept by `syncline.controller.sources`. A render names the files and folders it has read; as long as each has the
digest it had, in whatever commit, and the same programs are in use, its objects are the same. What the cluster can do
matters to tools and not to plain files.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import msgspec

from syncline.model.desired import Desired
from syncline.ports.kube import Discovery
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree

_KEPT_APPS = 2_000
_KEPT_EACH = 3
_PLAIN = ("Directory",)


class Capabilities(msgspec.Struct, frozen=True):
    """What a cluster can do, as charts ask for it."""

    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


def capabilities(discovery: Discovery) -> Capabilities:
    """Return version and kinds of a cluster: `apps/v1` and `apps/v1/Deployment`."""
    found: set[str] = set()
    for resource in discovery.resources:
        found |= {resource.gvk.api_version, f"{resource.gvk.api_version}/{resource.gvk.kind}"}
    return Capabilities(discovery.version, tuple(sorted(found)))


class Renders:
    """The last few renders of each source."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, list[tuple[Capabilities, Desired]]] = OrderedDict()

    def find(self, request: RenderRequest, fingerprint: str, tree: Tree, refs: Mapping[str, Tree]) -> Desired | None:
        """Return a render that is still right, or None."""
        key = _key(request, fingerprint)
        asked = _capabilities_of(request)
        for known, desired in self._kept.get(key, ()):
            if (known == asked or desired.source_types == _PLAIN) and _unchanged(desired, tree, refs):
                self._kept.move_to_end(key)
                return desired
        return None

    def keep(self, request: RenderRequest, fingerprint: str, desired: Desired) -> None:
        """Remember a render."""
        key = _key(request, fingerprint)
        self._kept[key] = [(_capabilities_of(request), desired), *self._kept.get(key, ())][:_KEPT_EACH]
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT_APPS:
            self._kept.popitem(last=False)


def _unchanged(desired: Desired, tree: Tree, refs: Mapping[str, Tree]) -> bool:
    if not desired.inputs:
        return False
    for entry in desired.inputs:
        read = refs.get(entry.ref) if entry.ref else tree
        if read is None or read.digest_of(entry.path) != entry.digest:
            return False
    return True


def _capabilities_of(request: RenderRequest) -> Capabilities:
    return Capabilities(request.kube_version, request.api_versions)


def _key(request: RenderRequest, fingerprint: str) -> bytes:
    return msgspec.json.encode((fingerprint, msgspec.structs.replace(request, kube_version="", api_versions=())))
