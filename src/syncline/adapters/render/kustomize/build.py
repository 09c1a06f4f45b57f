"""Renders a kustomization by the real `kubectl kustomize`, in a private folder.

Called by `syncline.adapters.render.renderer`. The Application's settings are written into the copied kustomization.
Each object is made to name its origin, which becomes its provenance and is taken off again. Functions and programs of
the repository stay off: there is no setting for them. Charts are rendered where the operator allows it.
"""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from syncline.adapters.render import rendered, workspace
from syncline.adapters.render.build_environment import build_environment
from syncline.adapters.render.choice import RenderChoice
from syncline.adapters.render.desired import digest, distinct, revision_inputs
from syncline.adapters.render.helm import chart_schemas
from syncline.adapters.render.kustomize import edit as kustomize_edit
from syncline.adapters.render.kustomize import errors as kustomize_errors
from syncline.adapters.render.kustomize import files as kustomize_files
from syncline.adapters.render.kustomize import origins as kustomize_origins
from syncline.adapters.render.kustomize import references
from syncline.adapters.render.kustomize.files import Copier
from syncline.adapters.render.kustomize.options import ANYWHERE, BuildOptions
from syncline.adapters.render.kustomize.origins import Declared
from syncline.adapters.render.kustomize.plugins import Settled
from syncline.adapters.render.kustomize.remote import Bases
from syncline.adapters.render.object_lines import Lines, MadeObject
from syncline.adapters.render.programs import ProgramFailed, Programs
from syncline.adapters.render.remote import RemoteSources
from syncline.adapters.render.workspace import Workspace
from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import Object
from syncline.model.desired import Desired, Fetched, Input, Positions
from syncline.model.errors import Place, RenderError
from syncline.model.sources.source import KustomizeSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree


