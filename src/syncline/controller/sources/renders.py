"""Renders that can be used again: those whose inputs have not changed since.

`RenderCache` stands in front of a renderer, for `syncline.controller.sources.desired` and for commands. A render names
the files and folders it has read; as long as each has the digest it had, in whatever commit, the same programs are in
use, and branches and ranges by which it fetched more lead to the same, its objects are the same. What the cluster can
do matters as far as a render has read it. Where the Application says which paths count, only those are looked at. What
fails fails again at the same commit, and is not tried again; a failure of the machine or of a network is, and what ran
into a limit is after a while (`syncline.controller.sources.backoffs`).
`syncline.controller.sources.render_stores` keeps the renders and decides nothing.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from syncline.apimachinery import globs
from syncline.controller.sources.backoffs import RenderBackoffs
from syncline.controller.sources.capabilities import Capabilities
from syncline.controller.sources.render_stores import KeptFailure, KeptRender, RenderStore
from syncline.model.desired import ClusterReads, Desired, Fetched, Input
from syncline.model.errors import RenderError
from syncline.ports.render import Renderer, RenderRequest
from syncline.ports.source import LOCAL, Tree

_FORMAT = "6"
"""Part of every key: raised when renders that older versions kept on disk can no longer be used."""
_KEPT_EACH = 3
_PLAIN = ("Directory",)
_QUICK = 50
"""A plain folder of so many objects is read from Git as quickly as from a file of ours."""
_MAGIC = frozenset("*?[{")


class Look(msgspec.Struct, frozen=True):
    """What is to be rendered: the request, the files, those it may borrow, and the paths that alone count, if any."""

    request: RenderRequest
    tree: Tree
    refs: Mapping[str, Tree] = {}
    paths: Sequence[str] = ()


class RenderCache:
    """Renders, unless that was done before.

    `memory` is asked first and has everything; `lasting` outlives the process and has what comes out the same each
    time. Whether what was fetched besides has moved since is told by `moved` for renders of this process, whose
    fetched revisions somebody polls; about older ones the renderer asks the servers. `fingerprint` says which programs
    are in use, where that cannot change while this lives; else the renderer is asked each time. Without `backoffs`
    what ran into a limit is tried each time.
    """

    def __init__(
        self,
        renderer: Renderer,
        *,
        memory: RenderStore | None = None,
        lasting: RenderStore | None = None,
        moved: Callable[[Sequence[Fetched], str], bool] = lambda _fetched, _project: False,
        fingerprint: str = "",
        backoffs: RenderBackoffs | None = None,
    ) -> None:
        self._renderer = renderer
        self._fingerprint = fingerprint
        self._memory = memory
        self._lasting = lasting
        self._moved = moved
        self._backoffs = backoffs

    @property
    def fingerprint(self) -> str:
        """Which programs and plugins are in use."""
        return self._fingerprint or self._renderer.fingerprint

    async def render(self, look: Look) -> Desired:
        """Return the objects of one source of one Application."""
        key = key_of(look.request, self.fingerprint)
        remembered = await self._memory.get(key) if self._memory is not None and not look.request.fresh else ()
        if (desired := await self._from_memory(key, remembered, look)) is not None:
            return desired
        lasted = await self._lasting.get(key) if self._lasting is not None and not look.request.fresh else ()
        desired = await self._still_right(lasted, look)
        if desired is None:
            try:
                desired = await self._attempt(key, look)
            except RenderError as error:
                await self._keep_failure(key, error, look, remembered, lasted)
                raise
            if self._lasting is not None and _is_worth_keeping(desired):
                await self._lasting.put(key, [_kept(desired, look), *lasted][:_KEPT_EACH])
        if self._memory is not None:
            await self._memory.put(key, [_kept(desired, look), *remembered][:_KEPT_EACH])
        return desired

    async def _attempt(self, key: str, look: Look) -> Desired:
        """Render, unless that ran into a limit a short while ago; somebody's hard refresh is tried all the same."""
        backoffs = self._backoffs
        if backoffs is None:
            return await self._renderer.render(look.request, look.tree, look.refs)
        if not (look.request.fresh and look.request.awaited):
            backoffs.check(key, look.tree, look.refs)
        try:
            desired = await self._renderer.render(look.request, look.tree, look.refs)
        except RenderError as error:
            raise backoffs.failed(key, look.tree, look.refs, error) from None
        backoffs.succeeded(key, look.tree, look.refs)
        return desired

    async def _from_memory(self, key: str, entries: Sequence[KeptRender], look: Look) -> Desired | None:
        found = next((entry for entry in fitting(entries, look)), None)
        if found is None or self._memory is None or self._moved(found.desired.fetched, look.request.project):
            return None
        desired = _objects(found).at(look.tree.revision)
        if desired is not found.desired:
            # Kept as that of the newer commit, so that this is done once per commit.
            newer = msgspec.structs.replace(found, desired=desired)
            await self._memory.put(key, [newer if entry is found else entry for entry in entries])
        return desired

    async def _still_right(self, entries: Sequence[KeptRender], look: Look) -> Desired | None:
        for entry in fitting(entries, look):
            if await self._renderer.is_current(look.request, entry.desired):
                return _objects(entry).at(look.tree.revision)
        return None

    async def _keep_failure(
        self,
        key: str,
        error: RenderError,
        look: Look,
        remembered: Sequence[KeptRender],
        lasted: Sequence[KeptRender],
    ) -> None:
        """Remember what fails each time; of files that are in no commit nobody knows what all was read."""
        trees = {"": look.tree, **look.refs}
        if error.passing or any(tree.revision == LOCAL for tree in trees.values()):
            return
        inputs = tuple(Input("", tree.digest_of(""), ref) for ref, tree in trees.items())
        failure = KeptFailure(error.what, error.place, error.hint, error.missing)
        desired = Desired((), revisions=(look.tree.revision,), inputs=inputs, fetched=error.fetched)
        kept = KeptRender(_capabilities_of(look.request), desired, failure=failure)
        if self._lasting is not None:
            await self._lasting.put(key, [kept, *lasted][:_KEPT_EACH])
        if self._memory is not None and not error.fetched:
            # Nobody polls what a failed render stands on: with such a failure the servers are asked each time.
            await self._memory.put(key, [kept, *remembered][:_KEPT_EACH])


