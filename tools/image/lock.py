"""The lock of the Debian packages: one file per architecture, one line `name version sha256` per package.

Written by `python -m tools.image --lock` (`make image-lock`), read by every build.
"""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

from tools.image.cache import ROOT
from tools.image.problem import ImageProblem

_LINE = re.compile(r"(?P<name>[a-z0-9][a-z0-9+.-]+) (?P<version>[0-9][A-Za-z0-9.+:~-]*) (?P<sha256>[0-9a-f]{64})")
_HEAD = "# The Debian packages of the image for {arch}, written by make image-lock: name, version, SHA-256.\n"


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """A Debian package: the version of it that is in the image, and its bytes."""

    name: str
    version: str
    sha256: str


def lock_path(arch: str) -> pathlib.Path:
    """Return the file that pins the packages of an architecture."""
    return ROOT / "packaging" / "image" / f"debian-{arch}.lock"


def read_lock(path: pathlib.Path) -> list[Package]:
    """Return the packages of a lock."""
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise ImageProblem(f"{path} cannot be read ({error.strerror}): write it with make image-lock") from None
    packages = []
    for number, line in enumerate(lines, start=1):
        if line and not line.startswith("#"):
            fields = _LINE.fullmatch(line)
            if fields is None:
                raise ImageProblem(f"{path}:{number} is not `name version sha256`: write it again with make image-lock")
            packages.append(Package(**fields.groupdict()))
    names = [package.name for package in packages]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ImageProblem(f"{path} pins {', '.join(twice)} twice: write it again with make image-lock")
    return sorted(packages)


def lock_text(arch: str, packages: list[Package]) -> str:
    """Return the text of a lock."""
    lines = (f"{package.name} {package.version} {package.sha256}\n" for package in sorted(packages))
    return _HEAD.format(arch=arch) + "".join(lines)


def differences(locked: list[Package], current: list[Package]) -> list[str]:
    """Return a line for each package that differs between a lock and other versions."""
    before = {package.name: package for package in locked}
    after = {package.name: package for package in current}
    lines = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old != new:
            lines.append(f"{name}: {old.version if old else 'not locked'} -> {new.version if new else 'not needed'}")
    return lines
