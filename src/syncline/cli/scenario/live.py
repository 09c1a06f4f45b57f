"""Plays a story for somebody who watches: brought to its incident in time that jumps, then at the real rate.

Called by `syncline demo NAME`. Nothing is preloaded: renders, controller and cluster do their work, only the waiting is
left out. Each repair is a script beside the repository; whoever runs it, or presses Enter, sees the count rise.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from syncline import __version__, tasks, wiring
from syncline.cli.run.install import create, for_argocd_cli
from syncline.cli.run.signals import until_stopped
from syncline.cli.scenario.comparing import GOOD
from syncline.cli.scenario.play import Pace, Stage, on_stage
from syncline.cli.scenario.repairing import Repairs
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser
from syncline.model.settings.settings import Compat
from syncline.scenarios.story import Rules

if TYPE_CHECKING:
    from syncline.scenarios.story import Story

_AHEAD = 900.0
_POLL = 5.0
_LOOK = 1.0
_STILL = 20.0
_TOLD_EVERY = 3.0
_MARK = ".syncline-story"


async def live(story: Story, data: Path, port: int, *, once: bool) -> int:
    """Play a story until the user stops it; with `once` carry out every repair and stop when all is good."""
    _make_room(data)
    kubeconfig = data / "kubeconfig"
    time = wiring.FastForward(_AHEAD)
    sandbox = wiring.told_sandbox(story.cluster, f"the story {story.name}", time.clock)
    pace = Pace()
    begun = wiring.clock().monotonic()
    async with (
        wiring.serving(sandbox, kubeconfig),
        on_stage(story, sandbox, data / "repo", time.clock, compat=Compat.SYNCLINE, pace=pace) as stage,
    ):
        terminal.echo(f"{story.name}: {story.title}. Delivering it, without the waiting …", err=True)
        await stage.hurry_to(story.ours, _Progress(stage))
        with time.real_time():
            pace.seconds = _POLL
            await create(stage.cluster, for_argocd_cli(story.namespace), force=True)
            repairs = Repairs(story, data, kubeconfig)
            await repairs.prepare()
            return await _watched(story, stage, repairs, port, wiring.clock().monotonic() - begun, once=once)


async def _watched(story: Story, stage: Stage, repairs: Repairs, port: int, seconds: float, *, once: bool) -> int:
    from syncline.api.serving import server_tools
    from syncline.server.access.bootstrap import ensure_keys
    from syncline.server.app import Listening, serving

    tools, ports = server_tools(__version__), stage.ports
    await ensure_keys(ports.home, ports.settings.namespace, tools.passwords, tools.secrets, ports.clock)
    async with serving(ports, stage.controller.live, tools, Listening(port=port)) as served:
        terminal.echo(_welcome(story, stage, repairs, served.link(), seconds))
        watching = tasks.start(_follow(stage, repairs, once=once), name="repairs")
        stopped = tasks.start(until_stopped(), name="until stopped")
        done, _ = await asyncio.wait({watching, stopped}, return_when=asyncio.FIRST_COMPLETED)
        for task in (watching, stopped):
            task.cancel()
        await asyncio.gather(watching, stopped, return_exceptions=True)
        if watching in done and not watching.cancelled() and (error := watching.exception()):
            raise error
        return 0 if watching in done else 130


def _welcome(story: Story, stage: Stage, repairs: Repairs, page: str, seconds: float) -> str:
    from syncline.cli.tools import kubectl_path, program_path

    program = program_path("syncline") or "syncline"
    return f"""\
{_counted(stage)}, delivered in {seconds:.0f} s: real renders and a real controller, only the waiting was skipped.
  web page    {page}
  repository  {repairs.repository}

In another terminal:
  export KUBECONFIG={repairs.kubeconfig.resolve()}
  {program} diagnose -N {story.namespace}
  {kubectl_path()} get applications -n {story.namespace}
Press Enter for the next repair, or run what is printed; Ctrl-C ends the demo.
"""


async def _follow(stage: Stage, repairs: Repairs, *, once: bool) -> None:
    """Print each repair, have it done, and tell how the count rises until nothing changes any more."""
    enter = _enter()
    for number, step in enumerate(repairs.steps, start=1):
        terminal.echo(f"\nrepair {number} of {len(repairs.steps)}: {step.title}")
        if step.outside:
            terminal.echo(f"  stands for: {step.outside}")
        terminal.echo(f"  sh {repairs.script(number)}")
        while not repairs.is_done(number):
            if once or enter.is_set():
                enter.clear()
                await repairs.run(number)
            await asyncio.sleep(_LOOK / 4)
        await stage.refresh()
        await _settled(stage, step.expected(Rules.SYNCLINE))
    terminal.echo(f"\n{_counted(stage)}: the story is over.")
    if not once:
        await asyncio.Event().wait()


async def _settled(stage: Stage, expected: int) -> None:
    """Print the count whenever it changes; return when as many are good as should be, or long after the last change."""
    shown, since = -1, wiring.clock().monotonic()
    while shown != expected and wiring.clock().monotonic() - since < (_STILL if shown >= expected else 15 * _STILL):
        good = stage.statuses()[GOOD]
        if good != shown:
            terminal.echo(f"  {_counted(stage)}")
            shown, since = good, wiring.clock().monotonic()
        await asyncio.sleep(_LOOK)


class _Progress:
    """Says every few seconds how far the delivery is, by the clock on the wall: time in the story jumps."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._said = wiring.clock().monotonic()

    def __call__(self) -> None:
        now = wiring.clock().monotonic()
        if now - self._said >= _TOLD_EVERY:
            self._said = now
            terminal.echo(f"{_counted(self._stage)} so far", err=True)


def _counted(stage: Stage) -> str:
    counts = stage.statuses()
    return f"{counts[GOOD]:4} of {counts.total()} apps OK"


def _enter() -> asyncio.Event:
    """Return what is set whenever somebody presses Enter; never where nobody can."""
    pressed = asyncio.Event()

    def read() -> None:
        if sys.stdin.readline():
            pressed.set()
        else:
            asyncio.get_running_loop().remove_reader(sys.stdin)

    if sys.stdin is not None and sys.stdin.isatty():
        asyncio.get_running_loop().add_reader(sys.stdin, read)
    return pressed


def _make_room(data: Path) -> None:
    """Clear what an earlier run of a story left in a folder; leave folders of anybody else alone."""
    if data.exists() and any(data.iterdir()) and not (data / _MARK).exists():
        raise NeedsUser(f"{data} has files that no story wrote", hint="name an empty folder with --data")
    for name in ("repo", "repairs"):
        shutil.rmtree(data / name, ignore_errors=True)
    data.mkdir(parents=True, exist_ok=True)
    (data / _MARK).touch()
