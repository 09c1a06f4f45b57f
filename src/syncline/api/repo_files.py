"""What the files of a repository hold before anything is rendered: Argo CD's objects, kustomizations, settings.

Read by `syncline.api.repo_snapshot`. Templates of charts are not YAML yet, and what a kustomization lists is taken as
it comes out of that, so neither is read here as it stands.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from syncline.api import object_files
from syncline.apimachinery import meta, yaml
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec, SynclineError

if TYPE_CHECKING:
    from syncline.core.settings.report import SettingProblem, SettingsReport

KINDS = ("Application", "ApplicationSet", "AppProject")
"""What is looked for."""
_ENDINGS = (".yaml", ".yml", ".json")
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("resources", "bases", "components", "patchesStrategicMerge")
_SETTINGS = ("argocd-cm", "argocd-cmd-params-cm", "argocd-rbac-cm")
_LEFT_OUT = (".git", "node_modules", ".venv")
_MARK = b"argoproj.io"
_CHART_MARK = b"configs:"
_CHART_CONFIGS = frozenset({"cm", "params", "rbac"})
_MAX_BYTES = 5_000_000


@dataclass(slots=True)
class RepoFiles:
    """The files of a repository; all names are paths below its root."""

    root: Path
    items: list[DesiredObject] = field(default_factory=list)
    """Applications, ApplicationSets and AppProjects as they stand in files."""
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What each kustomization lists, by its folder."""
    problems: list[SettingProblem] = field(default_factory=list)
    reports: list[SettingsReport] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    """Files that mention Argo CD's kinds and cannot be read, each with why."""

    @property
    def listed(self) -> frozenset[str]:
        """Everything that some kustomization lists."""
        return frozenset(name for entries in self.lists.values() for name in entries)

    def texts(self, names_wanted: Sequence[str]) -> dict[str, bytes]:
        """Return the content of those files that are there."""
        paths = ((name, self.root / name) for name in names_wanted)
        return {name: path.read_bytes() for name, path in paths if path.is_file()}

    def bundles(self) -> list[str]:
        """Return the kustomizations that nobody lists and that lead to objects of Argo CD."""
        listed, holding = self.listed, {item.origin.file for item in self.items}
        return [folder for folder in sorted(self.lists) if folder not in listed and self._reach(folder) & holding]

    def _reach(self, folder: str) -> set[str]:
        reached: set[str] = set()
        waiting = [folder]
        while waiting:
            for name in self.lists.get(waiting.pop(), ()):
                if name not in reached:
                    reached.add(name)
                    waiting.append(name)
        return reached


def read_files(root: Path) -> RepoFiles:
    """Return what the files below a folder hold."""
    found = RepoFiles(root)
    for folder, names_there in _folders(root):
        below = "" if folder == root else folder.relative_to(root).as_posix()
        for name in names_there:
            path = f"{below}/{name}" if below else name
            if name in _KUSTOMIZATIONS:
                found.lists[below] = tuple(_entries(folder / name, below))
            elif name.endswith(_ENDINGS):
                _read(found, folder / name, path)
    return found


def _folders(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield folders with their files, in order; templates of charts are left out."""
    for name, folders, files in os.walk(root):
        chart = "Chart.yaml" in files
        folders[:] = sorted(one for one in folders if one not in _LEFT_OUT and not (chart and one == "templates"))
        yield Path(name), sorted(files)


def _entries(file: Path, below: str) -> Iterator[str]:
    """Yield what a kustomization lists, as paths below the root; addresses are passed over."""
    try:
        value = yaml.load(file.read_bytes(), source=str(file))
    except (SynclineError, OSError, yaml.YamlError):
        return
    entries = [entry for name in _LISTS for entry in _texts(value, name)]
    patches = value.get("patches") if isinstance(value, dict) else None
    listed = patches if isinstance(patches, list) else ()
    entries += [one["path"] for one in listed if isinstance(one, dict) and isinstance(one.get("path"), str)]
    for entry in entries:
        if "://" not in entry and "?ref=" not in entry and "\n" not in entry:
            yield _joined(below, entry)


def _texts(value: Any, name: str) -> list[str]:
    entries = value.get(name) if isinstance(value, dict) else None
    return [one for one in entries if isinstance(one, str)] if isinstance(entries, list) else []


def _joined(below: str, entry: str) -> str:
    return os.path.normpath(PurePosixPath(below or ".", entry)).lstrip("/") if entry != "." else below


def _read(found: RepoFiles, file: Path, path: str) -> None:
    try:
        if file.is_symlink() or file.stat().st_size > _MAX_BYTES:
            return
        content = file.read_bytes()
    except OSError:
        return
    if any(mark in content for mark in (*(name.encode() for name in _SETTINGS), b"kind: ArgoCD", _CHART_MARK)):
        _read_settings(found, content, path)
    if _MARK not in content or (
        not any(f"kind: {kind}".encode() in content for kind in KINDS) and file.suffix != ".json"
    ):
        return
    try:
        items = object_files.located(file, with_fields=True)
    except InvalidSpec as error:
        found.unreadable.append(f"{path}: {error.what}")
        return
    found.items += [_below_root(one, path) for one in items if _is_ours(one.obj)]


def _is_ours(obj: Mapping[str, Any]) -> bool:
    return obj.get("kind") in KINDS and str(obj.get("apiVersion")).startswith(f"{names.GROUP}/")


def _below_root(item: DesiredObject, path: str) -> DesiredObject:
    return DesiredObject(item.obj, msgspec.structs.replace(item.origin, file=path))


def _read_settings(found: RepoFiles, content: bytes, path: str) -> None:
    from syncline.core.settings import profiles
    from syncline.core.settings.entries import places_in
    from syncline.core.settings.parse import SettingsInput, parse

    try:
        documents = [one for one in yaml.load_documents(content, source=path) if _holds_settings(one.value)]
    except (SynclineError, yaml.YamlError):
        return
    for document in documents:
        profile = profiles.profile_of([document.value])
        report = parse([SettingsInput(document.value, places_in(document, path))], profile=profile)
        if report.inputs:
            found.reports.append(report)
            found.problems += report.problems


def _holds_settings(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if "kind" not in value:
        return _are_chart_values(value)
    return value.get("kind") == "ArgoCD" or (value.get("kind") == "ConfigMap" and meta.name(value) in _SETTINGS)


def _are_chart_values(value: dict[str, Any]) -> bool:
    """Tell whether these are values for the chart of Argo CD, alone or as one of several charts."""
    parts = [value, *(one for one in value.values() if isinstance(one, dict))]
    return any(isinstance(one.get("configs"), dict) and _CHART_CONFIGS & one["configs"].keys() for one in parts)
