"""The page with 8,000 apps in a real Chromium: first paint, bytes of the first screen, the slowest frame."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.rows import Row
from tools import build_page

_APPS = 8000


@contextmanager
def _served() -> Iterator[str]:
    """Serve the apps in another process; yields the link that signs in."""
    command = [sys.executable, "-m", "bench.web.apps", str(_APPS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().rpartition(" ")[2].strip()
        finally:
            process.send_signal(signal.SIGINT)


def rows() -> list[Row]:
    """Measure once; a browser on a busy machine varies."""
    build_page.build(say=False)
    modules = build_page.npm_packages(tests=True)
    build_page.linked(modules)
    with _served() as link:
        done = subprocess.run(
            [str(build_page.node()), "tests/measure.mjs", link, str(_APPS)],
            cwd=build_page.WEB,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"the browser could not measure: {done.stderr.strip()[:300]}")
    found = json.loads(done.stdout)
    return [
        Row(name=f"page, {_APPS} apps: first paint", figure=found["paint"], unit="ms", at_most=1000),
        Row(name=f"page, {_APPS} apps: first rows", figure=found["rows"], unit="ms"),
        Row(name="page: bytes of the first screen", figure=found["bytes"] / 1024, unit="KB", at_most=250),
        Row(name=f"page, {_APPS} apps: slowest frame of 300", figure=found["worst"], unit="ms", at_most=50),
    ]
