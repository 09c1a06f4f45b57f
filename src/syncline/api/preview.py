"""Says what a change of a GitOps repository does, before it is merged and without a cluster: `syncline.preview`.

`syncline preview` prints what it returns. Both revisions are written to folders and looked at as `syncline check` looks
at one; renders of the head are taken over for the base wherever every file that they have read is the same, which is
the proof that such an app does not change.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from syncline import wiring
from syncline.api import collecting
from syncline.api.build_options import checkout_around
from syncline.api.repository.addresses import addresses_of
from syncline.api.running import run
from syncline.apimachinery import times
from syncline.model.errors import NeedsUser
from syncline.model.preview import NotLooked, Preview

if TYPE_CHECKING:
    from syncline.api import inputs
    from syncline.api.applications import RenderFlags
    from syncline.api.preview_live import LiveReader
    from syncline.api.repository.memory import CheckMemory
    from syncline.api.repository.snapshot import Taken
    from syncline.core.diagnose.subjects import Change
    from syncline.model.finding import Finding

WORKTREE = "worktree"
"""What stands for the files of the checkout as they are."""
_SHORT = 10
_MAX_BYTES = 2_000_000


def preview(
    base: str = "",
    head: str = WORKTREE,
    *,
    path: str | os.PathLike[str] = ".",
    repos: Mapping[str, str | os.PathLike[str]] | None = None,
    clusters: inputs.File | None = None,
    fetch: bool = False,
) -> Preview:
    """Return what a change of a GitOps repository does.

    `base` and `head` are revisions of the checkout around `path`; without a base it is where the checkout left the
    default branch, and the head is its files as they are. `repos`, `clusters` and `fetch` are as in `check`.

    Raises `NeedsUser` where a revision is not known or the path is not in a checkout.
    """
    from syncline.api.applications import RenderFlags
    from syncline.api.applicationsets import known_clusters

    wanted = RenderFlags(
        local=True,
        repos=tuple(f"{url}={os.fspath(folder)}" for url, folder in (repos or {}).items()),
        clusters=tuple(known_clusters(clusters)) if clusters is not None else (),
    )
    return run(previewed(Path(path), wanted, base=base, head=head, fetch=fetch))


async def previewed(
    path: Path,
    wanted: RenderFlags,
    *,
    base: str = "",
    head: str = WORKTREE,
    fetch: bool = False,
    live: LiveReader | None = None,
) -> Preview:
    """Return what a change of the checkout around a folder does; `live` reads what to put beside it."""
    from syncline.api.repository.memory import CheckMemory
    from syncline.api.repository.snapshot import snapshot

    root = checkout_around(path)
    if root is None:
        raise NeedsUser(f"{path} is not in a Git checkout", hint="run it inside one, or name its folder")
    old = wiring.revision_of(root, base)
    new = "" if head == WORKTREE else wiring.revision_of(root, head)
    with tempfile.TemporaryDirectory(prefix="syncline-") as scratch:
        before, after = Path(scratch, "base", root.name), Path(scratch, "head", root.name)
        await wiring.export_both(root, old, new, before, after)
        # Nobody writes into these folders, so a file that was written a moment ago is what it was.
        memory = CheckMemory(looks=wiring.FolderLooks(still=True))

        def look(folder: Path) -> Awaitable[Taken]:
            return snapshot(folder, wanted, fetch=fetch, home=root, memory=memory)

        sides = Sides(before, after, old[:_SHORT], new[:_SHORT] or WORKTREE)
        return await compared(sides, look, _own(root, wanted.repos), memory, live)


class Sides(NamedTuple):
    """The folders of both revisions, and what they are called."""

    before: Path
    after: Path
    old: str
    new: str


async def compared(
    sides: Sides,
    look: Callable[[Path], Awaitable[Taken]],
    is_here: Callable[[str], bool],
    memory: CheckMemory,
    live: LiveReader | None = None,
) -> Preview:
    """Return what a change does whose two sides are in folders; `look` takes a snapshot of one."""
    from syncline.api.preview_live import with_live
    from syncline.core.diagnose.subjects import Change
    from syncline.core.preview.lines import changed_lines
    from syncline.core.preview.preview import preview as decide

    lines = changed_lines(_texts(sides.before, sides.after))
    # The head first: its renders are taken over for the base wherever their files are the same.
    head = await look(sides.after)
    base = await look(sides.before) if lines else head
    change = Change(
        msgspec.structs.replace(base.repo, revision=sides.old).remembering(memory.deliveries),
        msgspec.structs.replace(head.repo, revision=sides.new).remembering(memory.deliveries),
    )
    told = decide(
        change,
        lines,
        as_of=times.format_time(wiring.clock().now()),
        found=_found(change, memory) if lines else ((), ()),
        is_here=is_here,
        not_looked=[NotLooked(one.what, one.remedy, one.count) for one in head.left_out],
        notes=tuple(dict.fromkeys((*head.notes, *base.notes))),
    )
    told = msgspec.structs.replace(told, files=_framed(told, sides.after))
    return await with_live(told, change, live) if live is not None else told


def _found(change: Change, memory: CheckMemory) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return the findings on both sides that no comment silences; what only a change can be is the head's."""
    from syncline.core.diagnose import engine, registry
    from syncline.core.diagnose.findings.silencing import silenced
    from syncline.core.diagnose.subjects import Change as ChangeSubject
    from syncline.core.diagnose.subjects import Repo

    # Rules on trial are for those who ask for them: a comment on everybody's change does not.
    checks = [one for one in registry.checks(Repo) if not one.rule.preview]
    if change.base is change.head:
        return (), ()
    with collecting.seldom(collecting.FOR_A_LOOK):
        before, after = (engine.run(checks, side, memory.findings) for side in (change.base, change.head))
    of_change = engine.run([one for one in registry.checks(ChangeSubject) if not one.rule.preview], change)
    return (
        silenced(before, change.base.files).kept,
        silenced((*after, *of_change), change.head.files).kept,
    )


