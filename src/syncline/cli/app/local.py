"""Files at hand in place of commits, for `app diff --local` and `app sync --local`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from syncline.cli.options import Chosen
from syncline.model.errors import NeedsUser
from syncline.verbs.applications import read_application

if TYPE_CHECKING:
    from syncline.model.desired import Desired
    from syncline.model.sources.source import ApplicationSource


class AtHand(NamedTuple):
    """Where the files at hand are: the source's folder or (`.`) this checkout, and the root of their repository."""

    path: str
    root: str = ""


def local_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command takes them as one `local`, None where files at hand were not asked for."""

    @functools.wraps(command)
    def with_local(*args: Any, local: str | None, local_repo_root: str, **others: Any) -> Any:
        if local is None and local_repo_root:
            raise click.UsageError("--local-repo-root needs --local")
        return command(*args, local=None if local is None else AtHand(local, local_repo_root), **others)

    wrapped: Callable[..., Any] = with_local
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option(
        "--local",
        is_flag=False,
        flag_value=".",
        default=None,
        metavar="[PATH]",
        help="Use local files, committed or not: the source's own folder, or (default) this checkout.",
    ),
    click.option("--local-repo-root", default="", metavar="PATH", help="Root of the repository that --local is in."),
    click.option("--server-side-generate", is_flag=True, help="Accepted for compatibility: files are rendered here."),
    click.option("--local-include", multiple=True, help="Accepted for compatibility: all files are local."),
)


async def local_objects(name: str, chosen: Chosen, local: AtHand) -> Desired:
    """Render an Application from files at hand."""
    from syncline.api.applications import RenderFlags
    from syncline.cli.render.rendering import opened

    async with chosen.connected() as (cluster, _):
        stored = await read_application(cluster, await chosen.find(cluster, name))
    sources = stored.app.spec.all_sources
    if local.path != "." and len(sources) > 1:
        raise NeedsUser(
            "an Application with several sources is rendered from the checkout", hint="use --local without a folder"
        )
    (found,) = await opened(name, chosen, RenderFlags(local=True, repos=_repos(local, sources)))
    return await found.desired()


def _repos(local: AtHand, sources: Sequence[ApplicationSource]) -> tuple[str, ...]:
    """Return which folder stands for which repository."""
    if local.root:
        root = Path(local.root).resolve()
        if not (root / sources[0].path).is_dir():
            raise NeedsUser(f"{root} has no folder {sources[0].path}, which the source names")
        return tuple(f"{address}={root}" for address in dict.fromkeys(source.repo_url for source in sources))
    return () if local.path == "." else (f"{sources[0].repo_url}={_root(Path(local.path), sources[0].path)}",)


def _root(folder: Path, path: str) -> Path:
    """Return the root of the checkout a source's folder lies in: the folder without the source's own path."""
    folder = folder.resolve()
    if not folder.is_dir():
        raise NeedsUser(f"{folder} is not a folder")
    parts = [part for part in Path(path).parts if part != "."]
    if folder.parts[len(folder.parts) - len(parts) :] == tuple(parts):
        return Path(*folder.parts[: len(folder.parts) - len(parts)])
    if (folder / path).is_dir():
        return folder
    raise NeedsUser(f"{folder} is neither the folder {path} of the source nor the root of its repository")
