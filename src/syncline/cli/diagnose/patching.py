"""`syncline diagnose ID --patch`: the edits of a fix as a patch for `git apply`, made from the files at hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from syncline.cli.show import terminal
from syncline.core.diagnose.findings.patch import patch
from syncline.model.diagnosis import RootCause
from syncline.verbs.errors import NotFound


def print_patch(causes: tuple[RootCause, ...]) -> int:
    """Print the patch of some causes; exit 1 where an edit does not fit, with why on standard error."""
    edits = [edit for cause in causes if cause.finding.fix for edit in cause.finding.fix.edits]
    if not edits:
        raise NotFound(
            "no patch is offered here",
            hint="the right value does not follow from the repository or the cluster: it is a decision, see the fix",
        )
    made = patch(dict.fromkeys(edits), _reader(Path.cwd()))
    if made.text:
        terminal.echo_data(made.text, nl=False)
    for problem in made.problems:
        terminal.echo(f"syncline: {problem}", err=True)
    return 1 if made.problems or not made.text else 0


def _reader(start: Path) -> Callable[[str], str | None]:
    """Return what reads files of the repository around a folder, and nothing outside it."""
    root = next((one for one in (start, *start.parents) if (one / ".git").exists()), start).resolve()

    def read(name: str) -> str | None:
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            return None
        # Bytes, because line breaks have to stay what they are.
        return path.read_bytes().decode()

    return read
