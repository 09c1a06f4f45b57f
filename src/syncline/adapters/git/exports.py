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
from typing import TYPE_CHECKING, NamedTuple

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


async def export_both(root: Path, old: str, new: str, before: Path, after: Path) -> None:
    """Write two revisions to folders; the newer is the files as they are where its name is empty.

    A file that is the same in both is one file with two names: so a change of one among thousands writes one.
    """
    import pygit2

    repository = _opened(root)
    base = repository[old].peel(pygit2.Tree)
    if new:
        export(root, new, after)
        diffs = [base.diff_to_tree(repository[new].peel(pygit2.Tree))]
    else:
        await export_files(root, after)
        diffs = [repository.index.diff_to_tree(base), repository.diff()]
    changed = {side.path for diff in diffs for delta in diff.deltas for side in (delta.old_file, delta.new_file)}
    _write(base, str(before), "", _Beside(str(after), frozenset(changed)))


class _Beside(NamedTuple):
    """A folder with another revision, and the files that differ."""

    folder: str
    changed: frozenset[str]


def export(root: Path, sha: str, folder: Path) -> None:
    """Write the files of a commit to a folder; submodules are left out."""
    import pygit2

    _write(_opened(root)[sha].peel(pygit2.Tree), str(folder), "", None)


# Thousands of files pass through the functions below: paths are texts, and calls are those of the system.
def _write(tree: pygit2.Tree, folder: str, below: str, beside: _Beside | None) -> None:
    os.makedirs(f"{folder}/{below}", exist_ok=True)  # noqa: PTH103 - see above
    for entry in tree:
        name = entry.name or ""
        if entry.filemode == _MODULE or not _is_plain(name):
            continue
        path = f"{below}{name}"
        if entry.type_str == "tree":
            _write(entry, folder, f"{path}/", beside)  # type: ignore[arg-type]
        elif entry.filemode == _LINK:
            os.symlink(os.fsdecode(entry.data), f"{folder}/{path}")  # type: ignore[attr-defined]  # noqa: PTH211
        elif beside is None or path in beside.changed or not _linked(f"{beside.folder}/{path}", f"{folder}/{path}"):
            Path(folder, path).write_bytes(entry.data)  # type: ignore[attr-defined]


def _linked(source: str, target: str) -> bool:
    """Give a file a second name; return whether that could be done."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        return False
    return True


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
    made = {""}
    for name in names:
        try:
            mode = os.lstat(f"{root}/{name}").st_mode
        except OSError:
            continue  # Deleted and not committed yet.
        above = name.rpartition("/")[0]
        if above not in made:
            os.makedirs(f"{folder}/{above}", exist_ok=True)  # noqa: PTH103 - see above
            made.add(above)
        _copy(f"{root}/{name}", mode, f"{folder}/{name}")


def _copy(source: str, mode: int, target: str) -> None:
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(source), target)  # noqa: PTH115, PTH211 - see above
    elif stat.S_ISREG(mode) and not _linked(source, target):
        shutil.copyfile(source, target)


def _is_plain(name: str) -> bool:
    return name not in ("", ".", "..") and "/" not in name and name.lower() != ".git"


def _opened(root: Path) -> pygit2.Repository:
    import pygit2

    try:
        return pygit2.Repository(str(root))
    except pygit2.GitError:
        raise NeedsUser(f"{root} is not a Git checkout", hint="run it inside one") from None
