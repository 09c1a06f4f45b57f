"""Provides chart dependencies that are not vendored in charts/: those of the same repository, nothing from the
network.

Called by `syncline.adapters.render.helm` once, after helm has said which ones it misses. Charts named by `file://`
are copied into the private tree and packed by `helm dependency build`; a chart of a Helm repository is named, with
what to do.
"""

from __future__ import annotations

import posixpath
from typing import Any

from syncline.adapters.render.workspace import Workspace
from syncline.apimachinery import yaml
from syncline.model.desired import Input
from syncline.model.errors import Place, RenderError, SourceError
from syncline.ports.source import Tree

BUILD = ("dependency", "build", "--skip-refresh", "--", ".")
_LOCAL = "file://"


def provide(missing: list[str], folder: str, tree: Tree, workspace: Workspace) -> list[Input]:
    """Copy the missing charts of the same repository; raises `RenderError` where one is not of it."""
    file, declared = _declared(folder, tree)
    inputs: list[Input] = []
    remote: list[str] = []
    for name in missing:
        repository = declared.get(name, "")
        if not repository.startswith(_LOCAL):
            remote.append(f"{name} from {repository}" if repository else name)
            continue
        path = posixpath.normpath(posixpath.join(folder, repository.removeprefix(_LOCAL)))
        if repository.startswith(f"{_LOCAL}/") or path.startswith("../") or path == "..":
            what = f"chart dependency {name!r} resolved to outside repository root"
            raise RenderError(what, place=Place(file), hint=f"repository: {repository}")
        path = "" if path == "." else path
        try:
            workspace.put_folder(tree, path)
        except SourceError as error:
            raise RenderError(f"chart dependency {name!r}: {error.what}", place=Place(file), hint=error.hint) from None
        inputs.append(Input(path, tree.digest_of(path)))
    if remote:
        hint = "commit them to charts/ with `helm dependency build`: charts are not fetched here"
        raise RenderError(f"chart dependencies are missing: {', '.join(remote)}", place=Place(file), hint=hint)
    return inputs


def _declared(folder: str, tree: Tree) -> tuple[str, dict[str, str]]:
    """Return the file that declares dependencies, and the repository of each by name."""
    for name in ("requirements.yaml", "Chart.yaml"):
        file = posixpath.join(folder, name)
        try:
            content: Any = yaml.load(tree.read(file), source=file)
        except (SourceError, yaml.YamlError):
            continue
        entries = content.get("dependencies") if isinstance(content, dict) else None
        if isinstance(entries, list):
            found = [entry for entry in entries if isinstance(entry, dict)]
            return file, {str(entry.get("name")): str(entry.get("repository") or "") for entry in found}
    return posixpath.join(folder, "Chart.yaml"), {}
