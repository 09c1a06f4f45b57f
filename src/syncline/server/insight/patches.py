"""The patch of a cause: the edits of its fix as `git apply` takes them, made from the commit that an Application shows.

Called by the route of one cause, with the Applications that whoever asks may see. It is what `syncline diagnose ID
--patch` prints in a checkout; here the files are read where the Applications have them from.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.controller.world import World
from syncline.core.diagnose.findings.patch import Patch, patch
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.core.sources import is_chart, sources_of
from syncline.model import application as model
from syncline.model.errors import SourceError, SynclineError
from syncline.model.finding import Edit, Finding
from syncline.model.logins import without_logins

_COMMITS_AT_MOST = 8
_PATIENCE = 30.0
_NO_FILES = "no file of this fix could be read in the commits of its Applications"
_WITHHELD = "a file of this fix holds what looks like a secret: run syncline diagnose with --patch in the repository"
_OF_SECRETS = re.compile(r"^(?:- )?\s*[\"']?kind[\"']?:\s*[\"']?Secret\b", re.MULTILINE)


class _Commit(msgspec.Struct, frozen=True):
    """Where files are read: a repository at a commit, below a folder, as a project may."""

    repo_url: str
    revision: str
    path: str
    project: str


async def patch_of(world: World, finding: Finding, apps: Iterable[Object], permitted: Any) -> dict[str, Any]:
    """Return the patch, the repository it is for, and a sentence for each edit that does not fit."""
    edits = dict.fromkeys(finding.fix.edits if finding.fix else ())
    if not edits:
        return {"text": "", "problems": []}
    best, repository = Patch("", (_NO_FILES,)), ""
    for commit in _commits(apps):
        found = await _made(world, edits, commit, permitted(commit.project))
        if found is not None and (found.text or not repository):
            best, repository = found, commit.repo_url
        if best.text and not best.problems:
            break
    if best.text != without_secrets(best.text):
        best = Patch("", (_WITHHELD,))
    return {"text": best.text, "problems": list(best.problems), "repository": without_logins(repository)}


async def _made(world: World, edits: Iterable[Edit], commit: _Commit, permitted: tuple[str, ...]) -> Patch | None:
    """Return the patch by the files of one commit; None where none of them is there."""
    try:
        async with asyncio.timeout(_PATIENCE):
            tree = await world.source.tree(
                commit.repo_url, commit.revision, commit.path, project=commit.project, permitted=permitted
            )
    except (SourceError, TimeoutError):
        return None
    texts: dict[str, str] = {}
    for file in {edit.place.file for edit in edits}:
        try:
            texts[file] = tree.read(file).decode()
        except (SourceError, UnicodeDecodeError):
            continue
    if any(map(_OF_SECRETS.search, texts.values())):
        return Patch("", (_WITHHELD,))
    return patch(edits, texts.get) if texts else None


def _commits(apps: Iterable[Object]) -> Iterator[_Commit]:
    """Yield the commits that Applications were compared with, each once, of the first few."""
    known: dict[tuple[str, str], None] = {}
    for obj in apps:
        try:
            app = model.parse(obj)
        except SynclineError:
            continue
        synced = app.status.sync
        if synced is None:
            continue
        revisions = synced.revisions or (synced.revision,)
        for source, revision in zip(sources_of(app), revisions, strict=False):
            if is_chart(source) or not revision or (source.repo_url, revision) in known:
                continue
            known[source.repo_url, revision] = None
            yield _Commit(source.repo_url, revision, source.path, app.spec.project)
            if len(known) >= _COMMITS_AT_MOST:
                return
