"""`syncline ci comment`: previews the pull request that a pipeline runs for, and keeps one comment on it up to date.

Pull requests from forks run with a token that may not write: the preview goes to the summary of the run then. Where a
second workflow with more rights writes the comment, it is handed the preview as JSON (`--from`), never text: what the
comment says is made here, from values.
"""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.choice import Choice
from syncline.cli.options import allow_local_option, build_options_option, clusters_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.api.applications import RenderFlags
    from syncline.cli.ci.hosts import PullRequest
    from syncline.model.preview import Preview

MARK = "<!-- syncline preview -->"
"""How our comment is found again."""
_SEVERITIES = ("error", "warning", "info", "never")
_MAX_BYTES = 20_000_000
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_SHORT = 10


@click.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--base", default="", metavar="REV", help="Revision to compare with (default: that of the pull request).")
@click.option("--pr", "number", default="", metavar="NUMBER", help="Pull request to write to (default: this one).")
@click.option(
    "--from",
    "given",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Use this preview, from `syncline preview -o json`, instead of creating one.",
)
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read this folder instead of the repository.")
@allow_local_option
@clusters_option
@build_options_option
@click.option("--fetch", is_flag=True, help="Fetch other repositories and charts.")
@click.option(
    "--fail-on",
    type=Choice(_SEVERITIES),
    default="error",
    show_default=True,
    help="Exit with 1 for new findings of this severity or worse.",
)
def comment(
    path: Path,
    base: str,
    number: str,
    given: Path | None,
    repos: tuple[str, ...],
    clusters: Path | None,
    build_options: str,
    fail_on: str,
    *,
    fetch: bool,
) -> int:
    """Preview a pull request and keep one comment on it up to date."""
    from syncline.api.applications import RenderFlags
    from syncline.api.applicationsets import known_clusters
    from syncline.cli.ci import hosts
    from syncline.cli.show.previewing import markdown

    wanted = RenderFlags(
        local=True,
        repos=repos,
        build_options=build_options,
        clusters=tuple(known_clusters(clusters)) if clusters else (),
    )
    pull = hosts.found_in(os.environ, number)
    if given is not None:
        found = _read(given)
        asyncio.run(_verified(pull, found, named=bool(number)))
    else:
        found = asyncio.run(_made(path, base or pull.base, wanted, fetch=fetch))
    text = f"{MARK}\n{markdown.comment(found)}"
    _summarize(text)
    terminal.echo(asyncio.run(_published(pull, text)), err=True)
    bad = _SEVERITIES[: _SEVERITIES.index(fail_on) + 1] if fail_on != "never" else ()
    return 1 if any(one.severity.value in bad for one in found.new) else 0


async def _made(path: Path, base: str, wanted: RenderFlags, *, fetch: bool) -> Preview:
    from syncline import wiring
    from syncline.api.build_options import checkout_around
    from syncline.api.preview import previewed

    root = checkout_around(path)
    # The base may have moved on since the branch began: only what the branch did counts.
    common = wiring.common_revision(root, base) if base and root is not None else base
    return await previewed(path, wanted, base=common, fetch=fetch)


def _read(file: Path) -> Preview:
    import msgspec

    from syncline.model.errors import InvalidSpec
    from syncline.model.preview import Preview

    try:
        if file.stat().st_size > _MAX_BYTES:
            raise InvalidSpec(f"{file} is larger than {_MAX_BYTES:,} bytes")
        return msgspec.json.decode(file.read_bytes(), type=Preview)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InvalidSpec(f"{file} is not a preview: {error}", hint="make it with syncline preview -o json") from None


async def _verified(pull: PullRequest, found: Preview, *, named: bool) -> None:
    """Refuse a preview of another commit than the one that the pull request is at.

    Whoever made the file may have named any pull request: the commit that the code host says the run before was for
    decides, and the one in the file.
    """
    from syncline import wiring
    from syncline.model.errors import NeedsUser

    commits = [one for one in (pull.run_head, found.head) if _COMMIT.fullmatch(one)]
    if not commits and not named:
        return
    if not commits:
        raise NeedsUser(
            f"the preview does not say which commit it is for, so it is not written to {pull.number}",
            hint="make it with syncline preview --head COMMIT, or run this on: workflow_run",
        )
    head = await pull.head(wiring.web())
    if wrong := next((one for one in commits if not head.startswith(one)), ""):
        raise NeedsUser(
            f"{pull.number} is at {head[:_SHORT]}, and this preview is of {wrong[:_SHORT]}",
            hint="it has new commits, or this is a different one: the comment was not written",
        )


async def _published(pull: PullRequest, text: str) -> str:
    """Write the comment, in place of the one that is there; return what was done."""
    from syncline import wiring
    from syncline.cli.ci.hosts import MayNotWrite

    web = wiring.web()
    try:
        before = next((one for one in await pull.listed(web) if one.ours and one.text.startswith(MARK)), None)
        if before is not None and before.text.strip() == text.strip():
            return "the comment says this already"
        await pull.write(web, text, before.number if before is not None else None)
    except MayNotWrite as denied:
        return (
            f"the comment was not written: the code host answered {denied}. The token of a pull request from a fork "
            "may not write; the summary of this run has the preview"
        )
    return "the comment was replaced" if before is not None else "the comment was written"


def _summarize(text: str) -> None:
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
