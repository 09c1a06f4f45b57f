"""Renders a Helm chart by the real `helm template`, in a private folder.

Called by `syncline.adapters.render.renderer`. The folder holds the chart, the value files under names of ours, and
nothing else. Hooks stay objects with their annotations; the core knows what they mean.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from syncline.adapters.render import chart_schemas, dependencies, helm_arguments, helm_errors, rendered, workspace
from syncline.adapters.render.build_environment import build_environment
from syncline.adapters.render.choice import Choice
from syncline.adapters.render.desired import digest, distinct, inputs, revision_inputs, without_login
from syncline.adapters.render.helm_arguments import FileOnDisk
from syncline.adapters.render.helm_provenance import Sources
from syncline.adapters.render.object_lines import Lines
from syncline.adapters.render.programs import ProgramFailed, Programs
from syncline.adapters.render.value_files import Reader
from syncline.adapters.render.workspace import Workspace
from syncline.apimachinery import yaml
from syncline.model.desired import Desired, DesiredObject, Input
from syncline.model.errors import RenderError
from syncline.model.source import HelmSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree


@dataclass(slots=True)
class _Prepared:
    """The chart on disk and the arguments to render it with."""

    arguments: list[str]
    names: dict[str, str]
    inputs: list[Input] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


async def render(
    request: RenderRequest, choice: Choice, tree: Tree, refs: Mapping[str, Tree], programs: Programs
) -> Desired:
    """Return the objects of a chart."""
    if choice.source.chart:
        hint = "put the chart into a Git repository and name its path"
        raise RenderError("charts of Helm repositories are not supported yet", hint=hint)
    with workspace.opened() as space:
        prepared = await workspace.in_thread(lambda: _prepare(request, choice, tree, refs, space))
        output = await _template(choice, tree, space, prepared, programs)
    return await asyncio.to_thread(_desired, choice, tree, prepared, output)


def _prepare(
    request: RenderRequest, choice: Choice, tree: Tree, refs: Mapping[str, Tree], space: Workspace
) -> _Prepared:
    helm = choice.source.helm or HelmSource()
    space.put_folder(tree, choice.folder)
    if not helm.skip_schema_validation:
        chart_schemas.check(space)
    variables = build_environment(request, choice.source, tree.revision)
    reader = Reader(folder=choice.folder, tree=tree, refs=refs, variables=variables)
    names: dict[str, str] = {}
    values: list[FileOnDisk] = []
    for name, content in reader.value_files(helm.value_files, ignore_missing=helm.ignore_missing_value_files):
        values.append(_on_disk(space, names, name, content))
    if inline := _inline(helm):
        values.append(_on_disk(space, names, "the values of the Application", inline))
    files = [
        FileOnDisk(str(space.put_extra(reader.file_parameter(parameter.path), ".txt")), parameter.name)
        for parameter in helm.file_parameters
    ]
    arguments = helm_arguments.template(request, helm, variables, values, files)
    read = [*sorted(space.written), *reader.files]
    looked_at = [*inputs(tree, choice.folder), *reader.inputs, *revision_inputs(tree, choice.source)]
    return _Prepared(arguments, names, looked_at, read)


def _on_disk(space: Workspace, names: dict[str, str], name: str, content: bytes) -> FileOnDisk:
    path = str(space.put_extra(content))
    names[space.plain(path)] = name
    return FileOnDisk(path)


def _inline(helm: HelmSource) -> bytes:
    """Return the values written in the Application: `valuesObject` replaces `values`."""
    return yaml.dump(helm.values_object).encode() if helm.values_object else helm.values.encode()


async def _template(choice: Choice, tree: Tree, space: Workspace, prepared: _Prepared, programs: Programs) -> bytes:
    """Run helm; where it misses dependencies, provide them and run it once more."""
    try:
        return await programs.run("helm", prepared.arguments, space, choice.folder)
    except ProgramFailed as failure:
        missing = helm_errors.missing_dependencies(failure.complaint)
        if not missing:
            raise _reduced(failure, choice, prepared) from None
    prepared.inputs += await workspace.in_thread(lambda: dependencies.provide(missing, choice.folder, tree, space))
    if not (choice.source.helm or HelmSource()).skip_schema_validation:
        await workspace.in_thread(lambda: chart_schemas.check(space))
    command = "helm dependency build"
    try:
        await programs.run("helm", dependencies.BUILD, space, choice.folder)
        command = "helm template"
        return await programs.run("helm", prepared.arguments, space, choice.folder)
    except ProgramFailed as failure:
        raise _reduced(failure, choice, prepared, command) from None


def _reduced(
    failure: ProgramFailed, choice: Choice, prepared: _Prepared, command: str = "helm template"
) -> RenderError:
    text = failure.complaint
    for path, name in prepared.names.items():
        text = text.replace(path, name)
    return helm_errors.reduce(text, choice.folder, command)


def _desired(choice: Choice, tree: Tree, prepared: _Prepared, output: bytes) -> Desired:
    sources = Sources(output, choice.folder)
    lines = Lines(tree)
    repo_url = without_login(choice.source.repo_url)
    objects: list[DesiredObject] = []
    for file, obj in rendered.read(output, "helm template", sources.file):
        place = lines.place(file or posixpath.join(choice.folder, "Chart.yaml"), str(obj["kind"]))
        objects.append(rendered.desired(obj, repo_url, tree.revision, place))
    return Desired(
        tuple(objects),
        revisions=(tree.revision,),
        source_types=(choice.tool.value,),
        files=tuple(dict.fromkeys(prepared.files)),
        digest=digest(objects),
        inputs=distinct(prepared.inputs),
    )
