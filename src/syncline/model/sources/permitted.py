"""Whether a project's sourceRepos permit the address of a repository.

Asked by `syncline.core.policy.projects` about the sources of Applications, and by `syncline.adapters` about what those
lead to: chart dependencies, remote bases, submodules. One rule for all, so that what is forbidden as a source cannot be
reached through another. Patterns do not cross `/` with `*`, except for a lone `*`. A `!pattern` that matches denies,
whatever else allows; one that does not match counts as an allow, so a lone `!pattern` permits everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from syncline.apimachinery.globs import matches

_UPWARDS = re.compile(r"(?:[/:\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)")
"""A step `.` or `..` of a path, plain or encoded."""


def repo_permitted(repo_url: str, patterns: Iterable[str]) -> bool:
    """Whether a repository may be read; none may where there are no patterns."""
    url, allowed, known = _plain(repo_url), False, tuple(patterns)
    if _UPWARDS.search(url):
        # Clients and servers take such steps before they open anything: patterns say nothing about where they lead.
        return "*" in map(_plain, known) and not any(pattern.startswith("!") for pattern in known)
    for pattern in known:
        denies, plain = pattern.startswith("!"), _plain(pattern.removeprefix("!"))
        hit = plain == "*" or matches(url, plain, separator="/")
        if denies and hit:
            return False
        allowed = allowed or hit is not denies
    return allowed


def _plain(url: str) -> str:
    """Return an address without what makes no difference: blanks, case, a final slash or `.git`."""
    return url.strip().lower().rstrip("/").removesuffix(".git")