def _objects(entry: KeptRender) -> Desired:
    """Return the objects of an entry; raises `RenderError` where it is a failure."""
    if (failure := entry.failure) is None:
        return entry.desired
    raise RenderError(failure.what, place=failure.place, hint=failure.hint, missing=failure.missing)


def key_of(request: RenderRequest, fingerprint: str) -> str:
    """Return under what a render is kept: what was asked for and the programs in use, but no cluster and no commit."""
    asked = msgspec.structs.replace(request, kube_version="", api_versions=(), fresh=False, awaited=True)
    content = msgspec.json.encode((_FORMAT, fingerprint, asked))
    return f"render {hashlib.sha256(content).hexdigest()}"


def fitting(entries: Sequence[KeptRender], look: Look) -> Iterator[KeptRender]:
    """Yield the renders whose files and cluster are those that are to be rendered now."""
    if not entries:
        return
    asked, watched = _capabilities_of(look.request), _watched(look)
    for entry in entries:
        if not _is_for(entry, asked):
            continue
        if (watched and entry.watched == watched) or unchanged(entry.desired, look.tree, look.refs):
            yield entry


def _is_for(entry: KeptRender, asked: Capabilities) -> bool:
    """Whether a render is the same on a cluster that can do this much."""
    if entry.capabilities == asked or entry.desired.source_types == _PLAIN:
        return True
    reads = entry.desired.cluster_reads
    same_version = entry.capabilities.kube_version == asked.kube_version
    return reads is ClusterReads.NOTHING or (reads is ClusterReads.VERSION and same_version)


def unchanged(desired: Desired, tree: Tree, refs: Mapping[str, Tree]) -> bool:
    """Whether every file and folder that a render read is unchanged; False for one that does not record them."""
    if not desired.inputs:
        return False
    for entry in desired.inputs:
        read = refs.get(entry.ref) if entry.ref else tree
        if read is None or read.digest_of(entry.path) != entry.digest:
            return False
    return True


def _is_worth_keeping(desired: Desired) -> bool:
    """Whether a render is kept on disk: it comes out the same each time, and is slower than reading it from there."""
    quick = desired.source_types == _PLAIN and len(desired.objects) <= _QUICK
    return bool(desired.inputs) and desired.steady and not quick


def _kept(desired: Desired, look: Look) -> KeptRender:
    return KeptRender(_capabilities_of(look.request), desired, _watched(look))


def _capabilities_of(request: RenderRequest) -> Capabilities:
    return Capabilities(request.kube_version, request.api_versions)


def _watched(look: Look) -> str:
    """Return the digest of the paths that alone count; empty where none are named."""
    if not look.paths:
        return ""
    total = hashlib.sha256()
    lent = ((ref, tree, "") for ref, tree in sorted(look.refs.items()))
    for name, tree, folder in (("", look.tree, look.request.source.path), *lent):
        total.update(f"{name}\0{digest_below(tree, folder, look.paths)}\n".encode())
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
        manifest_warnings=tuple(warning for part in parts for warning in part.manifest_warnings),
        digest=hashlib.sha256("\n".join(part.digest for part in parts).encode()).hexdigest(),
        fetched=tuple(dict.fromkeys(one for part in parts for one in part.fetched)),
        steady=all(part.steady for part in parts),
    )
