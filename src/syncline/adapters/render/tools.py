"""Decides which tool a source needs, by Argo CD's rules.

Called by `syncline.adapters.render.choice` with the source and the names of the files in its folder. An
explicit block wins over what the files suggest; a kustomization wins over a chart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

from syncline.model.errors import RenderError
from syncline.model.sources.source import ApplicationSource

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class Tool(StrEnum):
    """What renders a source, in the words of an Application's status."""

    DIRECTORY = "Directory"
    HELM = "Helm"
    KUSTOMIZE = "Kustomize"
    PLUGIN = "Plugin"


def choose(source: ApplicationSource, names: Iterable[str], off: Collection[Tool] = ()) -> Tool:
    """Return the tool for a source whose folder holds files of these names; more than one block is an error.

    In place of one that the operator has turned off, files are read as they are.
    """
    chosen = _choose(source, names)
    return Tool.DIRECTORY if chosen in off else chosen


def named(source: ApplicationSource) -> list[Tool]:
    """Return the tools that a source has options for; an empty block names none, save that of a plug-in."""
    blocks = {Tool.HELM: source.helm, Tool.KUSTOMIZE: source.kustomize, Tool.DIRECTORY: source.directory}
    found = [tool for tool, block in blocks.items() if block is not None and block != type(block)()]
    return found if source.plugin is None else [*found, Tool.PLUGIN]


def _choose(source: ApplicationSource, names: Iterable[str]) -> Tool:
    explicit = named(source)
    if len(explicit) > 1:
        found = ", ".join(tool.value for tool in explicit)
        raise RenderError(f"multiple application sources defined: {found}", hint="keep one of them")
    if explicit:
        return explicit[0]
    if source.chart:
        return Tool.HELM
    found_names = set(names)
    if not found_names.isdisjoint(KUSTOMIZATIONS):
        return Tool.KUSTOMIZE
    return Tool.HELM if any(name.endswith("Chart.yaml") for name in found_names) else Tool.DIRECTORY
