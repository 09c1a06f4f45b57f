"""What the files of a repository hold before anything is rendered: Argo CD's objects, kustomizations, settings.

Read by `syncline.api.repository.snapshot`. Templates of charts are not YAML yet, and what a kustomization lists is
taken as it comes out of that, so neither is read here as it stands.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from syncline.api import object_files
from syncline.api.repository.settings import FoundSettings
from syncline.apimachinery import yaml
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec, SourceError, SynclineError

if TYPE_CHECKING:
    from syncline.ports.folders import Listing
    from syncline.ports.source import Tree
    from syncline.wiring import FolderLook

KINDS = ("Application", "ApplicationSet", "AppProject")
"""What is looked for."""
_ENDINGS = (".yaml", ".yml", ".json")
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("resources", "bases", "components", "patchesStrategicMerge", "crds", "configurations", "transformers",
          "generators", "validators")  # fmt: skip
_LEFT_OUT = ("node_modules", ".venv")
_MARK = b"argoproj.io"
_OBJECT = re.compile(rb"^apiVersion:.*\n(?:.*\n)*?kind:|^kind:.*\n(?:.*\n)*?apiVersion:", re.MULTILINE)
_MAX_BYTES = 5_000_000
_MAX_FILES = 100_000
_VERSIONS = 2


@dataclass(slots=True)
class RepoFiles:
    """The files of a repository; all names are paths below its root."""

    root: Path
    files: Tree
    """All of them, to be read."""
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
        """Return the content of those files that are there, and inside: a link or a name may lead elsewhere."""
        found = ((name, _content(self.files, name)) for name in names_wanted)
        return {name: content for name, content in found if content is not None}

    def templates(self, chart: str) -> list[str]:
        """Return the templates of a chart, which are not among the files that were looked into."""
        try:
            return [file.path for file in self.files.below(f"{chart}/templates").files() if file.size <= _MAX_BYTES]
        except (SourceError, OSError):
            return []

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


class FileFacts:
    """What files held when they were last looked at, by path: as long as the content is the same, so is that.

    Several versions of a path are kept, since a change is looked at before and after.
    """

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[bytes, FileFact]]] = {}

    def of(self, path: str, content: bytes) -> FileFact:
        """Return what a file holds."""
        versions = self._known.get(path, [])
        for known, fact in versions:
            if known is content or known == content:
                return fact
        fact = _fact(path, content)
        if len(self._known) >= _MAX_FILES:
            self._known.clear()
        self._known[path] = [(content, fact), *versions][:_VERSIONS]
        return fact


@dataclass(frozen=True, slots=True)
class FileFact:
    """What one file holds."""

    settings: FoundSettings
    items: tuple[DesiredObject, ...] = ()
    lists: tuple[str, ...] | None = None
    """What a kustomization lists; None for any other file."""
    is_manifest: bool = False
    unreadable: str = ""


def read_files(root: Path, look: FolderLook, memory: FileFacts | None = None) -> RepoFiles:
    """Return what the files below a folder hold; `memory` has what they held at an earlier look."""
    memory = memory or FileFacts()
    found = RepoFiles(root, look.tree(str(root)))
    for below, here in look.walk(str(root), _enters):
        if here.has("Chart.yaml") and "templates" in here.folders and _templates_apps(found.files, below):
            found.charts.append(below)
        for entry in here.files:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_link and (root / path).is_dir():
                continue
            found.tree.add(path)
            if entry.name in KUSTOMIZATIONS or (entry.name.endswith(_ENDINGS) and not entry.is_link):
                content = _content(found.files, path) if entry.size <= _MAX_BYTES else None
                if content is not None:
                    _take(found, path, memory.of(path, content))
    return found


def _enters(beside: Listing, name: str) -> bool:
    """Whether a folder is looked into; templates of charts are left out."""
    return name not in _LEFT_OUT and not (name == "templates" and beside.has("Chart.yaml"))


def _content(files: Tree, path: str) -> bytes | None:
    try:
        return files.read(path)
    except (SourceError, OSError):
        return None


def _templates_apps(files: Tree, chart: str) -> bool:
    """Whether the templates of a chart make Applications."""
    try:
        templates = files.below(f"{chart}/templates" if chart else "templates").files()
    except (SourceError, OSError):
        return False
    for file in templates:
        if file.path.endswith(".yaml") and file.size <= _MAX_BYTES:
            content = _content(files, file.path) or b""
            if _MARK in content and any(f"kind: {kind}".encode() in content for kind in KINDS[:2]):
                return True
    return False


def _take(found: RepoFiles, path: str, fact: FileFact) -> None:
    if fact.lists is not None:
        found.lists[path.rpartition("/")[0]] = fact.lists
    if fact.is_manifest:
        found.manifests.add(path)
    if fact.unreadable:
        found.unreadable.append(fact.unreadable)
    found.items += fact.items
    found.settings.add(fact.settings)


def _fact(path: str, content: bytes) -> FileFact:
    """Return what a file holds, by its path and content alone."""
    settings = FoundSettings()
    folder, _, name = path.rpartition("/")
    if name in KUSTOMIZATIONS:
        return FileFact(settings, lists=tuple(_entries(content, path, folder)))
    settings.read(content, path)
    is_manifest = _OBJECT.search(content) is not None
    if _MARK not in content or (
        not any(f"kind: {kind}".encode() in content for kind in KINDS) and not name.endswith(".json")
    ):
        return FileFact(settings, is_manifest=is_manifest)
    try:
        found = object_files.located_in(content, path, with_fields=True, any_metadata=True)
    except InvalidSpec as error:
        # Values of charts have objects inside of them; what is none itself was not meant to be read.
        told = is_manifest or error.what != object_files.NO_OBJECT
        return FileFact(settings, is_manifest=is_manifest, unreadable=f"{path}: {error.what}" if told else "")
    ours = [one for one in found if _is_ours(one.obj)]
    # What is odd inside of the metadata, the rules tell object by object; without metadata there is nothing to name.
    items = tuple(one for one in ours if isinstance(one.obj.get("metadata"), dict | None))
    for one in items:
        settings.read_application(one)
    unreadable = f"{path}: {object_files.NO_OBJECT}" if len(items) < len(ours) else ""
    return FileFact(settings, items, is_manifest=is_manifest, unreadable=unreadable)


def _entries(content: bytes, path: str, below: str) -> Iterator[str]:
    """Yield what a kustomization lists, as paths below the root; addresses are passed over."""
    try:
        value = yaml.load(content, source=path)
    except (SynclineError, yaml.YamlError):
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


def _is_ours(obj: Mapping[str, Any]) -> bool:
    return obj.get("kind") in KINDS and str(obj.get("apiVersion")).startswith(f"{names.GROUP}/")
