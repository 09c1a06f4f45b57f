"""Renders that can be used again: those whose inputs have not changed since.

Kept by `syncline.controller.sources.desired`. A render names the files and folders it has read; as long as each has the
digest it had, in whatever commit, and the same programs are in use, its objects are the same. What the cluster can do
matters to tools and not to plain files. Where the Application says which paths count, only those are looked at.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import msgspec

from syncline.core.policy import globs
from syncline.model.desired import Desired
from syncline.ports.kube import Discovery
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree

_KEPT_APPS = 10_000
_KEPT_EACH = 3
_PLAIN = ("Directory",)
_MAGIC = frozenset("*?[{")


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


class _Kept(msgspec.Struct, frozen=True):
    capabilities: Capabilities
    desired: Desired
    watched: str


class Renders:
    """The last few renders of each source."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, list[_Kept]] = OrderedDict()

    def find(
        self,
        request: RenderRequest,
        fingerprint: str,
        tree: Tree,
        refs: Mapping[str, Tree],
        paths: Sequence[str] = (),
    ) -> Desired | None:
        """Return a render that is still right, or None; `paths` are those that alone count, where any are named."""
        key = _key(request, fingerprint)
        asked = _capabilities_of(request)
        watched = _watched(request, tree, refs, paths) if key in self._kept else ""
        entries = self._kept.get(key, [])
        for index, entry in enumerate(entries):
            if entry.capabilities != asked and entry.desired.source_types != _PLAIN:
                continue
            if (watched and entry.watched == watched) or unchanged(entry.desired, tree, refs):
                self._kept.move_to_end(key)
                if (desired := entry.desired.at(tree.revision)) is not entry.desired:
                    # Kept as that of the newer commit, so that this is done once per commit.
                    entries[index] = msgspec.structs.replace(entry, desired=desired)
                return desired
        return None

    def keep(
        self,
        request: RenderRequest,
        fingerprint: str,
        desired: Desired,
        trees: tuple[Tree, Mapping[str, Tree]] | None = None,
        paths: Sequence[str] = (),
    ) -> None:
        """Remember a render of these trees."""
        key = _key(request, fingerprint)
        watched = _watched(request, *trees, paths) if trees else ""
        entry = _Kept(_capabilities_of(request), desired, watched)
        self._kept[key] = [entry, *self._kept.get(key, ())][:_KEPT_EACH]
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT_APPS:
            self._kept.popitem(last=False)


def combined(parts: Sequence[Desired], revisions: tuple[str, ...]) -> Desired:
    """Return the renders of all sources as one, in their order: of objects that stand there twice the last one wins."""
    parts = [part.at(revision) for part, revision in zip(parts, revisions, strict=True)]
    if len(parts) == 1:
        return parts[0]
    return Desired(
        tuple(item for part in parts for item in part.objects),
        revisions=revisions,
        source_types=tuple(next(iter(part.source_types), "") for part in parts),
        files=tuple(dict.fromkeys(file for part in parts for file in part.files)),
        warnings=tuple(warning for part in parts for warning in part.warnings),
        digest=hashlib.sha256("\n".join(part.digest for part in parts).encode()).hexdigest(),
        fetched=tuple(dict.fromkeys(one for part in parts for one in part.fetched)),
        steady=all(part.steady for part in parts),
    )


def unchanged(desired: Desired, tree: Tree, refs: Mapping[str, Tree]) -> bool:
    """Whether every file and folder a render has read is as it was; one that says nothing about them is made anew."""
    if not desired.inputs:
        return False
    for entry in desired.inputs:
        read = refs.get(entry.ref) if entry.ref else tree
        if read is None or read.digest_of(entry.path) != entry.digest:
            return False
    return True


def _watched(request: RenderRequest, tree: Tree, refs: Mapping[str, Tree], paths: Sequence[str]) -> str:
    """Return the digest of the paths that alone count; empty where none are named."""
    if not paths:
        return ""
    total = hashlib.sha256()
    for name, read, folder in (("", tree, request.source.path), *((ref, one, "") for ref, one in sorted(refs.items()))):
        total.update(f"{name}\0{digest_below(read, folder, paths)}\n".encode())
    return total.hexdigest()


def digest_below(tree: Tree, folder: str, paths: Sequence[str]) -> str:
    """Return one digest of everything that paths of an app stand for in a tree."""
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path}\0{_digest(tree, folder, path)}\n".encode())
    return total.hexdigest()


def _digest(tree: Tree, folder: str, path: str) -> str:
    """Return the digest of what a path stands for: from the root with a leading slash, else from the app's folder."""
    full = path.lstrip("/") if path.startswith("/") else posixpath.normpath(posixpath.join(folder, path))
    full = "" if full == "." else full.rstrip("/")
    if _MAGIC.isdisjoint(full):
        return tree.digest_of(full)
    files = tree.below("").files()
    found = [f"{file.path} {file.digest}" for file in files if globs.matches(file.path, full, separator="/")]
    return "\n".join(found)


def _capabilities_of(request: RenderRequest) -> Capabilities:
    return Capabilities(request.kube_version, request.api_versions)


def _key(request: RenderRequest, fingerprint: str) -> bytes:
    asked = msgspec.structs.replace(request, kube_version="", api_versions=(), fresh=False)
    return msgspec.json.encode((fingerprint, asked))
