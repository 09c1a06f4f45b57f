"""Tells how much of what a cluster can do went into a render of a chart, so that it can be used again on others.

Called by `syncline.adapters.render.helm.template` after a render. Charts ask by `.Capabilities`, in templates and in
values that templates evaluate, and state versions of Kubernetes in Chart.yaml. Texts are searched, nothing is parsed:
a chart that mentions the word somewhere counts as one that asks.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from syncline.adapters.render.helm import chart_files
from syncline.adapters.render.workspace import Workspace
from syncline.model.desired import ClusterReads, ValuesLayer

_ASKS = b"Capabilities"
_VERSION = b"kubeVersion"
_PACKED = ".tgz"


def cluster_reads(space: Workspace, folder: str, layers: Sequence[ValuesLayer], output: bytes) -> ClusterReads:
    """Return what a render of a chart on disk read of the cluster; `output` is what helm printed."""
    # A template that prints all it is given names no capability, but prints the word.
    texts = (output, *(layer.text for layer in layers), *(layer.value.encode() for layer in layers))
    if any(_ASKS in text for text in texts):
        return ClusterReads.ALL
    found = ClusterReads.NOTHING
    for path, content in _files(space, folder):
        if _ASKS in content or path.endswith(_PACKED):
            return ClusterReads.ALL
        if _VERSION in content and posixpath.basename(path) == "Chart.yaml":
            found = ClusterReads.VERSION
    return found


def _files(space: Workspace, folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a chart and of its packed subcharts; a subchart that is packed into one of those as it is."""
    prefix = f"{folder}/" if folder else ""
    for path in space.written:
        if not path.startswith(prefix):
            continue
        if path.endswith(_PACKED):
            yield from chart_files.members(space.read(path), lambda _name: True)
        else:
            yield path, space.read(path)
