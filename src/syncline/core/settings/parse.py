"""From objects and files to one `SettingsReport`: tells what each input is, reads it, and puts everything together.

Called by the command line with documents and by `syncline.controller.settings` with live ConfigMaps. Which defaults
hold depends on what was read: an argocd-cm without `resource.exclusions` excludes almost nothing, no argocd-cm at all
leaves our own defaults, the chart brings values of its own, and OpenShift GitOps excludes more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import split_api_version
from syncline.core.settings import argocd_resource, assemble, chart_values, config_maps, profiles
from syncline.core.settings.entries import ParsedSettings, Places, SettingEntry, nowhere
from syncline.core.settings.keys import Home
from syncline.core.settings.report import SettingProblem, SettingsReport
from syncline.model import names
from syncline.model.settings.settings import Profile, Settings


class SettingsInput(msgspec.Struct, frozen=True):
    """Something that may hold settings: an object or values, and where its fields stand."""

    value: Any
    places: Places = nowhere


def parse(
    sources: Iterable[SettingsInput], *, profile: Profile = Profile.UPSTREAM, start: Settings | None = None
) -> SettingsReport:
    """Return the settings that all sources together make; what holds no settings is passed over."""
    reads = [read for source in sources for read in _reads(source)]
    entries = [entry for read in reads for entry in read.entries]
    begin = profiles.begin(start or Settings(), profile, reads)
    found = assemble.assemble(entries, begin)
    problems = sorted([problem for read in reads for problem in read.problems] + found.problems, key=_by_place)
    return SettingsReport(
        settings=found.settings, problems=tuple(problems), restart=tuple(found.restart), inputs=len(reads)
    )


def parse_texts(texts: dict[Home, dict[str, str]], *, profile: Profile = Profile.UPSTREAM) -> SettingsReport:
    """Return the settings of ConfigMaps given by their data alone."""
    sources = [
        SettingsInput({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": str(home)}, "data": data})
        for home, data in texts.items()
    ]
    return parse(sources, profile=profile)


def entries(sources: Iterable[SettingsInput]) -> list[SettingEntry]:
    """Return the settings of all sources as written, each with its place; nothing is checked."""
    return [entry for source in sources for read in _reads(source) for entry in read.entries]


def _by_place(problem: SettingProblem) -> tuple[str, int, int]:
    place = problem.place
    return (place.file, place.line, place.column) if place else ("", 0, 0)


def _reads(source: SettingsInput) -> Iterator[ParsedSettings]:
    for value, places in _objects(source.value, source.places):
        read = _read(value, places)
        if read is not None:
            yield read


def _objects(value: Any, places: Places) -> Iterator[tuple[dict[str, Any], Places]]:
    """List the objects of a source: itself, or the items of a list."""
    if not isinstance(value, dict):
        return
    if str(value.get("kind", "")).endswith("List") and isinstance(value.get("items"), list):
        for index, item in enumerate(value["items"]):
            if isinstance(item, dict):
                yield item, _below(places, index)
    else:
        yield value, places


def _below(places: Places, index: int) -> Places:
    return lambda path: places(("items", index, *path))


def _read(value: dict[str, Any], places: Places) -> ParsedSettings | None:
    kind = value.get("kind")
    if kind in ("ConfigMap", "Secret") and value.get("apiVersion", "v1") == "v1":
        return config_maps.read(value, places)
    group, _ = split_api_version(str(value.get("apiVersion") or ""))
    if kind in ("ArgoCD", "ClusterArgoCD") and group == names.GROUP:
        return argocd_resource.read(value, places)
    if "kind" in value and "apiVersion" in value:
        return None
    return chart_values.read(value, places)
