"""Makes the demo's Git repository from the example files, with real git; one that is there already is kept."""

from __future__ import annotations

import asyncio
import json
import os
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from syncline.model.errors import NeedsUser

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Syncline demo",
    "GIT_AUTHOR_EMAIL": "demo@syncline.invalid",
    "GIT_COMMITTER_NAME": "Syncline demo",
    "GIT_COMMITTER_EMAIL": "demo@syncline.invalid",
}


async def prepare_repository(folder: Path) -> Path:
    """Return the demo's repository, created with one commit if it does not exist."""
    if (folder / ".git").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    _copy(resources.files("syncline.cli.example"), folder, folder.resolve())
    await git(folder, "init", "--quiet", "--initial-branch=main")
    await git(folder, "config", "user.name", "Syncline demo")
    await git(folder, "config", "user.email", "demo@syncline.invalid")
    await git(folder, "add", ".")
    await git(folder, "commit", "--quiet", "-m", "hello, from Git")
    return folder


def _copy(source: Traversable, target: Path, repository: Path) -> None:
    """Copy the example; Applications in it name the repository they are in."""
    for entry in source.iterdir():
        if entry.name.startswith("__"):
            continue
        if entry.is_dir():
            (target / entry.name).mkdir(exist_ok=True)
            _copy(entry, target / entry.name, repository)
        else:
            (target / entry.name).write_text(entry.read_text().replace("REPOSITORY", json.dumps(str(repository))))


async def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder, as whoever plays the demo."""
    try:
        process = await asyncio.create_subprocess_exec(
            "git", "-C", str(folder), *arguments, env={**os.environ, **_IDENTITY}, stderr=asyncio.subprocess.PIPE
        )
    except FileNotFoundError:
        raise NeedsUser("git is not installed", hint="install git, then try again") from None
    _, complaint = await process.communicate()
    if process.returncode:
        raise NeedsUser(f"git {arguments[0]} failed in {folder}: {complaint.decode(errors='replace').strip()}")
