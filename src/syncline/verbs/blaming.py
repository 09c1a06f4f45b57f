"""Who made a field of a rendered object: which file and line, which layer of values, which patch.

Asked by `syncline blame` and by the server, which hand in the render of one source with the files it was made from.
For a chart every likely value is changed, the chart is rendered again, and only those that move the field are named;
so the answer is what the chart does, not what its text looks like.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.provenance import blame as blaming
from syncline.core.provenance import kustomizations
from syncline.core.provenance import values as merging
from syncline.core.provenance.blame import BlameCause
from syncline.core.provenance.read_files import ReadFiles, parsed
from syncline.core.provenance.values import Leaf
from syncline.model.desired import Desired, DesiredObject
from syncline.model.errors import Place, RenderError, SourceError
from syncline.model.masking import is_secret
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import Explainer, RenderRequest
from syncline.ports.source import Tree


@dataclass(frozen=True, slots=True)
class RenderedPart:
    """One source of an Application, rendered, with what that was made from."""

    source: ApplicationSource
    tree: Tree
    request: RenderRequest
    refs: Mapping[str, Tree]
    desired: Desired
    explainer: Explainer

    @property
    def tool(self) -> str:
        """What rendered it: Helm, Kustomize, Directory or Plugin."""
        return next(iter(self.desired.source_types), "")

    @property
    def folder(self) -> str:
        """The folder of the source, from the root of the repository."""
        path = self.source.path.strip("/")
        return "" if path == "." else path.removeprefix("./")

    def read(self, file: str) -> bytes:
        """Return the content of a file; nothing where there is none."""
        try:
            return self.tree.read(file)
        except SourceError:
            return b""


async def causes_of(
    part: RenderedPart, item: DesiredObject, path: FieldPath, tell: Callable[[str], None]
) -> list[BlameCause]:
    """Return who made a field, the strongest first; `tell` hears what to be careful about."""
    return await _chart_causes(part, item, path, tell) if part.tool == "Helm" else written_causes(part, item, path)


def written_causes(part: RenderedPart, item: DesiredObject, path: FieldPath) -> list[BlameCause]:
    """Return who made a field as far as texts tell, without another render: of a chart the line of its template."""
    if part.tool == "Helm":
        return [_template(part, item, path)]
    found: list[BlameCause] = []
    if part.tool == "Kustomize":
        files = {file: content for file in part.desired.files if (content := part.read(file))}
        settings = part.source.kustomize
        found += kustomizations.of_application(settings, item, path) if settings else ()
        found += kustomizations.causes(part.folder, ReadFiles(files), item, path)
    line, _value = blaming.written_in(parsed(item.origin.file, part.read(item.origin.file)), item, path)
    place = item.origin.place(str(path))
    if line or not found or part.tool != "Kustomize":
        absent = "does not set it" if path.resolve(item.obj) is MISSING else ""
        found.append(BlameCause("file", Place(place.file, line) if line else place, absent))
    return found


def _template(part: RenderedPart, item: DesiredObject, path: FieldPath) -> BlameCause:
    origin = item.origin.place()
    text = part.read(item.origin.file).decode("utf-8", "replace")
    line = blaming.template_line(text, origin.line, path) or origin.line
    return BlameCause("template", Place(origin.file, line))


async def _chart_causes(
    part: RenderedPart, item: DesiredObject, path: FieldPath, tell: Callable[[str], None]
) -> list[BlameCause]:
    """Return the values that move a field, tried one by one, and the template."""
    template = _template(part, item, path)
    chart = await part.explainer.chart_values(part.request, part.tree, part.refs)
    if chart is None:
        return [template]
    values = merging.merge(chart.layers)
    for problem in values.problems:
        tell(f"{problem}; what helm renders from it is not shown")
    for disputed in values.disagreements(chart.seen):
        tell(f"the chart sees a different value at {disputed} than its files set")
    text = part.read(item.origin.file).decode("utf-8", "replace")
    likely = blaming.suspects(values, path, path.resolve(item.obj), text)
    renders = await asyncio.gather(*[tried(part, leaf) for leaf in likely])
    guilty = [
        leaf
        for leaf, after in zip(likely, renders, strict=True)
        if after is not None and blaming.moved(part.desired, after, item.key, path)
    ]
    hide = is_secret(item.obj)
    found = [BlameCause("values", leaf.setting.place, f"{leaf.name}: {leaf.sentence(hide=hide)}") for leaf in guilty]
    absent = "named in valueFiles but missing: skipped by ignoreMissingValueFiles"
    return [*found, *(BlameCause("missing", Place(name), absent) for name in chart.left_out), template]


async def tried(part: RenderedPart, leaf: Leaf) -> Desired | None:
    """Return the render with one value changed; None where the chart does not take another one."""
    try:
        return await part.explainer.with_values(part.request, part.tree, blaming.trial(leaf), part.refs)
    except RenderError:
        return None
