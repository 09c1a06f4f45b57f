"""Renders a plain directory of YAML and JSON files: `syncline.ports.render.Renderer`.

Given a tree by `syncline.adapters.render.renderer` (or by whoever needs no tools), it picks the files as Argo CD
does and hands their objects back, each with file and line. Every broken file is reported at once. The size limit
counts what is read, before it is read.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from syncline.adapters.render import choice as choices
from syncline.adapters.render import globs, manifests
from syncline.adapters.render.build_environment import build_environment
from syncline.adapters.render.choice import RenderChoice
from syncline.adapters.render.desired import digest, distinct, inputs, revision_inputs
from syncline.adapters.render.jsonnet import evaluate as jsonnet
from syncline.adapters.render.jsonnet.evaluate import JsonnetOutput
from syncline.adapters.render.means import MAX_BYTES
from syncline.adapters.render.programs import LARGE, Programs
from syncline.adapters.render.tools import Tool
from syncline.model import names
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.errors import Place, RenderError, SourceError
from syncline.model.sources.source import DirectorySource, JsonnetSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree, TreeFile

_EXTENSIONS = (".yaml", ".yml", ".json", ".jsonnet")


_JSONNET = ".jsonnet"


@dataclass(frozen=True, slots=True)
class DirectoryLimits:
    """How much is read, and whether Jsonnet is."""

    max_bytes: int = MAX_BYTES
    jsonnet: bool = True


async def render_files(
    request: RenderRequest, choice: RenderChoice, tree: Tree, programs: Programs, limits: DirectoryLimits
) -> Desired:
    """Render the manifest files of a folder."""
    settings = choice.source.directory or DirectorySource()
    chosen = _choose(tree.files(), choice.folder, settings)
    if not limits.jsonnet:
        chosen = [file for file in chosen if not file.path.endswith(_JSONNET)]
    budget = _Budget(limits.max_bytes, len(chosen))
    budget.check(sum(file.size for file in chosen))
    evaluated = JsonnetOutput()
    if scripts := [file.path for file in chosen if file.path.endswith(_JSONNET)]:
        variables = build_environment(request, choice.source, tree.revision)
        given = settings.jsonnet or JsonnetSource()
        evaluated = await jsonnet.evaluate(scripts, tree, given, variables, programs)
    return await _render(choice, tree, chosen, budget, evaluated, programs)


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


async def _render(
    choice: RenderChoice,
    tree: Tree,
    files: Sequence[TreeFile],
    budget: _Budget,
    evaluated: JsonnetOutput,
    programs: Programs,
) -> Desired:
    repo_url = choice.source.shown_url
    objects: list[DesiredObject] = []
    broken: list[manifests.BrokenFile] = []
    read: list[str] = []
    warnings: list[str] = []
    repeated: list[str] = []
    for file in files:
        # Other work gets its turn between files: parsing holds the loop.
        await asyncio.sleep(0)
        try:
            # A link may lead to a large file, or to one that has to be fetched first.
            size = LARGE if file.is_link else max(file.size, len(evaluated.texts.get(file.path, b"")))
            if size < LARGE:
                found = _objects(tree, file, budget, evaluated, repeated)
            else:
                read_file = functools.partial(_objects, tree, file, budget, evaluated, repeated)
                found = await programs.parse(size, read_file)
        except manifests.BrokenFile as problem:
            broken.append(problem)
            continue
        except manifests.NoManifest as reason:
            warnings.append(f"{file.path} is skipped: it is not a Kubernetes manifest ({reason})")
            continue
        except _DanglingLink:
            warnings.append(f"{file.path} is left out: invalid symlink: target doesn't exist")
            continue
        read.append(file.path)
        for manifest in found:
            origin = Origin(repo_url, tree.revision, file.path, manifest.line, manifest.positions)
            objects.append(DesiredObject(manifest.obj, origin))
            warnings += filter(None, [manifests.told(manifest.obj, origin.place())])
    if broken:
        raise _all_broken(broken)
    return Desired(
        tuple(objects),
        revisions=(tree.revision,),
        source_types=(Tool.DIRECTORY.value,),
        files=tuple(dict.fromkeys([*read, *evaluated.files])),
        warnings=(*warnings, *repeated),
        manifest_warnings=tuple(repeated) if objects else (*repeated, _why_empty(choice, tree, files)),
        digest=digest(objects),
        inputs=distinct([*inputs(tree, choice.folder), *evaluated.inputs, *revision_inputs(tree, choice.source)]),
    )


def _why_empty(choice: RenderChoice, tree: Tree, read: Sequence[TreeFile]) -> str:
    """Return why a folder makes no objects, and what to do about it."""
    settings, folder = choice.source.directory or DirectorySource(), choice.folder
    told = f"{folder or '.'} makes no objects"
    present = [choices.relative(file.path, folder) for file in tree.files()]
    manifest_like = [path for path in present if settings.disable_extension_filter or path.endswith(_EXTENSIONS)]
    if read:
        return f"{told}: none of the {len(read)} files that were read holds one"
    if not present:
        return f"{told}: the folder is empty"
    if not manifest_like:
        return f"{told}: it has no files that end in {', '.join(_EXTENSIONS)}"
    if not settings.recurse and all("/" in path for path in manifest_like):
        return f"{told}: its manifests are in folders below it, which are read with spec.source.directory.recurse: true"
    return f"{told}: spec.source.directory.include and exclude leave out all of its manifests"


class _DanglingLink(Exception):
    """A link that leads to nothing."""


def _objects(
    tree: Tree, file: TreeFile, budget: _Budget, evaluated: JsonnetOutput, warnings: list[str]
) -> list[manifests.FileObject]:
    if broken := evaluated.errors.get(file.path):
        raise broken
    try:
        text = tree.read(file.path)
    except SourceError as error:
        if file.is_link and "symlink" not in error.what:
            raise _DanglingLink from None
        raise manifests.BrokenFile(error.what, Place(file.path), error.hint) from None
    budget.spend(len(text))
    if names.SKIP_FILE_RENDERING.encode() in text:
        return []
    if file.path.endswith(_JSONNET):
        budget.spend(len(evaluated.texts[file.path]))
        return manifests.evaluated(file.path, evaluated.texts[file.path])
    return manifests.read(file.path, text, warnings)


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

    wanted = [file for file in files if is_wanted(choices.relative(file.path, folder))]
    return sorted(wanted, key=lambda file: file.path.split("/"))


def _all_broken(broken: Sequence[manifests.BrokenFile]) -> RenderError:
    first, *others = broken
    if not others:
        return RenderError(first.what, place=first.place, hint=first.hint)
    count = "1 more file is" if len(others) == 1 else f"{len(others)} more files are"
    shown = ", ".join(str(problem.place) for problem in others[:20])
    hint = f"{count} broken: {shown}" + (" …" if len(others) > 20 else "")
    return RenderError(first.what, place=first.place, hint=hint)
