"""Copies a kustomization and everything it stands on into the private folder, base by base.

Called by `syncline.adapters.render.kustomize.build`. Whole folders of kustomizations are copied, since generators and
plug-in settings name files in them in many ways; kustomize itself keeps files to their own folder. Anything outside
of the repository is refused here, and remote bases are named: kustomize would fetch them by itself.
"""

from __future__ import annotations

import posixpath
from typing import Any, Protocol

from syncline.adapters.render.desired import inputs
from syncline.adapters.render.kustomize import entries, references
from syncline.adapters.render.kustomize import settings as kustomize_settings
from syncline.adapters.render.tools import KUSTOMIZATIONS
from syncline.apimachinery import yaml
from syncline.model.desired import Input
from syncline.model.errors import Place, RenderError, SourceError
from syncline.ports.source import Tree

_MAX_FOLDERS = 1_000


class Space(Protocol):
    """Where files are copied to."""

    def put_folder(self, tree: Tree, folder: str) -> None:
        """Copy every file below a folder of the commit."""
        ...

    def put_file(self, tree: Tree, path: str) -> None:
        """Copy one file of the commit."""
        ...


class Copier:
    """Walks through bases and components once each."""

    def __init__(self, tree: Tree, space: Space) -> None:
        self._tree = tree
        self._space = space
        self.inputs: list[Input] = []
        self.folders: list[str] = []
        self.remote: list[tuple[str, str]] = []
        self.runs_plugins = False

    def copy(self, folder: str) -> None:
        """Copy a folder and all that its kustomization stands on."""
        pending = [folder]
        while pending:
            current = pending.pop()
            if current in self.folders:
                continue
            if len(self.folders) >= _MAX_FOLDERS:
                raise RenderError(f"this kustomization uses more than {_MAX_FOLDERS} folders")
            self.folders.append(current)
            self._space.put_folder(self._tree, current)
            self.inputs += inputs(self._tree.below(current), current)
            pending += self._stands_on(current)

    def _stands_on(self, folder: str) -> list[str]:
        found = read(self._tree, folder)
        if found is None:
            return []
        file, kustomization = found
        needed: list[str] = []
        self.runs_plugins = self.runs_plugins or kustomize_settings.runs_plugins(kustomization)
        charts = (("helmCharts", path) for path in kustomize_settings.chart_references(kustomization, file))
        for field, reference in (*references.references(kustomization), *charts):
            path = references.local_path(folder, reference)
            there = path is not None and self._tree.digest_of(path)
            if references.is_address(reference) or (not there and references.is_remote(reference)):
                if field not in references.FETCHED:
                    hint = "commit a copy to the repository and name its path"
                    raise RenderError(
                        f"remote file {reference} is not fetched", place=self._place(file, reference), hint=hint
                    )
                self.remote.append((file, reference))
            elif path is None:
                what = f"{reference!r} resolved to outside repository root"
                place = self._place(file, reference)
                raise RenderError(what, place=place, hint="name a file or folder of the same repository")
            elif there and self._is_folder(path):
                needed.append(path)
            elif there and (not folder or path.startswith(f"{folder}/")):
                continue
            elif not there:
                self.inputs.append(Input(path, ""))
            else:
                # A file beside its folder is there for kustomize to refuse in its own words.
                self._space.put_file(self._tree, path)
                self.inputs.append(Input(path, self._tree.digest_of(path)))
        return needed

    def _place(self, file: str, reference: str) -> Place:
        return entries.place(file, self._tree.read(file), reference)

    def _is_folder(self, path: str) -> bool:
        try:
            self._tree.below(path)
        except SourceError:
            return False
        return True


def read(tree: Tree, folder: str) -> tuple[str, dict[str, Any]] | None:
    """Return the kustomization of a folder and its file; None where there is none."""
    for name in KUSTOMIZATIONS:
        file = posixpath.join(folder, name)
        try:
            text = tree.read(file)
        except SourceError as error:
            if "symlink" in error.what:
                raise RenderError(error.what, place=Place(file), hint=error.hint) from None
            continue
        try:
            documents = yaml.load_documents(text, source=file)
        except yaml.YamlError as error:
            what = f"invalid Kustomization: {error.message}"
            raise RenderError(what, place=Place(file, error.line, error.column)) from None
        value = documents[0].value if documents else {}
        if not isinstance(value, dict) or len(documents) > 1:
            line = documents[-1].line if documents else 1
            raise RenderError("invalid Kustomization: it must be one map", place=Place(file, line))
        return file, value
    return None
