"""Excludes of a generator that exclude nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from syncline.apimachinery.nearest import nearest
from syncline.core.appset.globs import matches_folder
from syncline.core.appset.questions import GeneratorError
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoSet
from syncline.model.finding import Finding, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="APS-101",
    name="exclude-without-effect",
    severity=Severity.WARNING,
    summary="A git generator excludes a path that it would not match anyway.",
    fix="correct the path: a star stops at a slash, and the pattern must match the folder's own path",
    looks_at=(LooksAt.FILES,),
    why="You may think a folder is excluded when it is not, or no longer exists.",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per exclude of a generator on this repository."""
    folders = _folders(repo.tree)
    for one in repo.sets:
        for index, generator in enumerate(entries(one.manifest.obj, "spec", "generators")):
            git = generator.get("git")
            own = repository_urls.spelling(str(dig(git, "repoURL") or "")) in repo.own_addresses
            if own and repo.tree:
                yield from _of_generator(one, index, entries(git, "directories"), folders)


def _of_generator(
    one: RepoSet, index: int, items: Sequence[Mapping[str, Any]], folders: Sequence[str]
) -> Iterator[Finding]:
    taken = {
        folder
        for item in items
        if not item.get("exclude") and "{{" not in str(item.get("path"))
        for folder in folders
        if _matches(str(item.get("path") or ""), folder)
    }
    for place, item in enumerate(items):
        pattern = str(item.get("path") or "")
        excluding = item.get("exclude") and "{{" not in pattern and taken
        if excluding and not any(_matches(pattern, folder) for folder in taken):
            near = nearest(pattern, taken)
            hint = f"; {near[0]} is included" if near else ""
            path = f"spec.generators[{index}].git.directories[{place}].path"
            message = f"{one}: the exclude {pattern} matches none of the {len(taken)} folders{hint}"
            yield RULE.finding(str(one), message, evidence=[at(one.manifest, path, pattern)], fix=RULE.usual_fix)


def _matches(pattern: str, folder: str) -> bool:
    try:
        return matches_folder(pattern, folder)
    except GeneratorError:
        return False


def _folders(tree: frozenset[str]) -> list[str]:
    found: set[str] = set()
    for name in tree:
        parts = name.split("/")[:-1]
        found |= {"/".join(parts[:count]) for count in range(1, len(parts) + 1)}
    return sorted(found)
