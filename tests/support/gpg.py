"""A key ring of the real gpg, and commits signed with its keys.

Used as a context manager: `with key_ring() as gpg: gpg.commit(repository, gpg.key("ada"), files)`. Without gpg on the
machine the test is skipped.
"""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

import pytest

from tests.support.git_http import Repository


class Gpg:
    """A key ring in a folder of its own."""

    def __init__(self, home: pathlib.Path) -> None:
        self.home = home
        self.program = home / "gpg.sh"
        self.program.write_text(f'#!/bin/sh\nexec gpg --homedir "{home}" --batch --quiet "$@"\n')
        self.program.chmod(0o700)

    def run(self, *arguments: str) -> str:
        done = subprocess.run([str(self.program), *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def key(self, name: str, expires: str = "0") -> str:
        """Make a key and return its fingerprint."""
        self.run("--passphrase", "", "--quick-gen-key", f"{name} <{name}@example.com>", "ed25519", "sign", expires)
        listed = self.run("--with-colons", "--list-keys", f"{name}@example.com")
        return next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr"))

    def public(self, fingerprint: str) -> str:
        return self.run("--armor", "--export", fingerprint)

    def commit(self, repository: Repository, key: str, files: dict[str, str | None], message: str = "change") -> str:
        """Put a signed commit on the branch at hand; return its SHA."""
        repository.git("config", "gpg.program", str(self.program))
        repository.git("config", "user.signingkey", key)
        repository.write(files)
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "-S", "-m", message)
        return repository.git("rev-parse", "HEAD")


@contextlib.contextmanager
def key_ring() -> Iterator[Gpg]:
    """Yield an empty key ring."""
    if shutil.which("gpg") is None:
        pytest.skip("the program gpg is not on this machine")
    with tempfile.TemporaryDirectory(prefix="g", ignore_cleanup_errors=True) as folder:  # short: it holds sockets
        pathlib.Path(folder).chmod(0o700)
        yield Gpg(pathlib.Path(folder))
        subprocess.run(["gpgconf", "--homedir", folder, "--kill", "all"], check=False, capture_output=True)
