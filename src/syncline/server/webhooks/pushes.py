"""Reads a push out of the JSON of a code host; whatever is missing or of another form reads as empty.

Called by `syncline.server.routes.webhooks` once the signature is good. All the same nothing is indexed or iterated that
was not looked at first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

_MOST_FILES = 100_000


class Push(msgspec.Struct, frozen=True, kw_only=True):
    """A push: addresses of the repository, the branch or tag, whether it is the default one, and which files changed.

    `files` is None where the host does not say which.
    """

    urls: tuple[str, ...]
    revision: str
    is_default: bool = False
    is_tag: bool = False
    files: tuple[str, ...] | None = None


def github(payload: Any) -> list[Push]:
    """Return the push of GitHub, Gitea or Gogs."""
    whole = _dict(payload)
    repository = _dict(whole.get("repository"))
    urls = _texts(repository.get(name) for name in ("html_url", "clone_url", "ssh_url"))
    revision, is_tag = _reference(whole.get("ref"))
    default = _text(repository.get("default_branch"))
    return _pushes(urls, revision, is_tag=is_tag, default=default, files=_files(whole.get("commits")))


def gitlab(payload: Any) -> list[Push]:
    """Return the push of GitLab."""
    whole = _dict(payload)
    project = _dict(whole.get("project"))
    urls = _texts(project.get(name) for name in ("web_url", "git_http_url", "git_ssh_url", "http_url", "ssh_url"))
    revision, is_tag = _reference(whole.get("ref"))
    default = _text(project.get("default_branch"))
    return _pushes(urls, revision, is_tag=is_tag, default=default, files=_files(whole.get("commits")))


def bitbucket(payload: Any) -> list[Push]:
    """Return the pushes of Bitbucket Cloud, one for each branch or tag; it does not say which files changed."""
    whole = _dict(payload)
    repository = _dict(whole.get("repository"))
    url = _text(_dict(_dict(repository.get("links")).get("html")).get("href"))
    main = _text(_dict(repository.get("mainbranch")).get("name"))
    found: list[Push] = []
    for change in _list(_dict(whole.get("push")).get("changes")):
        new = _dict(_dict(change).get("new"))
        name = _text(new.get("name"))
        # Without a default branch nobody can tell, so it may be this one.
        found += _pushes([url] if url else [], name, is_tag=new.get("type") == "tag", default=main or name, files=None)
    return found


def bitbucket_server(payload: Any) -> list[Push]:
    """Return the pushes of Bitbucket Server, one for each branch or tag."""
    whole = _dict(payload)
    links = _dict(_dict(whole.get("repository")).get("links"))
    urls = _texts(_dict(one).get("href") for one in _list(links.get("clone")))
    found: list[Push] = []
    for change in _list(whole.get("changes")):
        reference = _dict(_dict(change).get("ref"))
        name = _text(reference.get("displayId"))
        found += _pushes(urls, name, is_tag=reference.get("type") == "TAG", default=name, files=None)
    return found


def azure(payload: Any) -> list[Push]:
    """Return the pushes of Azure DevOps, one for each branch or tag."""
    resource = _dict(_dict(payload).get("resource"))
    repository = _dict(resource.get("repository"))
    url = _text(repository.get("remoteUrl"))
    default, _ = _reference(repository.get("defaultBranch"))
    found: list[Push] = []
    for update in _list(resource.get("refUpdates")):
        name, is_tag = _reference(_dict(update).get("name"))
        found += _pushes([url] if url else [], name, is_tag=is_tag, default=default, files=None)
    return found


READERS: Final[Mapping[str, Callable[[Any], list[Push]]]] = {
    "github": github,
    "gitlab": gitlab,
    "bitbucket": bitbucket,
    "bitbucketserver": bitbucket_server,
    "gogs": github,
    "azuredevops": azure,
}
"""What reads the payload of each provider."""


def _pushes(
    urls: Iterable[str], revision: str, *, is_tag: bool, default: str, files: tuple[str, ...] | None
) -> list[Push]:
    known = tuple(urls)
    if not known or not revision:
        return []
    is_default = not is_tag and revision == default
    return [Push(urls=known, revision=revision, is_default=is_default, is_tag=is_tag, files=files)]


def _reference(value: Any) -> tuple[str, bool]:
    """Return the branch or tag of a full reference, and whether it is a tag."""
    text = _text(value)
    if text.startswith("refs/tags/"):
        return text.removeprefix("refs/tags/"), True
    return text.removeprefix("refs/heads/"), False


def _files(commits: Any) -> tuple[str, ...] | None:
    """Return the files that commits changed; None where no commit says so."""
    found: dict[str, None] = {}
    told = False
    for commit in _list(commits):
        for part in ("added", "modified", "removed"):
            listed = _dict(commit).get(part)
            told = told or isinstance(listed, list)
            found.update(dict.fromkeys(_texts(_list(listed))))
            if len(found) > _MOST_FILES:
                return None
    return tuple(found) if told else None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(values: Iterable[Any]) -> list[str]:
    return [text for value in values if (text := _text(value))][:_MOST_FILES]
