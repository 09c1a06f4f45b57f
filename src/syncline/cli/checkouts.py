"""The checkouts that one `syncline check` looks at: most often one, each with its own baseline and fixes.

Called by `syncline.cli.check`. What is found in several is put together by `syncline.api.checked_together`; each is
checked by its own `syncline.cli.checking.Run`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from syncline.cli.checking import Run

if TYPE_CHECKING:
    from syncline.api.applications import RenderFlags
    from syncline.api.check import Checked, Selection
    from syncline.core.diagnose.findings.same import Identity

Found = Mapping[Path, "Checked"]
"""What was found, by checkout."""
BaselineOf = Callable[[Path], tuple[Path, "tuple[Identity, ...] | frozenset[Identity]"]]
"""Returns the file of a checkout's baseline, and what is in it."""


def baseline_of(given: Path | None, *, write: bool) -> BaselineOf:
    """Return what finds the baseline of a checkout: the file that is given, else the usual one where it is there.

    A baseline that is about to be written is not read.
    """
    from syncline.api import baselines

    def found(root: Path) -> tuple[Path, tuple[Identity, ...] | frozenset[Identity]]:
        file = given or root / baselines.USUAL
        return file, baselines.read(file) if not write and (given or file.is_file()) else ()

    return found


class Checkouts:
    """All that is checked together; `again` where it is checked more than once."""

    def __init__(
        self,
        roots: Sequence[Path],
        wanted: RenderFlags,
        selection: Selection,
        baseline: BaselineOf,
        *,
        fetch: bool,
        again: bool,
    ) -> None:
        self._files: dict[Path, Path] = {}
        self._runs: dict[Path, Run] = {}
        for root in roots:
            self._files[root], known = baseline(root)
            offer = not known and not selection.select
            chosen = msgspec.structs.replace(selection, baseline=known)
            self._runs[root] = Run(root, wanted, chosen, fetch=fetch, offer=offer, again=again)

    @property
    def _first(self) -> Run:
        return next(iter(self._runs.values()))

    def once(self) -> tuple[Found, float]:
        """Check each once; return what was found and how long that took."""
        found: dict[Path, Checked] = {}
        total = 0.0
        for root, run in self._runs.items():
            found[root], seconds = asyncio.run(run.once())
            total += seconds
        return found, total

    def watch(self, output: str, *, verbose: bool) -> int:
        """Check whenever a file of the only checkout changes, until somebody interrupts."""
        run = self._first
        return asyncio.run(run.watch(lambda found, seconds: run.shown(found, seconds, output, verbose=verbose)))

    def whole(self, found: Found) -> Checked:
        """Return what was found everywhere as one; of a single checkout as it is."""
        from syncline.api.checked_together import together

        if len(found) == 1:
            return next(iter(found.values()))
        return together({os.path.relpath(root): one for root, one in found.items()})

    def shown(self, whole: Checked, seconds: float, output: str, *, verbose: bool) -> str:
        """Return what was found in the form that is asked for."""
        return self._first.shown(whole, seconds, output, verbose=verbose)

    def fix(self, found: Found) -> None:
        """Write the safe fixes into the files of each checkout."""
        for root, run in self._runs.items():
            run.fix(found[root])

    def write_baselines(self, found: Found) -> list[str]:
        """Write all findings to the baselines; return what was done, a sentence for each."""
        from syncline.api import baselines

        said = []
        for root, file in self._files.items():
            count = baselines.write(file, found[root].findings)
            said.append(f"{count} findings written to {file}; from now on they are left out")
        return said
