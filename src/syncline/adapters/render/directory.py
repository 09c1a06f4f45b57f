"""Renders a plain directory of YAML and JSON files: `syncline.ports.render.Renderer`.

Given a tree by the controller, it picks the files as Argo CD does and hands their objects back, each with
file and line. Every broken file is reported at once. Sources for other tools are refused with a sentence. The
size limit counts what is read, before it is read.
"""

from __future__ import annotations

import asyncio
import hashlib
import posixpath
import re
from collections.abc import Sequence

import orjson

from syncline.adapters.render import globs, manifests
from syncline.adapters.render.tools import Tool, choose
from syncline.model import names
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.errors import Place, RenderError, SourceError
from syncline.model.source import ApplicationSource, DirectorySource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree, TreeFile

MAX_BYTES = 10_000_000
"""Argo CD's default for all manifests of one source together."""

_EXTENSIONS = (".yaml", ".yml", ".json", ".jsonnet")
_LOGIN = re.compile(r"//[^/@]*@")


class DirectoryRenderer:
    """Turns the files of a folder into objects."""

    def __init__(self, *, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes

    async def render(self, request: RenderRequest, tree: Tree) -> Desired:
        """Render one source of one Application."""
        source = request.source
        if source.ref and not source.path and not source.chart:
            # It only lends its files to other sources.
            return Desired((), revisions=(tree.revision,), source_types=("",))
        folder = _folder(source.path)
        files = tree.files()
        _require_directory(request, folder, files)
        chosen = _choose(files, folder, source.directory or DirectorySource())
        budget = _Budget(self._max_bytes, len(chosen))
        budget.check(sum(file.size for file in chosen))
        return await _render(source, tree, chosen, budget)


class _Budget:
    """Counts what was read: a link is small in the list of files and may lead to a large one."""

    def __init__(self, limit: int, files: int) -> None:
        self._limit = limit
        self._files = files
        self._spent = 0

    def spend(self, size: int) -> None:
        self._spent += size
        self.check(self._spent)

    def check(self, size: int) -> None:
        if size > self._limit:
            what = f"exceeded max combined manifest file size: {size} bytes in {self._files} files"
            hint = f"{self._limit // 1_000_000}M are allowed: split the application or exclude files"
            raise RenderError(what, hint=hint)


async def _render(source: ApplicationSource, tree: Tree, files: Sequence[TreeFile], budget: _Budget) -> Desired:
    repo_url = _LOGIN.sub("//", source.repo_url)
    objects: list[DesiredObject] = []
    broken: list[manifests.BrokenFile] = []
    read: list[str] = []
    warnings: list[str] = []
    for file in files:
        # Other work gets its turn between files: parsing holds the loop.
        await asyncio.sleep(0)
        try:
            found = _objects(tree, file, budget)
        except manifests.BrokenFile as problem:
            broken.append(problem)
            continue
        except manifests.NoManifest as reason:
            warnings.append(f"{file.path} is left out: it is no Kubernetes manifest ({reason})")
            continue
        read.append(file.path)
        for manifest in found:
            origin = Origin(repo_url, tree.revision, file.path, manifest.line, manifest.positions)
            objects.append(DesiredObject(manifest.obj, origin))
    if broken:
        raise _all_broken(broken)
    return Desired(
        tuple(objects),
        revisions=(tree.revision,),
        source_types=(Tool.DIRECTORY.value,),
        files=tuple(read),
        warnings=tuple(warnings),
        digest=_digest(objects),
    )


def _objects(tree: Tree, file: TreeFile, budget: _Budget) -> list[manifests.Manifest]:
    try:
        text = tree.read(file.path)
    except SourceError as error:
        raise manifests.BrokenFile(error.what, Place(file.path)) from None
    budget.spend(len(text))
    if names.SKIP_FILE_RENDERING.encode() in text:
        return []
    if file.path.endswith(".jsonnet"):
        raise manifests.BrokenFile("Jsonnet files are not supported yet", Place(file.path))
    return manifests.read(file.path, text)


def _folder(path: str) -> str:
    folder = posixpath.normpath(path) if path else "."
    return "" if folder == "." else folder


def _relative(path: str, folder: str) -> str:
    return path[len(folder) + 1 :] if folder else path


def _require_directory(request: RenderRequest, folder: str, files: Sequence[TreeFile]) -> None:
    in_folder = {name for file in files if "/" not in (name := _relative(file.path, folder))}
    tool = choose(request.source, in_folder)
    if tool is not Tool.DIRECTORY:
        what = f"{tool.value} sources are not supported yet"
        raise RenderError(what, place=Place(folder) if folder else None, hint="plain directories of YAML are")
    for override in (".argocd-source.yaml", f".argocd-source-{request.app_name}.yaml"):
        if override in in_folder:
            place = Place(posixpath.join(folder, override))
            raise RenderError("files that override an Application's source are not supported yet", place=place)


def _choose(files: Sequence[TreeFile], folder: str, settings: DirectorySource) -> list[TreeFile]:
    """Return the files to read, in the order in which a walk through the folders meets them."""

    def is_wanted(path: str) -> bool:
        if not settings.disable_extension_filter and not path.endswith(_EXTENSIONS):
            return False
        if "/" in path and not settings.recurse:
            return False
        if settings.exclude and globs.matches(settings.exclude, path):
            return False
        return not settings.include or globs.matches(settings.include, path)

    wanted = [file for file in files if is_wanted(_relative(file.path, folder))]
    return sorted(wanted, key=lambda file: file.path.split("/"))


def _all_broken(broken: Sequence[manifests.BrokenFile]) -> RenderError:
    first, *others = broken
    if not others:
        return RenderError(first.what, place=first.place)
    count = "1 more file is" if len(others) == 1 else f"{len(others)} more files are"
    shown = ", ".join(str(problem.place) for problem in others[:20])
    hint = f"{count} broken: {shown}" + (" …" if len(others) > 20 else "")
    return RenderError(first.what, place=first.place, hint=hint)


def _digest(objects: Sequence[DesiredObject]) -> str:
    digest = hashlib.sha256()
    for item in objects:
        digest.update(orjson.dumps(item.obj, option=orjson.OPT_SORT_KEYS))
        digest.update(b"\n")
    return digest.hexdigest()
