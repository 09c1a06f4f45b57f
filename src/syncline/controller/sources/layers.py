"""Works out which layers of an app's sources say what its objects are: values of charts, patches of kustomizations.

Asked by `syncline.controller.deliver.observe` for one app that is explained and by `syncline.verbs.fleet.rendering` for
those that are not in order, beside a render of the same commits. Files are read once more and nothing is rendered. What
cannot be read is left out: then the line of the template or base is named instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from syncline.controller.sources.desired import DesiredSources
from syncline.core.provenance.chart_values import hidden_values, shown_values
from syncline.core.provenance.kustomizations import NAMES
from syncline.core.provenance.patched import patched_fields
from syncline.core.provenance.read_files import ReadFiles
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.errors import SourceError, SynclineError
from syncline.model.layers import Layers, PatchedField
from syncline.model.sources.source import ApplicationSource
from syncline.ports.source import Tree

_HELM, _KUSTOMIZE = "Helm", "Kustomize"


async def layers_of(
    sources: DesiredSources,
    app: Application,
    of: Sequence[ApplicationSource],
    revisions: Sequence[str],
    desired: Desired,
) -> Layers:
    """Return the layers behind the objects of a render."""
    if not {_HELM, _KUSTOMIZE} & set(desired.source_types):
        return Layers()
    try:
        charts = await sources.layers(app, of, revisions) if _HELM in desired.source_types else ()
        trees = await sources.trees(app, of, revisions)
    except SynclineError:
        return Layers()
    pairs = list(zip(of, trees, strict=True))
    return Layers(
        values=tuple(shown_values(charts, desired, _templates(pairs, desired))) if charts else (),
        hidden=tuple(hidden_values(charts)),
        patched=tuple(_patched(pairs, desired)) if _KUSTOMIZE in desired.source_types else (),
    )


def _templates(pairs: Sequence[tuple[ApplicationSource, Tree]], desired: Desired) -> Mapping[str, bytes]:
    """Return the files that objects were made by."""
    wanted = {item.origin.file for item in desired.objects if item.origin.file}
    return {file: content for _source, tree in pairs for file, content in _read(tree, wanted)}


def _patched(pairs: Sequence[tuple[ApplicationSource, Tree]], desired: Desired) -> Iterator[PatchedField]:
    for source, tree in pairs:
        folder = source.path.strip("/").removeprefix("./")
        folder = "" if folder == "." else folder
        files = dict(_read(tree, desired.files))
        if not any(f"{folder}/{name}".lstrip("/") in files for name in NAMES):
            continue
        own = [item for item in desired.objects if item.origin.repo_url == source.shown_url]
        yield from patched_fields(folder, ReadFiles(files), own, source.kustomize)


def _read(tree: Tree, files: Sequence[str] | set[str]) -> Iterator[tuple[str, bytes]]:
    for file in sorted(files):
        try:
            yield file, tree.read(file)
        except SourceError:
            continue  # it is of another source, or came out of a packed chart
