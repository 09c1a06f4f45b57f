"""Finds the repository somebody stands in, so that it is read in place of the addresses of its remotes.

Called by `syncline.wiring` for commands that work on files: an Application that names `https://host/team/shop` is then
rendered from the checkout at hand, whichever spelling of the address its remote has. Only commits are read from it.
"""

from __future__ import annotations

import pathlib

from syncline.model.errors import NeedsUser


def checkout_mirrors(folder: str) -> dict[str, str]:
    """Return the addresses of all remotes of the checkout around a folder, each with the checkout's own folder."""
    import pygit2

    found = pygit2.discover_repository(folder)
    if found is None:
        return {}
    try:
        repository = pygit2.Repository(found)
        urls = [remote.url for remote in repository.remotes]
    except pygit2.GitError:
        return {}
    home = repository.workdir or repository.path
    return {url: str(pathlib.Path(home)) for url in urls if url}


def parse_mirrors(texts: list[str] | tuple[str, ...]) -> dict[str, str]:
    """Read `URL=PATH` from a command line; the path must be a repository."""
    mirrors: dict[str, str] = {}
    for text in texts:
        url, equals, path = text.rpartition("=")
        if not equals or not url or not path:
            raise NeedsUser(f"{text!r} is not URL=PATH", hint="use --repo https://host/team/shop=../shop")
        folder = pathlib.Path(path).expanduser()
        if not any((folder / name).exists() for name in (".git", "HEAD")):
            raise NeedsUser(f"{path} is not a Git repository")
        mirrors[url] = str(folder.resolve())
    return mirrors
