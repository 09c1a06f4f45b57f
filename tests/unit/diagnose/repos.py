"""Repositories as rules see them, read from YAML texts so that files and lines are those of a real file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from syncline.api import object_files
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.desired import Desired, DesiredObject

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {name}
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://git.example.com/shop.git
    path: {name}
  destination:
    server: {server}
    namespace: shop
  syncPolicy:
    syncOptions: [{options}]
"""
SERVER = "https://kubernetes.default.svc"


def app(
    folder: Path, name: str, text: str | None, *, options: str = "CreateNamespace=true", server: str = SERVER
) -> RepoApp:
    """Return an app whose one file holds a text; without one it could not be rendered."""
    (manifest,) = read(folder, f"apps/{name}.yaml", APP.format(name=name, options=options, server=server))
    if text is None:
        return RepoApp(manifest=manifest, problem="helm template failed")
    return RepoApp(manifest=manifest, desired=Desired(tuple(read(folder, f"{name}/all.yaml", text))))


def repo(folder: Path, texts: Mapping[str, str | None]) -> Repo:
    """Return a repository with an app for each name, and what it renders."""
    return Repo(apps=tuple(app(folder, name, text) for name, text in texts.items()))


def read(folder: Path, file: str, text: str) -> list[DesiredObject]:
    """Return the objects of a file below a folder, with the lines of their fields."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return object_files.located(path, with_fields=True)
