"""Reads the files that come with a story, and writes what all stories write alike: Applications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from syncline.scenarios.story import REPOSITORY


def tree(package: str, folder: str = "repo") -> dict[str, str]:
    """Return all files below a folder of a package, by their path."""
    return dict(_below(resources.files(package) / folder, ""))


def text(package: str, name: str) -> str:
    """Return one file of a package."""
    return (resources.files(package) / name).read_text(encoding="utf-8")


def _below(folder: Traversable, start: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _below(entry, f"{start}{entry.name}/")
        else:
            yield f"{start}{entry.name}", entry.read_text(encoding="utf-8")


def application(
    name: str,
    path: str,
    *,
    namespace: str = "argocd",
    destination: str = "",
    wave: int | None = None,
    options: tuple[str, ...] = (),
    source: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return an Application that delivers a folder of the story's repository by itself."""
    policy: dict[str, Any] = {"automated": {"prune": True, "selfHeal": True}}
    if options:
        policy["syncOptions"] = list(options)
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if wave is not None:
        metadata["annotations"] = {"argocd.argoproj.io/sync-wave": str(wave)}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata,
        "spec": {
            "project": "default",
            "source": {"repoURL": REPOSITORY, "path": path, "targetRevision": "main", **(source or {})},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": destination or namespace},
            "syncPolicy": policy,
        },
    }
