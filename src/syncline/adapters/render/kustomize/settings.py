"""Judges the settings of kustomize's own plug-ins: no file outside of the repository, no address, no option for helm.

Called by `syncline.adapters.render.kustomize.plugins` with what kustomize is about to run, and by
`syncline.adapters.render.kustomize.files` for charts. Kustomize keeps ordinary files to the folder of their
kustomization by itself; an operator may turn that off for bases that share files, and it then reads whatever a
generator names, anywhere on the machine. An address it fetches by itself, whatever the operator says. Where charts are
is never checked by it; and it hands the texts of a chart to helm as they are, so that a release named
`--post-renderer=…` would run a program.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from syncline.adapters.render.kustomize import references
from syncline.apimachinery import yaml
from syncline.model.errors import Place, RenderError

Exists = Callable[[str], bool]
"""Whether a path of the repository is there."""
_NAMING = (
    *("path", "paths", "files", "envs", "env", "valuesfile", "additionalvaluesfiles", "charthome", "confighome"),
    *("values", "targetfilepath"),
)
"""The fields of plug-ins that name files, in lower case."""
_KEYED = ("files", "envs", "env")
"""Those whose entries may be `key=path`."""
_VALUES = ("valuesinline",)
_INFLATES = "helmchartinflationgenerator"
_CHART_FIELDS = ("helmcharts", _INFLATES)
PLUGIN_FIELDS = ("generators", "transformers", "validators")
_REPOSITORIES = ("repo", "chartrepo", "chartrepourl")
_NOWHERE = "https://charts.invalid"
"""What stands in the place of a chart's repository: kustomize looks for charts elsewhere without one."""
_OUTSIDE_HINT = "name a file or folder of the same repository"


def check(settings: Any, folder: str, place: Callable[[yaml.Path], Place]) -> None:
    """Raise `RenderError` where settings would have kustomize reach out; paths count from `folder`."""
    for steps, one in _single(settings, ()):
        if _is_inflating(one):
            check_options(one, place(steps))
        for where, reference in _named(one, steps):
            refuse_reaching_out(reference, folder, place(where), keyed=_keyed(where))


def runs_plugins(kustomization: Mapping[str, Any]) -> bool:
    """Whether a kustomization runs plug-ins by settings of its own, or renders charts."""
    return any(str(name).casefold() in (*PLUGIN_FIELDS, *_CHART_FIELDS) for name in kustomization)


def refuse_reaching_out(reference: str, folder: str, place: Place, *, keyed: bool = False) -> None:
    """Raise `RenderError` for a path that leads out of the repository or is an address."""
    for path in {reference, reference.partition("=")[2] or reference} if keyed else {reference}:
        if references.is_address(path):
            what = f"{path[:200]!r} is not fetched: kustomize has no network here"
            raise RenderError(what, place=place, hint="commit a copy to the repository and name its path")
        if "\n" not in path and references.local_path(folder, path) is None:
            raise RenderError(f"{path!r} resolved to outside repository root", place=place, hint=_OUTSIDE_HINT)


def without_repositories(settings: Any) -> Any:
    """Return settings whose charts name a repository that is nowhere: what is not in the repository is not fetched."""
    if isinstance(settings, list):
        return [without_repositories(one) for one in settings]
    if not isinstance(settings, dict):
        return settings
    if isinstance(items := settings.get("items"), list):
        settings = {**settings, "items": without_repositories(items)}
    return _without_repository(settings) if _is_inflating(settings) else settings


def charts_without_repositories(kustomization: Mapping[str, Any]) -> dict[str, Any]:
    """Return a kustomization whose charts name a repository that is nowhere."""
    changed = dict(kustomization)
    for name, entries in _chart_fields(kustomization):
        changed[name] = [_without_repository(one) if isinstance(one, dict) else one for one in entries]
    return changed


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


def missing_chart(chart: Mapping[str, Any], folder: str, home: str, exists: Exists) -> str:
    """Return the name and repository of a chart that would have to be fetched; empty where it is in the repository."""
    found = {str(name).casefold(): str(value) for name, value in chart.items() if isinstance(value, str | int | float)}
    repository = next((found[name] for name in _REPOSITORIES if found.get(name)), "")
    name = found.get("name") or found.get("chartname") or ""
    if not repository:
        return ""
    home = found.get("charthome") or home
    places = (name, f"{name}-{found.get('version', '')}/{name}")
    paths = (references.local_path(folder, posixpath.join(home, place)) for place in places)
    return "" if any(path and exists(path) for path in paths) else f"{name} of {repository}"


def charts(settings: Any) -> Iterator[tuple[yaml.Path, dict[str, Any]]]:
    """Yield the settings of charts among those of plug-ins."""
    return ((steps, one) for steps, one in _single(settings, ()) if _is_inflating(one))


def kustomization_charts(kustomization: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return where a kustomization has its charts, and the settings of each."""
    home = "charts"
    for path in _globals(kustomization, "charthome"):
        home = path
    return home, [one for _name, entries in _chart_fields(kustomization) for one in entries if isinstance(one, dict)]


def chart_references(kustomization: Mapping[str, Any], file: str) -> Iterator[str]:
    """Yield the paths that charts inside of a kustomization name: where they are, and their values."""
    yield from _globals(kustomization, "charthome", "confighome")
    home, found = kustomization_charts(kustomization)
    for chart in found:
        check_options(chart, Place(file))
        yield from (reference for _where, reference in _named(chart, ()))
        name = str(chart.get("name") or chart.get("chartName") or "")
        if "/" in name:
            yield posixpath.join(home, name)


def _single(settings: Any, steps: yaml.Path) -> Iterator[tuple[yaml.Path, dict[str, Any]]]:
    """Yield each of the settings: kustomize takes lists apart, also lists in lists."""
    if isinstance(settings, list):
        for index, one in enumerate(settings):
            yield from _single(one, (*steps, index))
    elif isinstance(settings, dict):
        yield steps, settings
        yield from _single(settings.get("items"), (*steps, "items"))


def _is_inflating(settings: Mapping[str, Any]) -> bool:
    return str(settings.get("kind")).casefold() == _INFLATES


def _named(value: Any, steps: yaml.Path, *, naming: bool = False) -> Iterator[tuple[yaml.Path, str]]:
    """Yield the texts of fields that name files, however deep they stand."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _named(member, (*steps, name), naming=str(name).casefold() in _NAMING)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _named(member, (*steps, index), naming=naming)
    elif naming and isinstance(value, str) and value:
        yield steps, value


def _keyed(steps: yaml.Path) -> bool:
    return any(str(step).casefold() in _KEYED for step in steps[-2:])


def _without_repository(chart: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _NOWHERE if value and str(name).casefold() in _REPOSITORIES else value for name, value in chart.items()
    }


def _chart_fields(kustomization: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, entries in kustomization.items():
        if str(name).casefold() in _CHART_FIELDS and isinstance(entries, list):
            yield name, entries


def _globals(kustomization: Mapping[str, Any], *fields: str) -> Iterator[str]:
    for name, value in kustomization.items():
        if str(name).casefold() == "helmglobals" and isinstance(value, dict):
            for field, path in value.items():
                if str(field).casefold() in fields and isinstance(path, str) and path:
                    yield path
