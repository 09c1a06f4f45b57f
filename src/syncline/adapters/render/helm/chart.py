"""Lays a chart with its values out in a private folder, ready for helm.

Called by `syncline.adapters.render.helm.template` to render it, and by `syncline.adapters.render.helm.explain` to ask
where values come from. The folder holds the chart, the value files under names of ours, and nothing else.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from syncline.adapters.render.build_environment import build_environment, substitute
from syncline.adapters.render.choice import RenderChoice
from syncline.adapters.render.desired import inputs, revision_inputs
from syncline.adapters.render.helm import arguments as helm_arguments
from syncline.adapters.render.helm import chart_files, chart_schemas, named_templates
from syncline.adapters.render.helm import errors as helm_errors
from syncline.adapters.render.helm import values_errors as helm_values_errors
from syncline.adapters.render.helm.arguments import FileOnDisk
from syncline.adapters.render.helm.dependencies import BUILD, Provider
from syncline.adapters.render.helm.value_files import ValueFileReader
from syncline.adapters.render.programs import ProgramFailed, Programs
from syncline.adapters.render.remote import RemoteSources
from syncline.adapters.render.workspace import Workspace, in_thread
from syncline.apimachinery import yaml
from syncline.model.desired import Fetched, Input, ValuesLayer
from syncline.model.errors import RenderError
from syncline.model.sources.source import HelmSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree

_VERSIONS = ("", "v3")
"""What Argo CD takes: its charts are rendered by the one helm it has."""


@dataclass(slots=True)
class Chart:
    """The chart on disk and the arguments to render it with."""

    request: RenderRequest
    choice: RenderChoice
    tree: Tree
    space: Workspace
    arguments: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)
    fetched: list[Fetched] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    layers: list[ValuesLayer] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def settings(self) -> HelmSource:
        """The Application's settings for helm."""
        return self.choice.source.helm or HelmSource()

    def prepare(self, refs: Mapping[str, Tree], above: bytes = b"") -> None:
        """Copy the chart and write its values; `above` are values that count more than those of all files."""
        helm, choice = self.settings, self.choice
        if helm.version not in _VERSIONS:
            what = f"helm chart version {helm.version[:20]!r} is not supported"
            raise RenderError(
                what, place=choice.place, hint="remove spec.source.helm.version: the installed helm is used"
            )
        self.space.put_folder(self.tree, choice.folder)
        if not helm.skip_schema_validation:
            chart_schemas.check(self.space)
        variables = build_environment(self.request, choice.source, self.tree.revision)
        reader = ValueFileReader(folder=choice.folder, tree=self.tree, refs=refs, variables=variables)
        values: list[FileOnDisk] = []
        for name, content in reader.value_files(helm.value_files, ignore_missing=helm.ignore_missing_value_files):
            # The reader notes the whole path just before it hands out the content.
            self.layers.append(ValuesLayer(name=reader.files[-1], text=content))
            values.append(self._on_disk(name, content))
        if inline := _inline(helm):
            name = f"spec.source.helm.{'valuesObject' if helm.values_object else 'values'}"
            self.layers.append(ValuesLayer(name=name, text=inline))
            values.append(self._on_disk("the values of the Application", inline))
        if above:
            values.append(self._on_disk("values to try", above))
        # Helm sets texts after other parameters, and contents of files after both, whatever their order.
        for parameter in sorted(helm.parameters, key=lambda one: one.force_string):
            value = substitute(parameter.value, variables)
            name = f"spec.source.helm.parameters[{parameter.name}]"
            layer = ValuesLayer(name=name, parameter=parameter.name, value=value, is_text=parameter.force_string)
            self.layers.append(layer)
        files = [self._file_parameter(one.name, reader.file_parameter(one.path)) for one in helm.file_parameters]
        self.arguments = helm_arguments.template(self.request, helm, variables, values, files)
        self.files = [*sorted(self.space.written), *reader.files]
        self.left_out = reader.left_out
        self.inputs = [
            *inputs(self.tree, choice.folder),
            *reader.inputs,
            *revision_inputs(self.tree, choice.source),
        ]

    def all_layers(self) -> tuple[ValuesLayer, ...]:
        """Return all that sets values, the weakest first: subcharts, the chart, files, the Application."""
        return (*chart_files.layers(self.space, self.choice.folder), *self.layers)

    async def template(self, programs: Programs, remote: RemoteSources) -> bytes:
        """Run helm; where it misses dependencies, provide them and run it once more."""
        try:
            return await programs.run("helm", self.arguments, self.space, self.choice.folder)
        except ProgramFailed as failure:
            missing = helm_errors.missing_dependencies(failure.complaint)
            if not missing:
                raise await self.reduced(failure) from None
        provider = Provider(self.choice.folder, self.tree, self.space)
        try:
            provided = await provider.provide(missing, self.request, remote)
        except RenderError as error:
            error.fetched = (*self.fetched, *error.fetched)
            raise
        self.inputs += provided.inputs
        self.fetched += provided.fetched
        if not self.settings.skip_schema_validation:
            await in_thread(lambda: chart_schemas.check(self.space))
        command = "helm dependency build"
        try:
            if provided.build:
                await programs.run("helm", BUILD, self.space, self.choice.folder)
            command = "helm template"
            return await programs.run("helm", self.arguments, self.space, self.choice.folder)
        except ProgramFailed as failure:
            raise await self.reduced(failure, command) from None

    async def reduced(self, failure: ProgramFailed, command: str = "helm template") -> RenderError:
        """Return helm's complaint with the names people know."""
        text = failure.complaint
        for path, name in self.names.items():
            text = text.replace(path, name)
        error = helm_errors.reduce(text, self.choice.folder, command)
        explained = await in_thread(lambda: self._explained(error))
        explained.passing, explained.fetched = failure.passing, tuple(self.fetched)
        return explained

    def _explained(self, error: RenderError) -> RenderError:
        found = helm_values_errors.explained(error, self.all_layers(), self.choice.folder)
        found = named_templates.explained(found, self.tree, self.choice.folder)
        try:
            description = self.space.read(posixpath.join(self.choice.folder, "Chart.yaml"))
        except OSError:
            return found
        return helm_errors.in_description(found, self.choice.folder, description)

    def _on_disk(self, name: str, content: bytes) -> FileOnDisk:
        path = str(self.space.put_extra(content))
        self.names[self.space.plain(path)] = name
        return FileOnDisk(path)

    def _file_parameter(self, name: str, content: bytes) -> FileOnDisk:
        text = content.decode("utf-8", "replace")
        layer = ValuesLayer(
            name=f"spec.source.helm.fileParameters[{name}]", parameter=name, value=text, is_content=True
        )
        self.layers.append(layer)
        return FileOnDisk(str(self.space.put_extra(content, ".txt")), name)


def _inline(helm: HelmSource) -> bytes:
    """Return the values written in the Application: `valuesObject` replaces `values`."""
    return yaml.dump(helm.values_object).encode() if helm.values_object else helm.values.encode()
