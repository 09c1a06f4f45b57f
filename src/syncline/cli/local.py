"""Files at hand in place of commits, for `app diff --local` and `app sync --local`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.applications import read_application, split_name
from syncline.cli.options import Chosen
from syncline.model import application
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.model.desired import Desired

local_option = click.option(
    "--local",
    is_flag=False,
    flag_value=".",
    default=None,
    metavar="[PATH]",
    help="Take the files as they are here, committed or not: the source's own folder, or (default) this checkout.",
)


async def local_objects(name: str, chosen: Chosen, path: str) -> Desired:
    """Render an Application from files at hand."""
    from syncline.cli.rendering import Wanted, opened

    namespace, plain = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, _):
        _, obj = await read_application(cluster, namespace, plain)
    sources = application.parse(obj).spec.all_sources
    if path != "." and len(sources) > 1:
        raise NeedsUser("an Application with several sources is rendered from the checkout", hint="say --local alone")
    repos = () if path == "." else (f"{sources[0].repo_url}={_root(Path(path), sources[0].path)}",)
    (found,) = await opened(name, chosen, Wanted(local=True, repos=repos))
    return await found.desired()


def _root(folder: Path, path: str) -> Path:
    """Return the root of the checkout a source's folder lies in: the folder without the source's own path."""
    folder = folder.resolve()
    if not folder.is_dir():
        raise NeedsUser(f"{folder} is no folder")
    parts = [part for part in Path(path).parts if part != "."]
    if folder.parts[len(folder.parts) - len(parts) :] == tuple(parts):
        return Path(*folder.parts[: len(folder.parts) - len(parts)])
    if (folder / path).is_dir():
        return folder
    raise NeedsUser(f"{folder} is neither the folder {path} of the source nor the root of its repository")
