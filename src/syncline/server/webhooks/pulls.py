"""Reads a pull request that was opened, changed or closed out of the JSON of a code host.

Called by `syncline.server.routes.webhooks` once the signature is good. What happened does not matter beyond that: a set
that generates from pull requests asks the host itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

EVENTS: Final = {
    "github": ("pull_request",),
    "gogs": ("pull_request",),
    "gitlab": ("Merge Request Hook",),
    "bitbucket": (
        "pullrequest:created",
        "pullrequest:updated",
        "pullrequest:fulfilled",
        "pullrequest:rejected",
    ),
    "bitbucketserver": (
        "pr:opened",
        "pr:from_ref_updated",
        "pr:modified",
        "pr:merged",
        "pr:declined",
        "pr:deleted",
    ),
}
"""The events of each host that change which pull requests are open, or what their branches hold."""


class PullEvent(msgspec.Struct, frozen=True):
    """A pull request of a repository: the host, and the names by which a generator may call the repository.

    For GitLab a name is the project's number or path; for others owner and repository with a slash between.
    """

    provider: str
    names: frozenset[str]


def github(payload: Any) -> frozenset[str]:
    """Return how generators name a repository of GitHub or Gitea: owner/repository."""
    return _named(_part(payload, "repository").get("full_name"))


def gitlab(payload: Any) -> frozenset[str]:
    """Return how generators name a project of GitLab: its number, or its path."""
    project = _part(payload, "project")
    return _named(project.get("id"), project.get("path_with_namespace"))


def bitbucket(payload: Any) -> frozenset[str]:
    """Return how generators name a repository of Bitbucket Cloud: workspace/repository."""
    return _named(_part(payload, "repository").get("full_name"))


def bitbucket_server(payload: Any) -> frozenset[str]:
    """Return how generators name a repository of Bitbucket Server: project/repository."""
    repository = _part(payload, "pullRequest", "toRef", "repository")
    return _named(f"{_part(repository, 'project').get('key')}/{repository.get('slug')}")


def azure(payload: Any) -> frozenset[str]:
    """Return how generators name a repository of Azure DevOps: project/repository."""
    repository = _part(payload, "resource", "repository")
    return _named(f"{_part(repository, 'project').get('name')}/{repository.get('name')}")


READERS: Final[Mapping[str, Callable[[Any], frozenset[str]]]] = {
    "github": github,
    "gogs": github,
    "gitlab": gitlab,
    "bitbucket": bitbucket,
    "bitbucketserver": bitbucket_server,
    "azuredevops": azure,
}
"""What reads the payload of each provider."""


def is_azure_pull(payload: Any) -> bool:
    """Whether a webhook of Azure DevOps tells of a pull request: it says so in the body alone."""
    kind = payload.get("eventType") if isinstance(payload, dict) else None
    return isinstance(kind, str) and kind.startswith("git.pullrequest.")


def _part(value: Any, *path: str) -> dict[str, Any]:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _named(*values: Any) -> frozenset[str]:
    return frozenset(str(value).lower() for value in values if isinstance(value, str | int) and value != "")
