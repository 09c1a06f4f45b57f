"""Makes the Git repository of a story, with real git: its history at first, then the commits that repair it."""

from __future__ import annotations

from pathlib import Path

from syncline.cli.run.example_repo import git
from syncline.scenarios.story import REPOSITORY, Commit

_MAIN = "main"


class StoryRepository:
    """A repository in a folder, to which the commits of a story are added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def begin(self) -> None:
        """Create it, empty."""
        self.folder.mkdir(parents=True)
        await git(self.folder, "init", "--quiet", f"--initial-branch={_MAIN}")
        await git(self.folder, "config", "user.name", "Platform team")
        await git(self.folder, "config", "user.email", "platform@syncline.invalid")

    async def add(self, commit: Commit) -> None:
        """Add one commit on its branch, which begins at the newest commit of main where there is none yet."""
        if commit.branch != _MAIN:
            made = () if self._has(commit.branch) else ("-b",)
            await git(self.folder, "checkout", "--quiet", *made, commit.branch)
        await self.commit(commit)
        if commit.branch != _MAIN:
            await git(self.folder, "checkout", "--quiet", _MAIN)

    async def commit(self, commit: Commit) -> None:
        """Make a commit on the branch that is checked out."""
        for path, text in commit.files.items():
            self._write(self.folder / path, text)
        await git(self.folder, "add", "--all")
        await git(self.folder, "commit", "--quiet", "--allow-empty", "-m", commit.message)

    def _has(self, branch: str) -> bool:
        return (self.folder / ".git" / "refs" / "heads" / branch).is_file()

    def told(self, text: str) -> str:
        """Return a text in which the repository has its address."""
        return text.replace(REPOSITORY, str(self.folder.resolve()))

    def _write(self, path: Path, text: str | None) -> None:
        if text is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.told(text), encoding="utf-8")
