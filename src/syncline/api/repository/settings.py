"""The settings of an installation in the files of a repository: ConfigMaps, an ArgoCD resource, values of the chart.

Read by `syncline.api.repository.files`, put together by `syncline.api.repository.snapshot`. Every file is checked as it
stands. All of them together are the settings of one installation only where none of them is there twice, such as in a
base and in an overlay; else what rendering makes of them counts, where exactly one app delivers each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import Object
from syncline.core.settings import profiles
from syncline.core.settings.entries import Places, places_in
from syncline.core.settings.parse import SettingsInput, parse
from syncline.core.settings.report import SettingProblem, SettingsReport
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place, SynclineError
from syncline.model.settings.settings import Profile, Settings

CONFIG_MAPS = ("argocd-cm", "argocd-cmd-params-cm", "argocd-rbac-cm")
_CHART = "values of the chart"
_PARTS = ("cm", "params", "rbac")
_CHART_NAMES = ("argo-cd", "argocd", "argoCD", "argo")
_OPENSHIFT = "openshift-gitops"


@dataclass(slots=True)
class FoundSettings:
    """What the files have."""

    inputs: list[tuple[str, SettingsInput]] = field(default_factory=list)
    """What each is called, such as `argocd-cm`, and its content."""
    problems: list[SettingProblem] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def add(self, other: FoundSettings) -> None:
        """Take what another file has."""
        self.inputs += other.inputs
        self.problems += other.problems
        self.files += other.files

    def read(self, content: bytes, path: str) -> None:
        """Take what a file has of settings."""
        if not _is_worth_reading(content):
            return
        try:
            documents = list(yaml.load_documents(content, source=path))
        except (SynclineError, yaml.YamlError):
            return
        for document in documents:
            if title := _title(document.value):
                self.files.append(path)
                self.take(title, document.value, places_in(document, path))

    def read_application(self, item: DesiredObject) -> None:
        """Take the values that an Application gives the chart argo-cd."""
        spec = item.obj.get("spec") or {}
        sources = spec.get("sources") or [spec.get("source")]
        for source in sources if isinstance(sources, list) else ():
            helm = source.get("helm") if isinstance(source, dict) and source.get("chart") == "argo-cd" else None
            values = helm.get("valuesObject") if isinstance(helm, dict) else None
            if isinstance(helm, dict) and not values and isinstance(helm.get("values"), str):
                values = _loaded(helm["values"])
            if isinstance(values, dict):
                place = item.origin.place("spec.source.helm")
                self.take(_CHART, values, lambda _path, place=place: Place(place.file, place.line))  # type: ignore[misc]

    def take(self, title: str, value: Any, places: Places) -> None:
        """Take one thing that holds settings, and what is wrong with it."""
        one = SettingsInput(value, places)
        report = parse([one], profile=profiles.profile_of([value]))
        if report.inputs:
            self.inputs.append((title, one))
            self.problems += report.problems


def _is_worth_reading(content: bytes) -> bool:
    return any(name.encode() in content for name in CONFIG_MAPS) or b"kind: ArgoCD" in content or b"configs:" in content


def _title(value: Any) -> str:
    """Return what a document with settings is called; empty for any other."""
    if not isinstance(value, dict):
        return ""
    if value.get("kind") == "ArgoCD":
        return "ArgoCD"
    if value.get("kind") == "ConfigMap" and meta.name(value) in CONFIG_MAPS:
        return meta.name(value)
    return _CHART if "kind" not in value and _is_of_chart(value) else ""


def _is_of_chart(values: dict[str, Any]) -> bool:
    """Whether these are values of the chart argo-cd, or of one around it: surer than by the names of its parts."""
    for part in (values, *(values.get(name) for name in _CHART_NAMES)):
        configs = part.get("configs") if isinstance(part, dict) else None
        if isinstance(configs, dict) and any(isinstance(configs.get(name), dict) for name in _PARTS):
            return True
    return False


def _loaded(text: str) -> Any:
    try:
        return yaml.load(text.encode(), source="values")
    except (SynclineError, yaml.YamlError):
        return None


def installation(
    found: FoundSettings, applications: Iterable[DesiredObject], objects: Iterable[DesiredObject]
) -> tuple[SettingsReport, bool, str]:
    """Return settings, whether they are known to be those of one installation, and its namespace if they name one.

    `objects` are what apps deliver: a ConfigMap that kustomize puts together is complete only there.
    """
    namespaces = {item.key.namespace for item in applications}
    profile = Profile.OPENSHIFT_GITOPS if namespaces == {_OPENSHIFT} else Profile.UPSTREAM
    chosen = _once(found.inputs) or _once(list(_delivered(objects)))
    if chosen is None:
        settings = parse([], profile=profile).settings if profile is not Profile.UPSTREAM else Settings()
        return SettingsReport(settings=settings, problems=tuple(found.problems)), False, ""
    if profiles.profile_of([one.value for one in chosen]) is Profile.OPENSHIFT_GITOPS:
        profile = Profile.OPENSHIFT_GITOPS
    report = parse(chosen, profile=profile)
    whole = SettingsReport(settings=report.settings, problems=tuple(found.problems), inputs=report.inputs)
    homes = {meta.namespace(one.value) for one in chosen if isinstance(one.value, dict) and "kind" in one.value}
    homes.discard("")
    return whole, len(homes) < 2, "".join(homes) if len(homes) == 1 else ""


def _once(inputs: Sequence[tuple[str, SettingsInput]]) -> list[SettingsInput] | None:
    counts = Counter(title for title, _ in inputs)
    return [one for _, one in inputs] if counts and max(counts.values()) == 1 else None


def _delivered(objects: Iterable[DesiredObject]) -> Iterator[tuple[str, SettingsInput]]:
    for item in objects:
        if _is_settings(item.obj):
            yield _title(item.obj), SettingsInput(item.obj)


def _is_settings(obj: Object) -> bool:
    kind = obj.get("kind")
    return (kind == "ConfigMap" and meta.name(obj) in CONFIG_MAPS) or (
        kind == "ArgoCD" and str(obj.get("apiVersion")).startswith(names.GROUP)
    )
