"""What the files of a repository hold before anything is rendered: Argo CD's objects, kustomizations, settings.

Read by `syncline.api.repo_snapshot`. Templates of charts are not YAML yet, and what a kustomization lists is taken as
it comes out of that, so neither is read here as it stands.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from syncline.api import object_files
from syncline.api.repo_settings import FoundSettings
from syncline.apimachinery import yaml
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec, SynclineError

KINDS = ("Application", "ApplicationSet", "AppProject")
"""What is looked for."""
_ENDINGS = (".yaml", ".yml", ".json")
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("resources", "bases", "components", "patchesStrategicMerge", "crds", "configurations", "transformers",
          "generators", "validators")  # fmt: skip
_LEFT_OUT = (".git", "node_modules", ".venv")
_MARK = b"argoproj.io"
_OBJECT = re.compile(rb"^apiVersion:.*\n(?:.*\n)*?kind:|^kind:.*\n(?:.*\n)*?apiVersion:", re.MULTILINE)
_MAX_BYTES = 5_000_000


@dataclass(slots=True)
class RepoFiles:
    """The files of a repository; all names are paths below its root."""

    root: Path
    items: list[DesiredObject] = field(default_factory=list)
    """Applications, ApplicationSets and AppProjects as they stand in files."""
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What each kustomization lists, by its folder."""
    charts: list[str] = field(default_factory=list)
    """The folders of charts whose templates have Applications or ApplicationSets."""
    tree: set[str] = field(default_factory=set)
    """All files."""
    manifests: set[str] = field(default_factory=set)
    """Those that look like objects of Kubernetes."""
    settings: FoundSettings = field(default_factory=FoundSettings)
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
        found.tree.update(f"{below}/{name}" if below else name for name in names_there)
        if "Chart.yaml" in names_there and _templates_apps(folder / "templates"):
            found.charts.append(below)
        for name in names_there:
            path = f"{below}/{name}" if below else name
            if name in KUSTOMIZATIONS:
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


def _templates_apps(folder: Path) -> bool:
    """Whether the templates of a chart make Applications."""
    for file in sorted(folder.rglob("*.yaml")) if folder.is_dir() else ():
        try:
            content = file.read_bytes() if file.stat().st_size <= _MAX_BYTES else b""
        except OSError:
            continue
        if _MARK in content and any(f"kind: {kind}".encode() in content for kind in KINDS[:2]):
            return True
    return False


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
    found.settings.read(content, path)
    if _OBJECT.search(content):
        found.manifests.add(path)
    if _MARK not in content or (
        not any(f"kind: {kind}".encode() in content for kind in KINDS) and file.suffix != ".json"
    ):
        return
    try:
        items = object_files.located(file, with_fields=True)
    except InvalidSpec as error:
        found.unreadable.append(f"{path}: {error.what}")
        return
    for one in items:
        if _is_ours(one.obj):
            found.items.append(_below_root(one, path))
            found.settings.read_application(found.items[-1])


def _is_ours(obj: Mapping[str, Any]) -> bool:
    return obj.get("kind") in KINDS and str(obj.get("apiVersion")).startswith(f"{names.GROUP}/")


def _below_root(item: DesiredObject, path: str) -> DesiredObject:
    return DesiredObject(item.obj, msgspec.structs.replace(item.origin, file=path))