def _own(root: Path, repos: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells whether an address may mean this checkout: by the name of the repository, to be safe.

    Any address may where the checkout has no remote and nobody says which it is.
    """
    given = addresses_of(root, wiring.repositories(repos))
    remotes = [*wiring.checkout_remotes(root), *given]
    known = {_name(url) for url in remotes} | {_name(root.name)}
    return lambda url: not remotes or _name(url) in known


def _name(url: str) -> str:
    return url.rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2].lower()


def _framed(told: Preview, root: Path) -> dict[str, bytes]:
    """Return the files that new findings point into."""
    places = {one.place.file for found in told.new for one in found.evidence if one.place is not None}
    return {name: text for name in sorted(filter(None, places)) if (text := _read(root / name)) is not None}


def _texts(before: Path, after: Path) -> dict[str, tuple[bytes, bytes]]:
    """Return both versions of every file that differs."""
    found = {}
    for name in sorted({*_names(before), *_names(after)}):
        if _is_one_file(f"{before}/{name}", f"{after}/{name}"):
            continue
        old, new = _read(before / name), _read(after / name)
        if old != new:
            found[name] = old or b"", new or b""
    return found


def _is_one_file(one: str, other: str) -> bool:
    """Whether two names are those of one file."""
    try:
        mine, its = os.lstat(one), os.lstat(other)
    except OSError:
        return False
    return (mine.st_dev, mine.st_ino) == (its.st_dev, its.st_ino)


def _names(root: Path) -> set[str]:
    found: set[str] = set()
    for folder, _, files in os.walk(root):
        below = folder[len(str(root)) + 1 :]
        found.update(f"{below}/{name}" if below else name for name in files)
    return found


def _read(path: Path) -> bytes | None:
    """Return the content of a file; of a link its text; of a very large file what tells versions apart."""
    try:
        if path.is_symlink():
            return os.fsencode(path.readlink())
        if path.stat().st_size > _MAX_BYTES:
            return hashlib.sha256(path.read_bytes()).hexdigest().encode()
        return path.read_bytes()
    except OSError:
        return None
