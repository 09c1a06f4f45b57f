"""Tells which source of an Application could not be read or rendered: Argo CD's words, then ours.

Used by `syncline.controller.sources.desired`, and by commands that render, around everything that is done for one
source. The address is shown without any login. A file or folder that is missing at the revision of the source and there
at HEAD is told: a branch that was left behind is the commonest cause.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence

from syncline.model.errors import RenderError, SourceError, SynclineError
from syncline.model.sources.source import ApplicationSource
from syncline.ports.source import RevisionRequest, Source

_HEAD = "HEAD"
_NO_PATH = "app path does not exist"


@contextlib.asynccontextmanager
async def told(
    number: int,
    count: int,
    source: ApplicationSource,
    revision: str,
    *,
    reader: Source,
    project: str,
    permitted: Sequence[str] = ("*",),
) -> AsyncIterator[None]:
    """Put which source it is, its repository and the revision that was tried into whatever goes wrong."""
    try:
        yield
    except (RenderError, SourceError) as error:
        place = f"{error.place}: " if error.place else ""
        what = f"failed to generate manifest for source {number} of {count}: {place}{error.what}"
        missing = error.missing or (source.path if error.what.endswith(_NO_PATH) else "")
        newer = ""
        if missing and not source.chart and source.target_revision not in ("", _HEAD):
            newer = await _at_head(reader, source, revision, missing, project=project, permitted=permitted)
        hint = "; ".join(filter(None, (error.hint, _where(source, revision), newer)))
        placed = type(error)(what, hint=hint, missing=missing)
        if isinstance(placed, RenderError) and isinstance(error, RenderError):
            placed.over_limit = error.over_limit
        raise placed from None


def _where(source: ApplicationSource, revision: str) -> str:
    chart = f" {source.chart}" if source.chart else ""
    shown = revision[:7] if len(revision) == 40 else revision
    named = source.target_revision
    if named and not source.chart and not revision.startswith(named):
        shown = f"{named} ({shown})"
    return f"{source.shown_url}{chart} at {shown}"


async def _at_head(
    reader: Source, source: ApplicationSource, revision: str, missing: str, *, project: str, permitted: Sequence[str]
) -> str:
    """Return words where HEAD has what is missing; whatever goes wrong meanwhile is not what was asked about."""
    try:
        sha = await reader.resolve(RevisionRequest(source.repo_url, _HEAD, project=project))
        if sha == revision:
            return ""
        tree = await reader.tree(source.repo_url, sha, "", project=project, permitted=permitted)
        there = bool(tree.digest_of(missing.strip("/")))
    except SynclineError:
        return ""
    return f"HEAD ({sha[:7]}) has it: is targetRevision {source.target_revision} out of date?" if there else ""
