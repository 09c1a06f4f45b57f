"""Which addresses of repositories mean the checkout that is looked at, and which of its branches they are followed on.

Asked by `syncline.api.repository.snapshot`, which reads this checkout's files in their place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from syncline import wiring
from syncline.api.repository.texts import sources
from syncline.core.diagnose.repository.pointing import dig, entries
from syncline.model.desired import DesiredObject
from syncline.model.sources import repository_urls

_HEADS = ("", "HEAD")


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


def addresses_of(root: Path, folders: Mapping[str, str]) -> list[str]:
    """Return the addresses that somebody has mapped to this checkout."""
    return [url for url, folder in folders.items() if Path(folder).resolve() == root.resolve()]


def moved(folders: Mapping[str, str], home: Path, root: Path) -> dict[str, str]:
    """Return folders for addresses with those in a checkout replaced by those in its copy at one revision."""
    found = {url: Path(folder).resolve() for url, folder in folders.items()}
    at = home.resolve()
    return {
        url: str(root / folder.relative_to(at)) if folder.is_relative_to(at) else folders[url]
        for url, folder in found.items()
    }


def followed_branches(
    root: Path, own: Iterable[str], manifests: Iterable[DesiredObject]
) -> Mapping[str, tuple[int, int]] | None:
    """Return the branches of the checkout, where an Application follows one of them by name."""
    spellings = set(map(repository_urls.spelling, own))
    wanted = set()
    for item in manifests:
        for source in sources(item):
            if repository_urls.spelling(str(source.get("repoURL") or "")) in spellings:
                wanted.add(str(source.get("targetRevision") or ""))
    wanted -= set(_HEADS)
    return wiring.checkout_branches(root, wanted) if wanted else None


def _written_sources(items: Iterable[DesiredObject]) -> Iterable[dict[str, object]]:
    for item in items:
        spec = dig(item.obj, "spec")
        if item.obj.get("kind") == "ApplicationSet":
            for git in git_generators(dig(spec, "generators")):
                for entry in (*entries(git, "files"), *entries(git, "directories")):
                    path = str(entry.get("path") or "").partition("*")[0].rpartition("/")[0]
                    yield {"repoURL": git.get("repoURL"), "path": path}
            spec = dig(spec, "template", "spec")
        sources = entries(spec, "sources") or [dig(spec, "source")]
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
