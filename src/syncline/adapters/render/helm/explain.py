"""Answers where the values of a chart come from, by asking the chart itself.

Called by `syncline.adapters.render.renderer`. A copy of the chart gets one template of ours that prints the values it
sees, and helm renders that alone: whatever helm does when it puts values together is in the answer.
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from syncline.adapters.render import workspace
from syncline.adapters.render.choice import RenderChoice
from syncline.adapters.render.helm.chart import Chart
from syncline.adapters.render.programs import Programs
from syncline.adapters.render.remote import RemoteSources
from syncline.apimachinery import yaml
from syncline.model.desired import ChartValues, ValuesLayer
from syncline.model.errors import RenderError
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree

_PROBE = b"apiVersion: syncline.io/v1\nkind: Values\nvalues: {{ toJson .Values }}\n"
_NAME = "syncline-values.yaml"


async def chart_values(
    request: RenderRequest,
    choice: RenderChoice,
    tree: Tree,
    refs: Mapping[str, Tree],
    programs: Programs,
    remote: RemoteSources,
) -> ChartValues:
    """Return the layers of a chart's values and what it sees."""
    async with workspace.opened() as space:
        chart = Chart(request, choice, tree, space)

        def prepare() -> None:
            chart.prepare(refs)
            prefix = posixpath.join(choice.folder, "templates") + "/"
            for path in space.written:
                # Every template of the chart itself may fail or ask for a value; subcharts only print their own.
                if path.startswith(prefix) or "/templates/" in path.removeprefix(choice.folder):
                    space.replace(path, b"")
            space.put_content(prefix + _NAME, _PROBE)

        await workspace.in_thread(prepare)
        chart.arguments = [one for one in chart.arguments if one != "--include-crds"]
        chart.arguments.insert(1, "--skip-schema-validation")
        output = await chart.template(programs, remote)
        layers = chart.all_layers()
    seen = next((found for found in _documents(output) if found.get("kind") == "Values"), {})
    return ChartValues(layers, seen.get("values") or {}, tuple(chart.left_out))


async def layers(
    request: RenderRequest, choice: RenderChoice, tree: Tree, refs: Mapping[str, Tree]
) -> tuple[ValuesLayer, ...]:
    """Return the layers of a chart's values as the files have them; helm is not run."""
    async with workspace.opened() as space:
        chart = Chart(request, choice, tree, space)
        await workspace.in_thread(lambda: chart.prepare(refs))
        return chart.all_layers()


def without_parameters(choice: RenderChoice, values: Mapping[str, Any]) -> RenderChoice:
    """Return the choice without parameters that would count above the values to try."""
    helm = choice.source.helm
    if helm is None or not (helm.parameters or helm.file_parameters):
        return choice
    tried = {".".join(path) for path in _paths(values, ())}
    kept = msgspec.structs.replace(
        helm,
        parameters=tuple(one for one in helm.parameters if not any(_touches(one.name, path) for path in tried)),
        file_parameters=tuple(
            one for one in helm.file_parameters if not any(_touches(one.name, path) for path in tried)
        ),
    )
    source = msgspec.structs.replace(choice.source, helm=kept)
    return dataclasses.replace(choice, source=source)


def _paths(values: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _paths(value, (*above, name))
        else:
            yield (*above, name)


def _touches(parameter: str, path: str) -> bool:
    name = parameter.split("[", 1)[0]
    return name == path or path.startswith(f"{name}.") or name.startswith(f"{path}.")


def _documents(output: bytes) -> list[dict[str, Any]]:
    try:
        documents = yaml.load_documents(output, source="helm template")
    except yaml.YamlError as error:
        raise RenderError(f"the values that the chart sees cannot be read: {error.message}") from None
    return [document.value for document in documents if isinstance(document.value, dict)]
