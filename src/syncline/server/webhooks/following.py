"""Tells whether a revision that an Application or a set names is the branch or tag that was pushed."""

from __future__ import annotations

from syncline.model.sources import semver
from syncline.server.webhooks.pushes import Push


def is_followed(push: Push, target: str) -> bool:
    """Whether whoever names this revision reads what was pushed; no revision means the default branch."""
    named = target.removeprefix("refs/heads/").removeprefix("refs/tags/")
    if named in ("", "HEAD"):
        return push.is_default
    if named == push.revision:
        return True
    return push.is_tag and semver.is_constraint(named) and semver.newest(named, [push.revision]) is not None
