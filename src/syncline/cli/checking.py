"""What `syncline check` does once it knows what is wanted: check, show progress, fix, watch.

Called by `syncline.cli.checkouts`. Where there is another look, what the first one has read, rendered and found is kept
for it, so that a file that changes costs the apps that read it and nothing else.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from syncline import wiring
from syncline.api.repository.memory import CheckMemory
from syncline.cli.show import terminal
from syncline.core.diagnose.findings.joined import joined

if TYPE_CHECKING:
    from syncline.api.applications import RenderFlags
    from syncline.api.check import Checked, Selection

_EVERY = 0.1
_LEFT_OUT = (".git", "node_modules", ".venv")
_PATIENCE = 1.0
_WIDE = 60


class Run:
    """One `syncline check`, with what it was asked for."""

    def __init__(
        self, root: Path, wanted: RenderFlags, selection: Selection, *, fetch: bool, offer: bool, again: bool
    ) -> None:
        self._root, self._wanted, self._selection, self._fetch = root, wanted, selection, fetch
        self._offer = "syncline check --write-baseline" if offer else ""
        # To note what every finding depends on takes a third of a check: that is for those who look again.
        self._memory = CheckMemory() if again else None
        self._clock = wiring.clock()

    async def once(self) -> tuple[Checked, float]:
        """Check once; return what was found and how long that took."""
        from syncline.api.check import checked

        begin = self._clock.monotonic()
        progress = Progress(self._clock.monotonic)
        try:
            found = await checked(
                self._root,
                self._wanted,
                fetch=self._fetch,
                selection=self._selection,
                progress=progress.told,
                memory=self._memory,
            )
        finally:
            progress.end()
        return found, self._clock.monotonic() - begin

    def shown(self, found: Checked, seconds: float, output: str, *, verbose: bool) -> str:
        """Return what was found in the form that is asked for."""
        if output == "json":
            from syncline.cli.show.checked import as_json

            return as_json(found)
        if output == "sarif":
            from syncline.cli.show.checking.sarif import sarif

            return sarif(found)
        found = msgspec.structs.replace(found, findings=joined(found.findings))
        if output == "github":
            from syncline.cli.show.checking.github import commands

            return commands(found)
        if output == "markdown":
            from syncline.cli.show.checking.markdown import markdown

            return markdown(found, seconds)
        if output == "html":
            from syncline.cli.show.checking.page import page

            return page(found, seconds)
        from syncline.cli.show.checked import screen

        return screen(found, seconds, verbose=verbose, offer=self._offer)

    def fix(self, found: Checked) -> None:
        """Write the safe fixes, and say on standard error what became of them."""
        from syncline.api.fixing import fix

        fixed = fix(self._root, found.findings)
        for one in fixed.problems:
            terminal.echo(f"syncline: not fixed: {one}", err=True)
        names = ", ".join(fixed.files[:5]) + (f" and {len(fixed.files) - 5} more" if len(fixed.files) > 5 else "")
        where = f" in {names}" if names else ""
        terminal.echo(f"fixed {fixed.findings} finding{'' if fixed.findings == 1 else 's'}{where}", err=True)

    async def watch(self, show: Callable[[Checked, float], str]) -> int:
        """Check whenever a file changes, until somebody interrupts."""
        while True:
            seen = _state(self._root)
            found, seconds = await self.once()
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise asyncio.CancelledError  # a render may have taken the interruption for its own
            terminal.echo(show(found, seconds))
            terminal.echo(terminal.style("waiting for changes; Ctrl-C ends", "dim"), err=True)
            while _state(self._root) == seen:  # noqa: ASYNC110 - files do not tell
                await asyncio.sleep(_EVERY)


def _state(root: Path) -> int:
    """Return a number that changes when any file below a folder does."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in files:
            try:
                stat = os.stat(os.path.join(folder, name), follow_symlinks=False)  # noqa: PTH116, PTH118 - of thousands
            except OSError:
                continue
            found.append((folder, name, stat.st_mtime_ns, stat.st_size))
    return hash(tuple(found))


class Progress:
    """Says on standard error how far a check is, and what it has just rendered, once it takes its time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now, self._begin = now, now()
        self._line = terminal.PassingLine()

    def told(self, done: int, known: int, name: str) -> None:
        """Show how many Applications are rendered, of how many."""
        if self._now() - self._begin > _PATIENCE:
            self._line.show(f"rendered {done} of {known}: {name}"[:_WIDE])

    def end(self) -> None:
        """Take the line away."""
        self._line.clear()
