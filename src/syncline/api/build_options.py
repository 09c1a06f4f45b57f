"""Which options kustomize is run with where no installation says so: those of the settings in the repository at hand.

Called by `syncline.api.applications` and `syncline.api.rendering`. A repository often holds the installation's own
settings (the ConfigMap argocd-cm, an ArgoCD resource, values of the chart); what kustomize is not permitted here is
left out later, by `syncline.adapters.render.kustomize.options`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from syncline import wiring
from syncline.api import object_files
from syncline.model.errors import InvalidSpec, SourceError

if TYPE_CHECKING:
    from syncline.ports.source import Tree

_MARKS = (b"kustomize.buildOptions", b"kustomizeBuildOptions")
_ENDINGS = (".yaml", ".yml")
_LEFT_OUT = ("node_modules", ".venv")
_MAX_FILES = 20_000
_MAX_BYTES = 1_000_000
_ANYWHERE = re.compile(r"--load[-_]restrictor[=\s]\s*LoadRestrictionsNone")


@dataclass(frozen=True, slots=True)
class FoundOptions:
    """The options of a repository, and a sentence where its files do not agree."""

    text: str = ""
    warning: str = ""


def checkout_around(path: Path) -> Path | None:
    """Return the checkout that a path is in; None where it is in none."""
    resolved = path.resolve()
    return next((folder for folder in (resolved, *resolved.parents) if (folder / ".git").exists()), None)


def options_in(checkout: Path | None, look: wiring.FolderLook | None = None) -> FoundOptions:
    """Return `kustomize.buildOptions` of the settings below a checkout; of several files the first one counts.

    `look` is the look at the checkout that this is part of, if any.
    """
    found: dict[str, str] = {}
    for file in _marked(checkout, look or wiring.FolderLooks().begin()) if checkout else ():
        text = _options(file)
        if text:
            found.setdefault(text, str(file.relative_to(checkout or file)))
    if len(found) < 2:
        return FoundOptions(next(iter(found), ""))
    first = next(iter(found))
    others = ", ".join(f"{place} ({text})" for text, place in found.items())
    hint = f"{first} counts; --kustomize-build-options chooses others"
    return FoundOptions(first, f"kustomize.buildOptions differ in {others}: {hint}")


async def permitted(found: FoundOptions) -> FoundOptions:
    """Return options of a repository without those that only walls make safe, where this machine has no walls.

    Whoever clones a repository has not agreed to it reading files beside it: the option is theirs to give.
    """
    if not _ANYWHERE.search(found.text) or not (why := await wiring.not_shut_in()):
        return found
    told = (
        "--load-restrictor=LoadRestrictionsNone of the repository's own settings is ignored: programs cannot be shut in"
        f" on this machine ({why}); to permit it, give --kustomize-build-options='{found.text}'"
    )
    kept = " ".join(_ANYWHERE.sub(" ", found.text).split())
    return FoundOptions(kept, "; ".join(filter(None, (found.warning, told))))


def _marked(checkout: Path, look: wiring.FolderLook) -> Iterator[Path]:
    """Yield the files that may hold the options, in the order of their names."""
    count, tree = 0, look.tree(str(checkout))
    for folder, found in look.walk(str(checkout), lambda _beside, name: name not in _LEFT_OUT):
        for file in found.files:
            if not file.name.endswith(_ENDINGS):
                continue
            count += 1
            if count > _MAX_FILES:
                return
            path = f"{folder}/{file.name}" if folder else file.name
            if not file.is_link and file.size <= _MAX_BYTES and _has_mark(tree, path):
                yield checkout / path


def _has_mark(tree: Tree, path: str) -> bool:
    try:
        content = tree.read(path)
    except SourceError:
        return False
    return any(mark in content for mark in _MARKS)


def _options(file: Path) -> str:
    try:
        settings = object_files.settings(file, None, lambda _sentence: None)
    except InvalidSpec:
        return ""
    return " ".join(settings.tools.kustomize_build_options.split())
