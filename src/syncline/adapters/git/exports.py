"""Writes revisions of the checkout somebody stands in to folders, to be compared: commits, and the files as they are.

Called through `syncline.wiring` by `syncline.api.preview`. The checkout itself is only read. Of files that are in no
commit those count that a commit would take: what .gitignore names is left out on both sides.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from syncline.adapters.git import process
from syncline.model.errors import NeedsUser, SourceError

if TYPE_CHECKING:
    import pygit2

_DEFAULTS = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")
_LOCAL_DEFAULTS = ("refs/heads/main", "refs/heads/master")
_LINK = 0o120000
_MODULE = 0o160000


def resolve(root: Path, text: str) -> str:
    """Return the commit that a text means in a checkout; raises `NeedsUser` where it means none."""
    import pygit2

    repository = _opened(root)
    try:
        return str(repository.revparse_single(text).peel(pygit2.Commit).id)
    except (KeyError, ValueError, pygit2.GitError):
        raise NeedsUser(
            f"{text!r} is not a revision of {root.name}",
            hint="name a branch, tag or commit that is fetched; a shallow clone lacks history (git fetch --unshallow)",
        ) from None


def fork_point(root: Path) -> str:
    """Return the commit at which a checkout left the default branch; of that branch itself, its last commit."""
    import pygit2

    repository = _opened(root)
    try:
        head = repository.head.peel(pygit2.Commit).id
    except (pygit2.GitError, KeyError):
        raise NeedsUser(f"{root.name} has no commit yet", hint="commit once, or name a base with --base") from None
    for name in (*_DEFAULTS, *_LOCAL_DEFAULTS):
        try:
            other = repository.lookup_reference(name).peel(pygit2.Commit).id
        except (KeyError, ValueError, pygit2.GitError):
            continue
        found: object = repository.merge_base(head, other)
        if found is None:
            short = name.removeprefix("refs/remotes/").removeprefix("refs/heads/")
            raise NeedsUser(
                f"HEAD and {short} have no commit in common",
                hint="fetch more history (git fetch --unshallow), or --base",
            )
        return str(found)
    return str(head)


def common(root: Path, text: str) -> str:
    """Return the last commit that HEAD and another revision have in common; the other one where they have none."""
    repository, other = _opened(root), resolve(root, text)
    found: object = repository.merge_base(repository.head.target, other)
    return str(found) if found is not None else other


def export(root: Path, sha: str, folder: Path) -> None:
    """Write the files of a commit to a folder; submodules are left out."""
    import pygit2

    tree = _opened(root)[sha].peel(pygit2.Tree)
    _write(tree, folder)


def _write(tree: pygit2.Tree, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for entry in tree:
        name = entry.name or ""
        if entry.filemode == _MODULE or not _is_plain(name):
            continue
        path = folder / name
        if entry.type_str == "tree":
            _write(entry, path)  # type: ignore[arg-type]
        elif entry.filemode == _LINK:
            path.symlink_to(entry.data.decode(errors="surrogateescape"))  # type: ignore[attr-defined]
        else:
            path.write_bytes(entry.data)  # type: ignore[attr-defined]


async def export_files(root: Path, folder: Path) -> None:
    """Put the files of a checkout as they are into a folder: those that a commit of everything would hold."""
    settings = ("-c", f"safe.directory={root}", "-C", str(root))
    try:
        told = await process.run((*settings, "ls-files", "-z", "-co", "--exclude-standard"), local=True)
    except process.GitFailed as error:
        raise SourceError(f"the files of {root.name} cannot be listed: {error}") from None
    names = sorted(set(filter(None, told.decode(errors="surrogateescape").split("\0"))))
    _copy_all(root, folder, [name for name in names if all(map(_is_plain, PurePosixPath(name).parts))])


def _copy_all(root: Path, folder: Path, names: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        _copy(root / name, folder / name)


def _copy(source: Path, target: Path) -> None:
    try:
        mode = source.lstat().st_mode
    except OSError:
        return  # Deleted and not committed yet.
    target.parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISLNK(mode):
        target.symlink_to(source.readlink())
    elif stat.S_ISREG(mode):
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)


def _is_plain(name: str) -> bool:
    return name not in ("", ".", "..") and "/" not in name and name.lower() != ".git"


def _opened(root: Path) -> pygit2.Repository:
    import pygit2

    try:
        return pygit2.Repository(str(root))
    except pygit2.GitError:
        raise NeedsUser(f"{root} is not a Git checkout", hint="run it inside one") from None
