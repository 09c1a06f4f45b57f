"""Checks of the files of an image before it is written: every program is for its machine and finds its libraries."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Sequence

from tools.image.elf import MACHINES, read_elf
from tools.image.problem import ImageProblem

_FOLDERS = ("usr/lib", "usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu")


def check_programs(arch: str, roots: Sequence[pathlib.Path]) -> int:
    """Return how many ELF files the layers have; raises where one is for another machine or lacks a library."""
    system = {path.name for root in roots for folder in _FOLDERS for path in (root / folder).glob("*.so*")}
    count = 0
    for root, path in _files(roots):
        elf = read_elf(path)
        if elf is None:
            continue
        count += 1
        name = f"/{path.relative_to(root)}"
        if elf.machine != MACHINES[arch]:
            raise ImageProblem(f"{name} is for ELF machine {elf.machine}, and {arch} is {MACHINES[arch]}")
        own = _own_libraries(path)
        if lacking := [library for library in elf.libraries if library not in system | own]:
            raise ImageProblem(f"{name} loads {', '.join(lacking)}, which the image lacks: add its Debian package")
    return count


def _own_libraries(path: pathlib.Path) -> set[str]:
    """Return the libraries that a wheel brings: beside its modules, or in a folder whose name ends in .libs."""
    folders = [path.parent, *path.parent.glob("*.libs"), *path.parents[1].glob("*.libs")]
    return {library.name for folder in folders for library in folder.iterdir()}


def _files(roots: Sequence[pathlib.Path]) -> Iterator[tuple[pathlib.Path, pathlib.Path]]:
    for root in roots:
        for folder, _folders, names in os.walk(root):
            for name in names:
                path = pathlib.Path(folder, name)
                if not path.is_symlink():
                    yield root, path
