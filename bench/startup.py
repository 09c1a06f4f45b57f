"""How long `syncline --help` takes, beside a bare `python -c pass` in the same run.

Goal: 150 ms. Both run with bytecode that an earlier run left, as they do for a user from the second time on.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from bench.rows import Row

_ROUNDS = 15
_HELP = "from syncline.cli.main import main; main(['--help'])"
_COMMAND_HELP = "from syncline.cli.main import main; main(['why', '--help'])"


def milliseconds(command: Sequence[str], environment: dict[str, str]) -> float:
    """Return the best of several runs of a process, from start to end."""
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.perf_counter() - start)
    return best * 1000


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        bare = milliseconds([sys.executable, "-c", "pass"], environment)
        whole = milliseconds([sys.executable, "-c", _HELP], environment)
        one = milliseconds([sys.executable, "-c", _COMMAND_HELP], environment)
    return [
        Row(name="syncline --help", figure=whole, unit="ms", raw=bare, raw_is="python -c pass", at_most=150),
        Row(name="syncline why --help", figure=one, unit="ms", raw=bare, raw_is="python -c pass"),
    ]