class _Build:
    """One kustomization on disk, ready to be built."""

    def __init__(self, request: RenderRequest, choice: RenderChoice, tree: Tree, space: Workspace) -> None:
        self._tree = tree
        self._folder = choice.folder
        self._settings = choice.source.kustomize or KustomizeSource()
        self._variables = build_environment(request, choice.source, tree.revision)
        self._copier = Copier(tree, space)
        self._space = space
        self._top: tuple[str, dict[str, Any]] = ("", {})
        self.warnings: list[str] = []
        self.keeps_origins = False
        self.left_out = self.unsteady = False
        self.runs_plugins = False
        self.names: dict[str, str] = {}
        """Files that stand in for settings of plug-ins, and where those come from."""
        self.fetched: tuple[Fetched, ...] = ()
        self.declared: Declared | None = None
        self.bases: Bases | None = None

    async def prepare(self, request: RenderRequest, remote: RemoteSources) -> None:
        """Copy the files, fetch what may be fetched, and write the settings into the kustomization."""
        bases = self.bases = Bases(request, remote, self._space)
        await workspace.in_thread(self._copy)
        await bases.bring(self._copier.remote)
        await workspace.in_thread(lambda: self._write(bases))
        self.warnings[:0] = bases.warnings
        self.fetched = tuple(bases.fetched)
        self.left_out, self.unsteady = bool(bases.warnings), bases.unsteady
        self.runs_plugins = self._copier.runs_plugins or bases.run_plugins

    async def settle(self, run: Callable[[str], Awaitable[bytes]], options: BuildOptions) -> None:
        """Have what plug-ins and charts are about to run judged; raises `RenderError` for what must not be run."""
        if not self.runs_plugins:
            return
        beside = options.restrictor == ANYWHERE
        settled = Settled(self._tree, self._space, run, helm=options.helm, beside=beside, names=self.names)
        await settled.settle(self._folder)
        if options.helm:
            await workspace.in_thread(lambda: chart_schemas.check(self._space))

    def read(self, path: str) -> bytes:
        """Return a file as its authors wrote it, of the repository or of a base that was fetched."""
        fetched = self.bases.read(path) if self.bases else None
        return self._tree.read(path) if fetched is None else fetched

    def known(self, place: Place) -> Place:
        """Return a place as people know it."""
        return Place(self.bases.known(place.file), place.line, place.column) if self.bases else place

    def named(self, complaint: str) -> str:
        """Return what kustomize said with the names people know."""
        for made, known in self.names.items():
            complaint = complaint.replace(made, known).replace(posixpath.basename(made), known)
        return complaint

    def _copy(self) -> None:
        found = kustomize_files.read(self._tree, self._folder)
        if found is None:
            what = "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' here"
            raise RenderError(what, place=Place(self._folder) if self._folder else None)
        file, kustomization = found
        self._copier.copy(self._folder)
        try:
            changed = kustomize_edit.edited(kustomization, self._settings, self._variables)
        except RenderError as error:
            raise RenderError(error.what, place=Place(file), hint=error.hint) from None
        if components := self._components(file):
            changed = kustomize_edit.with_components(changed, components)
        if kustomize_edit.is_empty(changed):
            # kustomize's own words; it would not say them, because of what is written into the file below.
            raise RenderError("kustomization.yaml is empty", place=Place(file, 1), hint="add resources to it")
        self._check_patches(file)
        self._top = file, changed

    def _write(self, bases: Bases) -> None:
        file, changed = self._top
        bases.rewrite(file)
        changed = bases.rewritten(file, changed)
        if kustomize_origins.would_matter(self._space):
            self.declared = Declared(self._space)
        else:
            changed, self.keeps_origins = kustomize_edit.with_origins(changed)
        self._space.replace(file, yaml.dump(changed).encode())

    def with_reason(self, error: RenderError) -> RenderError:
        """Return what went wrong with what was left out before: the rest may stand on it."""
        reason = f"this may be the reason: {self.warnings[0]}" if self.left_out else ""
        hint = "; ".join(filter(None, (error.hint, reason)))
        named = self.bases.named if self.bases else str
        return RenderError(
            named(error.what),
            place=self.known(error.place) if error.place else None,
            hint=named(hint),
            missing=error.missing,
            passing=error.passing or self.unsteady,
            fetched=self.fetched,
        )

    @property
    def inputs(self) -> list[Input]:
        return self._copier.inputs

    def _components(self, file: str) -> list[str]:
        kept: list[str] = []
        for component in self._settings.components:
            path = references.local_path(self._folder, component)
            if path is None:
                what = f"spec.source.kustomize.components: component {component!r} resolved to outside repository root"
                raise RenderError(what, place=Place(file), hint="name a folder of the same repository")
            if references.is_address(component) or (references.is_remote(component) and not self._tree.digest_of(path)):
                what = f"spec.source.kustomize.components: remote component {component} is not fetched"
                raise RenderError(what, place=Place(file), hint="commit a copy of it")
            if self._tree.digest_of(path):
                self._copier.copy(path)
                kept.append(component)
                continue
            self._copier.inputs.append(Input(path, ""))
            if not self._settings.ignore_missing_components:
                what = f"spec.source.kustomize.components: component {component!r} does not exist"
                raise RenderError(what, place=Place(file), hint="remove it, or set ignoreMissingComponents")
            self.warnings.append(f"component {component} is skipped: it does not exist")
        return kept

    def _check_patches(self, file: str) -> None:
        for patch in self._settings.patches:
            path = references.local_path(self._folder, patch.path)
            if path is None:
                what = f"spec.source.kustomize.patches: patch {patch.path!r} resolved to outside repository root"
                raise RenderError(what, place=Place(file), hint="name a file of the same repository")
            if references.is_address(patch.path):
                hint = "commit a copy to the repository and name its path"
                what = f"spec.source.kustomize.patches: patch {patch.path!r} is not fetched"
                raise RenderError(what, place=Place(file), hint=hint)


