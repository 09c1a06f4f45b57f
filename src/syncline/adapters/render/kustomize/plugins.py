"""Refuses settings of kustomize's own plug-ins that reach out: files outside of the repository, options for helm.

Called by `syncline.adapters.render.kustomize.files` for each kustomization. Kustomize keeps ordinary files to the
folder of their kustomization by itself; an operator may turn that off for bases that share files, and it then reads
whatever a generator names, anywhere on the machine. Where charts are is never checked by it; and it hands the texts of
a chart to helm as they are, so that a release named `--post-renderer=…` would run a program.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.adapters.render.kustomize import references
from syncline.apimachinery import yaml
from syncline.model.errors import Place, RenderError, SourceError
from syncline.ports.source import Tree

_FIELDS = ("generators", "transformers", "validators")
_NAMING = ("path", "files", "envs", "env", "valuesfile", "additionalvaluesfiles", "charthome", "confighome", "values")
"""The fields of plug-ins that name files, in lower case."""
_VALUES = ("valuesinline",)
_INFLATES = "HelmChartInflationGenerator"


def check(tree: Tree, folder: str, file: str, kustomization: Mapping[str, Any]) -> None:
    """Raise `RenderError` where the settings of a plug-in that a kustomization uses lead out of the repository."""
    for name, entries in kustomization.items():
        if str(name).casefold() not in _FIELDS or not isinstance(entries, list):
            continue
        for entry in entries:
            for where, text in _texts(tree, folder, entry) if isinstance(entry, str) else ():
                _check(folder, where or file, text)


def _texts(tree: Tree, folder: str, entry: str) -> Iterator[tuple[str, bytes]]:
    """Yield the settings that an entry stands for: written into it, a file, or all files below a folder."""
    if "\n" in entry.strip():
        yield "", entry.encode()
        return
    path = references.local_path(folder, entry.strip())
    if path is None:
        return
    try:
        files = [one.path for one in tree.below(path).files()]
    except SourceError:
        files = [path]
    for one in files:
        try:
            yield one, tree.read(one)
        except SourceError:
            continue


def _check(folder: str, file: str, text: bytes) -> None:
    try:
        documents = yaml.load_documents(text, source=file)
    except yaml.YamlError:
        # Kustomize will not be able to read it either.
        return
    for document in documents:
        if isinstance(document.value, dict) and document.value.get("kind") == _INFLATES:
            check_options(document.value, Place(file))
        for reference in _named(document.value):
            if _leads_out(folder, reference):
                what = f"{reference!r} resolved to outside repository root"
                raise RenderError(what, place=Place(file), hint="name a file or folder of the same repository")


def _leads_out(folder: str, reference: str) -> bool:
    path = reference.partition("=")[2] or reference
    return any(references.local_path(folder, one) is None for one in (path, reference) if "\n" not in one)


def _named(value: Any, *, naming: bool = False) -> Iterator[str]:
    """Yield the texts of fields that name files, however deep they stand."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _named(member, naming=str(name).casefold() in _NAMING)
    elif isinstance(value, list):
        for member in value:
            yield from _named(member, naming=naming)
    elif naming and isinstance(value, str) and value:
        yield value


def check_options(chart: Any, place: Place) -> None:
    """Raise `RenderError` where helm would take a text of a chart's settings for an option."""
    if isinstance(chart, str) and chart.startswith("-"):
        raise RenderError(f"{chart[:80]!r} in the settings of a chart would be an option of helm", place=place)
    if isinstance(chart, dict):
        for name, member in chart.items():
            if str(name).casefold() not in _VALUES:
                check_options(member, place)
    elif isinstance(chart, list):
        for member in chart:
            check_options(member, place)


def chart_references(kustomization: Mapping[str, Any], file: str) -> Iterator[str]:
    """Yield the paths that charts inside of a kustomization name: where they are, and their values."""
    home = "charts"
    for name, value in kustomization.items():
        if str(name).casefold() == "helmglobals" and isinstance(value, dict):
            for field, path in value.items():
                if str(field).casefold() in ("charthome", "confighome") and isinstance(path, str) and path:
                    home = path if str(field).casefold() == "charthome" else home
                    yield path
    for name, entries in kustomization.items():
        if str(name).casefold() in ("helmcharts", "helmchartinflationgenerator") and isinstance(entries, list):
            for entry in entries:
                check_options(entry, Place(file))
                if isinstance(entry, dict):
                    yield from _named(entry)
                    chart = str(entry.get("name") or entry.get("chartName") or "")
                    if "/" in chart:
                        yield posixpath.join(home, chart)
