"""Renders a Helm chart by the real `helm template`, in a private folder.

Called by `syncline.adapters.render.renderer`. Hooks stay objects with their annotations; the core knows what they
mean. A chart that calls for chance or time is rendered twice, and what came out differently is said: such a field
changes with every render, so the app is never done.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

import msgspec

from syncline.adapters.render import rendered, workspace
from syncline.adapters.render.choice import RenderChoice
from syncline.adapters.render.desired import digest, distinct
from syncline.adapters.render.helm import unsteady
from syncline.adapters.render.helm.chart import Chart
from syncline.adapters.render.helm.cluster_reads import cluster_reads
from syncline.adapters.render.helm.provenance import TemplateSources
from syncline.adapters.render.object_lines import Lines, MadeObject
from syncline.adapters.render.programs import Programs
from syncline.adapters.render.remote import RemoteSources
from syncline.model.desired import Desired, DesiredObject
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree


async def render(
    request: RenderRequest,
    choice: RenderChoice,
    tree: Tree,
    refs: Mapping[str, Tree],
    programs: Programs,
    remote: RemoteSources,
    above: bytes = b"",
) -> Desired:
    """Return the objects of a chart."""
    warnings = await programs.pin_warnings("helm")
    async with workspace.opened() as space:
        chart = Chart(request, choice, tree, space)
        await workspace.in_thread(lambda: chart.prepare(refs, above))
        output = await chart.template(programs, remote)
        suspects = await workspace.in_thread(lambda: unsteady.suspects(space, choice.folder, chart.layers))
        again = await chart.template(programs, remote) if any(one.changes for one in suspects) else output
        reads = await workspace.in_thread(lambda: cluster_reads(space, choice.folder, chart.layers, output))
    made = await programs.parse(len(output), lambda: _desired(chart, output))
    desired = msgspec.structs.replace(made, cluster_reads=reads)
    warnings += (*desired.warnings, *desired.manifest_warnings, *unsteady.warnings(suspects))
    changing: tuple[str, ...] = ()
    if again != output:
        made = await programs.parse(len(again), lambda: _desired(chart, again))
        changing = unsteady.differences(desired, made, suspects)
    if not warnings and not changing:
        return desired
    return msgspec.structs.replace(desired, warnings=(*warnings, *changing), steady=not changing)


def _desired(chart: Chart, output: bytes) -> Desired:
    choice, tree = chart.choice, chart.tree
    sources = TemplateSources(output, choice.folder)
    lines = Lines(tree.read)
    repo_url = choice.source.shown_url
    unknown = posixpath.join(choice.folder, "Chart.yaml")
    repeated: list[str] = []
    printed = rendered.read(output, "helm template", sources.file, repeated)
    made = [MadeObject(file or unknown, obj) for file, obj in printed]
    objects: list[DesiredObject] = []
    for one, place in zip(made, lines.places(made), strict=True):
        objects.append(rendered.desired(one.obj, repo_url, tree.revision, place, lines.fields(place, one.obj)))
    return Desired(
        tuple(objects),
        revisions=(tree.revision,),
        source_types=(choice.tool.value,),
        files=tuple(dict.fromkeys(chart.files)),
        digest=digest(objects),
        inputs=distinct(chart.inputs),
        fetched=tuple(dict.fromkeys(chart.fetched)),
        warnings=rendered.odd(objects),
        manifest_warnings=tuple(repeated),
    )
