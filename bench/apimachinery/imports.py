"""Times importing the bottom layer in fresh interpreters, beside importing `typing`, which is part of it.

Run: python -m bench apimachinery.imports
Goal: 30 ms for everything. Bytecode is written first, as in an installed program; the figure is processor time, the
smallest of several runs.
"""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
import tempfile

from bench.rows import Row
from syncline import apimachinery

ROUNDS = 15
LATE = {"default_rules", "immutable_rules", "packed", "build", "spans", "splice"}
"""Imported inside functions, for they need msgspec or the YAML parser."""


def rows() -> list[Row]:
    every = [
        module.name
        for module in pkgutil.walk_packages(apimachinery.__path__, prefix="syncline.apimachinery.")
        if module.name.rpartition(".")[2] not in LATE
    ]
    with tempfile.TemporaryDirectory() as folder:
        bare = milliseconds(["typing"], folder)
        return [
            Row(
                name=f"import of apimachinery{what}",
                figure=milliseconds(names, folder),
                unit="ms",
                raw=bare,
                raw_is="import typing",
                at_most=30,
            )
            for what, names in (
                (", everything", every),
                (".merge", ["syncline.apimachinery.merge"]),
                (".yaml", ["syncline.apimachinery.yaml"]),
                (".keys", ["syncline.apimachinery.keys"]),
            )
        ]


def milliseconds(names: list[str], folder: str) -> float:
    program = f"import time\nbegin = time.process_time()\nimport {', '.join(names)}\nprint(time.process_time() - begin)"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = folder
    found = [
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        for _ in range(ROUNDS)
    ]
    return min(float(ran.stdout) for ran in found) * 1e3
