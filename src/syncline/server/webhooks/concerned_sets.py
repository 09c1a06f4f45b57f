"""Tells whether a push or a pull request concerns an ApplicationSet, by what its generators read.

Used by `syncline.server.webhooks.refreshing`. A generator inside a matrix or merge counts like any other. Where an
address or a name is a template, nobody can tell before generating, so the set is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.model.sources import repository_urls
from syncline.server.webhooks.following import is_followed
from syncline.server.webhooks.pulls import PullEvent
from syncline.server.webhooks.pushes import Push

_HOSTS: Final = {
    "github": ("github", ("owner", "repo")),
    "gogs": ("gitea", ("owner", "repo")),
    "gitlab": ("gitlab", ("project",)),
    "bitbucket": ("bitbucket", ("owner", "repo")),
    "bitbucketserver": ("bitbucketServer", ("project", "repo")),
    "azuredevops": ("azuredevops", ("project", "repo")),
}
_DEEPEST = 4


def is_pushed(push: Push, appset: Object) -> bool:
    """Whether a generator reads the repository that was pushed to, or asks a plugin, which may."""
    known = repository_urls.mirrors(dict.fromkeys(push.urls, "pushed"))
    for kind, block in _generators(appset):
        if kind == "plugin":
            return True
        if kind == "git" and _reads(push, block, known):
            return True
    return False


def is_pulled(event: PullEvent, appset: Object) -> bool:
    """Whether a generator lists the pull requests of this repository."""
    block_name, fields = _HOSTS[event.provider]
    for kind, block in _generators(appset):
        given = block.get(block_name) if kind == "pullRequest" else None
        if not isinstance(given, Mapping):
            continue
        name = "/".join(str(given.get(field) or "") for field in fields)
        if "{{" in name or name.lower() in event.names:
            return True
    return False


def _reads(push: Push, block: Mapping[str, Any], known: dict[str, str]) -> bool:
    url, revision = str(block.get("repoURL") or ""), str(block.get("revision") or "")
    if "{{" not in url and not repository_urls.mirror(known, url):
        return False
    return "{{" in revision or is_followed(push, revision)


def _generators(appset: Object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    spec = appset.get("spec")
    entries = spec.get("generators") if isinstance(spec, Mapping) else None
    yield from _named(entries, _DEEPEST)


def _named(entries: Any, depth: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if depth == 0 or not isinstance(entries, list):
        return
    for entry in entries:
        for kind, block in entry.items() if isinstance(entry, Mapping) else ():
            if not isinstance(block, Mapping):
                continue
            yield kind, block
            if kind in ("matrix", "merge"):
                yield from _named(block.get("generators"), depth - 1)
