"""Writes the repairs of a story as scripts that anybody can read and run, and runs them.

Used by `syncline.cli.scenario.live`. A commit waits on a branch of its own and is picked from there; everything else is
the command that a person would type.
"""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

from syncline.cli.run.example_repo import git
from syncline.cli.scenario.repository import StoryRepository
from syncline.cli.tools import kubectl_path, program_path
from syncline.model.errors import NeedsUser
from syncline.scenarios.story import Deed, Rules, Step, Story, Verb


class Repairs:
    """The steps of a story by Syncline's rules, each with its script."""

    def __init__(self, story: Story, data: Path, kubeconfig: Path) -> None:
        self.steps = story.steps
        self.repository = data / "repo"
        self.kubeconfig = kubeconfig
        self._folder = data / "repairs"

    def script(self, number: int) -> Path:
        """Return the script of a step; they count from 1."""
        return self._folder / f"{number}.sh"

    def is_done(self, number: int) -> bool:
        """Tell whether the script of a step has ended well."""
        return self.script(number).with_suffix(".done").exists()

    async def prepare(self) -> None:
        """Put commits on branches, and write the scripts."""
        self._folder.mkdir()
        for number, step in enumerate(self.steps, start=1):
            await self._branch(number, step)
            self.script(number).write_text(self._text(number, step), encoding="utf-8")

    async def run(self, number: int) -> None:
        """Run the script of a step."""
        process = await asyncio.create_subprocess_exec(
            "sh", str(self.script(number)), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
        _, complaint = await process.communicate()
        if process.returncode:
            raise NeedsUser(f"{self.script(number)} failed: {complaint.decode(errors='replace').strip()}")

    async def _branch(self, number: int, step: Step) -> None:
        """Make the commits of a step on a branch that ends where the step before it ends."""
        if not step.commits:
            return
        repository = StoryRepository(self.repository)
        before = next((one for one in range(number - 1, 0, -1) if self.steps[one - 1].commits), 0)
        await git(self.repository, "checkout", "--quiet", "-b", f"repair-{number}", *_start(before))
        for commit in step.commits:
            await repository.commit(commit)
        await git(self.repository, "checkout", "--quiet", "main")

    def _text(self, number: int, step: Step) -> str:
        lines = ["set -e", f"export KUBECONFIG={shlex.quote(str(self.kubeconfig.resolve()))}"]
        folder = shlex.quote(str(self.repository.resolve()))
        if step.commits:
            lines.append(
                f"git -C {folder} cherry-pick --allow-empty repair-{number}~{len(step.commits)}..repair-{number}"
            )
        lines += [self._command(deed) for deed in step.deeds if deed.by in (None, Rules.SYNCLINE)]
        done = shlex.quote(str(self.script(number).resolve().with_suffix(".done")))
        return "\n".join([f"# {step.title}", *lines, f"touch {done}", ""])

    def _command(self, deed: Deed) -> str:
        """Return a deed as a command of the programs at hand."""
        program, _, rest = str(deed).partition(" ")
        found = kubectl_path() if program == "kubectl" else program_path("syncline") or "syncline"
        path = shlex.quote(str(Path(found).resolve()) if "/" in found else found)
        namespace = f" -N {shlex.quote(deed.namespace)}" if deed.verb in (Verb.SYNC, Verb.TERMINATE) else ""
        return f"{path} {rest}{namespace}"


def _start(before: int) -> tuple[str, ...]:
    return (f"repair-{before}",) if before else ()
