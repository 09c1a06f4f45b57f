"""Which addresses of repositories mean the checkout that is looked at.

Asked by `syncline.api.repo_snapshot`, which reads this checkout's files in their place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from syncline import wiring
from syncline.model.desired import DesiredObject
from syncline.model.sources import repository_urls


def own_addresses(root: Path, items: Iterable[DesiredObject]) -> tuple[list[str], list[str]]:
    """Return the addresses that mean this checkout, and what to say about those that are only taken to.

    The remotes of the checkout do; so does an address with the name of a remote or of the folder, such as that of a
    fork, where a path of it is here.
    """
    remotes = list(wiring.checkout_remotes(root))
    known = {repository_urls.spelling(url) for url in remotes}
    named = {_name(url) for url in remotes} | {root.name.lower(), root.name.lower().rpartition(".")[2]}
    paths: dict[str, set[str]] = defaultdict(set)
    for source in _written_sources(items):
        paths[str(source.get("repoURL") or "")].add(str(source.get("path") or ""))
    notes, taken = [], []
    for url, used in sorted(paths.items()):
        if not url or "{{" in url or repository_urls.spelling(url) in known:
            continue
        here = [path for path in used if path and "{{" not in path and (root / path.lstrip("/")).exists()]
        if here and _name(url) in named:
            taken.append(url)
            notes.append(f"{url} is taken as this checkout")
    return [*remotes, *taken], notes


def _written_sources(items: Iterable[DesiredObject]) -> Iterable[dict[str, object]]:
    for item in items:
        spec = item.obj.get("spec") or {}
        if item.obj.get("kind") == "ApplicationSet":
            for git in git_generators(spec.get("generators")):
                for entry in (*(git.get("files") or ()), *(git.get("directories") or ())):
                    path = str(entry.get("path") or "").partition("*")[0].rpartition("/")[0]
                    yield {"repoURL": git.get("repoURL"), "path": path}
            spec = (spec.get("template") or {}).get("spec") or {}
        sources = spec.get("sources") or [spec.get("source") or {}]
        yield from (one for one in sources if isinstance(one, dict) and not one.get("chart"))


def _name(url: str) -> str:
    return url.rstrip("/").removesuffix(".git").rpartition("/")[2].lower()


def git_generators(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the Git generators below a value, however deep they are."""
    if isinstance(value, list):
        for one in value:
            yield from git_generators(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name == "git" and isinstance(one, dict):
                yield one
            else:
                yield from git_generators(one)
