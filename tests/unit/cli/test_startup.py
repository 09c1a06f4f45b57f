"""Help comes quickly because nothing heavy is loaded for it; how quickly is measured by `bench.startup`."""

import subprocess
import sys

import pytest

CODE = """
import sys
from syncline.cli.main import main
try:
    main({arguments!r})
except SystemExit as end:
    assert end.code == 0, end.code
print(*sorted(name for name in sys.modules if "." not in name), file=sys.stderr)
"""
# What a verb works with (msgspec, orjson) is loaded with it; what it may never need is not.
HEAVY = {"aiohttp", "jsonschema_rs", "msgspec", "orjson", "pygit2", "starlette", "uvicorn", "yaml"}


@pytest.mark.parametrize(
    ("arguments", "not_loaded"),
    [
        (["--help"], HEAVY | {"asyncio", "ssl", "logging"}),
        (["--version"], HEAVY | {"asyncio", "ssl", "logging"}),
        (["demo", "--help"], HEAVY),
        (["up", "--help"], HEAVY),
        (["app", "--help"], HEAVY),
        (["cluster", "--help"], HEAVY),
        (["app", "sync", "--help"], HEAVY - {"msgspec", "orjson"}),
        (["why", "--help"], HEAVY - {"msgspec", "orjson"}),
        (["admin", "crds", "--help"], HEAVY),
        (["sandbox", "--help"], HEAVY),
    ],
)
def test_help_loads_nothing_heavy(arguments: list[str], not_loaded: set[str]) -> None:
    command = [sys.executable, "-c", CODE.format(arguments=arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert not_loaded & set(done.stderr.split()) == set()
