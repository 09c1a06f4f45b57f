"""Builds the Go program that judges templates of ApplicationSets, and asks it.

Called by `tests.real.test_templates` and `tests.real.record_templates`. The versions are in
`tests/real/templates/go.mod`; the program is kept in the cache of `tests.real.build`, in a folder that is named by a
digest of its sources and of Go's version.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any

from tests.real import build
from tests.support import gotemplates

MODULE = pathlib.Path(__file__).parent / "templates"
SPRIG = "github.com/Masterminds/sprig/v3"


def program() -> pathlib.Path:
    """Return the program, built first if these sources were never built here."""
    go = shutil.which("go")
    if go is None:
        raise build.BuildError("Go is missing: the judge of templates is built with it; install Go and put it on PATH.")
    digest = hashlib.sha256(go_version().encode())
    for path in sorted(MODULE.iterdir()):
        digest.update(path.read_bytes())
    folder = build.cache_folder() / f"templates-{digest.hexdigest()[:16]}"
    made = folder / "judge"
    if not made.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"partial-{os.getpid()}"
        environment = os.environ | {"GOWORK": "off", "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"}
        argv = [go, "build", "-trimpath", "-o", str(partial), "."]
        done = subprocess.run(argv, cwd=MODULE, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise build.BuildError(f"the judge of templates cannot be built: {done.stderr.strip()[-1500:]}")
        partial.rename(made)
    return made


def go_version() -> str:
    """Return the version of the Go that builds."""
    return subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout.strip()


def sprig_version() -> str:
    """Return the version of Sprig that go.mod names."""
    found = re.search(rf"{re.escape(SPRIG)} (v\S+)", (MODULE / "go.mod").read_text())
    return found[1] if found else ""


def ask(cases: Iterable[dict[str, Any]]) -> list[dict[str, str]]:
    """Return what Go makes of each case."""
    lines = "".join(json.dumps(gotemplates.asked(case)) + "\n" for case in cases)
    done = subprocess.run(
        [program()], input=lines, env=os.environ | {"TZ": "UTC"}, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
