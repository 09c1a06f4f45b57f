"""Asks the programs on this machine which version they are, and whether they can be shut in, for `syncline doctor`.

Of helm and kubectl those are asked that render: `syncline.adapters.render.found` says which.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from syncline import processes
from syncline.enclosure import THE_ENCLOSURE

_ASK = {
    "git": ("--version",),
    "helm": ("version", "--short"),
    "kubectl": ("version", "--client"),
    "ssh": ("-V",),
}
_LIMITS = processes.ProcessLimits(seconds=20.0)


async def versions(names: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Return what each program says about itself, in one line; empty where there is none. `chosen` are paths."""
    return {name: await _version(name, chosen.get(name, "")) for name in names}


async def not_shut_in() -> str:
    """Say why programs that render cannot be shut in here; empty where they can."""
    return await THE_ENCLOSURE.refused()


async def _version(name: str, chosen: str) -> str:
    beside = Path(sys.executable).with_name(name)
    program = chosen or str(beside) if beside.exists() else processes.found_on_path(name)
    if not program:
        return ""
    try:
        ended = await processes.run([program, *_ASK[name]], environment=os.environ, limits=_LIMITS)
    except (processes.NotStarted, processes.OverLimit):
        return ""
    said = (ended.output or ended.errors).decode("utf-8", "replace").strip()
    return said.splitlines()[0] if said else "of unknown version"
