"""Hands out revisions of the checkout somebody stands in, as folders."""

from __future__ import annotations

from pathlib import Path


def revision_of(root: Path, text: str = "") -> str:
    """Return the commit that a text means; without a text, where the checkout left the default branch."""
    from syncline.adapters.git import exports

    return exports.resolve(root, text) if text else exports.fork_point(root)


def common_revision(root: Path, text: str) -> str:
    """Return the last commit that a checkout and another revision have in common."""
    from syncline.adapters.git import exports

    return exports.common(root, text)


async def export_both(root: Path, old: str, new: str, before: Path, after: Path) -> None:
    """Write two commits of a checkout to folders; without a newer one, its files as they are."""
    from syncline.adapters.git import exports

    await exports.export_both(root, old, new, before, after)


async def export(root: Path, revision: str, folder: Path) -> None:
    """Write a commit of a checkout to a folder; without a revision, its files as they are."""
    from syncline.adapters.git import exports

    if revision:
        exports.export(root, revision, folder)
    else:
        await exports.export_files(root, folder)