async def render(
    request: RenderRequest,
    choice: RenderChoice,
    tree: Tree,
    programs: Programs,
    remote: RemoteSources,
    options: BuildOptions,
) -> Desired:
    """Return the objects of a kustomization."""
    pins = await programs.pin_warnings("kustomize", "kubectl")
    async with workspace.opened() as space:
        build = _Build(request, choice, tree, space)
        await build.prepare(request, remote)
        build.warnings += [*await _version_warnings(choice, programs), *pins, *options.warnings]
        arguments = ("kustomize", *_arguments(request, choice, programs, options), "--", ".")
        run = functools.partial(programs.run, "kubectl", arguments, space)
        try:
            await build.settle(run, options)
            output = await run(choice.folder)
        except ProgramFailed as failure:
            complaint, files = build.named(failure.complaint), sorted(space.written)
            texts = kustomize_errors.Texts(tree, build.read, files)
            error = await workspace.in_thread(lambda: kustomize_errors.reduce(complaint, choice, texts))
            error.passing = failure.passing
            raise build.with_reason(error) from None
        read = tuple(sorted(space.written))
    return await programs.parse(len(output), lambda: _desired(choice, tree, build, output, read))


async def _version_warnings(choice: RenderChoice, programs: Programs) -> list[str]:
    """Return a sentence where an Application asks for another kustomize than the installed one."""
    wanted = choice.source.kustomize.version if choice.source.kustomize else ""
    if not wanted or wanted.removeprefix("v") == (version := await programs.version("kustomize")):
        return []
    installed = f"kustomize {version}" if version else "kustomize"
    return [f"spec.source.kustomize.version {wanted[:20]} is ignored: the installed {installed} is used"]


def _arguments(request: RenderRequest, choice: RenderChoice, programs: Programs, options: BuildOptions) -> list[str]:
    settings = choice.source.kustomize or KustomizeSource()
    kube_version = settings.kube_version or request.kube_version
    api_versions = settings.api_versions or request.api_versions
    if any(not text.isprintable() for text in (kube_version, *api_versions)):
        raise RenderError("invalid kubeVersion or apiVersions", place=choice.place)
    return options.arguments(programs.path("helm") if options.helm else "", kube_version, api_versions)


def _desired(choice: RenderChoice, tree: Tree, build: _Build, output: bytes, files: tuple[str, ...]) -> Desired:
    repo_url = choice.source.shown_url
    repeated: list[str] = []
    printed = [obj for _file, obj in rendered.read(output, "kubectl kustomize", lambda _line: choice.folder, repeated)]
    objects = [
        rendered.desired(obj, repo_url, tree.revision, build.known(place), fields)
        for obj, place, fields in _placed(choice, build, printed)
    ]
    return Desired(
        tuple(objects),
        revisions=(tree.revision,),
        source_types=(choice.tool.value,),
        files=files,
        warnings=(*build.warnings, *repeated, *rendered.odd(objects)),
        manifest_warnings=tuple(repeated),
        steady=not build.unsteady,
        digest=digest(objects),
        inputs=distinct([*build.inputs, *revision_inputs(tree, choice.source)]),
        fetched=build.fetched,
    )


def _placed(choice: RenderChoice, build: _Build, printed: Sequence[Object]) -> list[tuple[Object, Place, Positions]]:
    """Return the objects without notes of their origin, the place of each, and the lines of its fields."""
    lines = Lines(build.read)
    bare: list[Object] = []
    places: list[Place | None] = []
    made: list[MadeObject] = []
    for obj in printed:
        if build.declared is not None:
            file, generated = build.declared.file(str(obj["kind"]), meta.name(obj)), False
            bare.append(obj)
        else:
            plain, note = kustomize_origins.without_note(obj, keep=build.keeps_origins)
            file, generated = kustomize_origins.noted_origin(note, choice.folder, build.names)
            bare.append(plain)
        if generated or not file:
            places.append(lines.entry(file, meta.name(obj)) if file else Place(choice.folder))
        else:
            places.append(None)
            made.append(MadeObject(file, obj))
    found = iter(lines.places(made))
    result: list[tuple[Object, Place, Positions]] = []
    for obj, entry in zip(bare, places, strict=True):
        # What an entry of a kustomization generates has no fields in a file.
        place = entry or next(found)
        result.append((obj, place, Positions() if entry else lines.fields(place, obj)))
    return result
