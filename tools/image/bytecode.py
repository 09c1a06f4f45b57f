"""Compiles Python files of an image to bytecode, with the Python of the image.

The root is read-only at run time, and without bytecode every start would compile what it imports. The files are
`unchecked-hash`: Python does not compare them with their sources, so times do not matter. The Python of the image runs
here through its own loader, so the bytecode is that of its version whatever Python runs the build; an image for
another machine is compiled by the same Python built for this one.
"""

from __future__ import annotations

import os
import pathlib
import platform
import shutil
import subprocess

from tools.image.problem import ImageProblem

# Architecture, multiarch folder and loader, by what the kernel calls a machine.
_HOSTS = {
    "x86_64": ("amd64", "x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
    "aarch64": ("arm64", "aarch64-linux-gnu", "ld-linux-aarch64.so.1"),
}
# One file at a time in a fixed order: what marshal writes also depends on which objects are shared at that moment.
_COMPILE = """
import pathlib, py_compile, sys
root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1], sys.argv[2])
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for path in sorted(folder.rglob("*.py")):
    try:
        py_compile.compile(str(path), dfile="/" + str(path.relative_to(root)), doraise=True, invalidation_mode=mode)
    except (py_compile.PyCompileError, UnicodeDecodeError) as error:
        print(f"{path.relative_to(root)}: {str(error).splitlines()[0]}")
"""


def host_arch() -> str:
    """Return the architecture of this machine, as Debian and Go call it."""
    try:
        return _HOSTS[platform.machine()][0]
    except KeyError:
        raise ImageProblem(f"images are built on x86_64 or aarch64, and this machine is {platform.machine()}") from None


def copy_tree(source: pathlib.Path, target: pathlib.Path) -> None:
    """Copy a root with its links."""
    shutil.copytree(source, target, symlinks=True)


def compile_tree(host: pathlib.Path, root: pathlib.Path, folder: str) -> None:
    """Write bytecode for the files below a folder of a root; a file that does not compile is left as source."""
    _arch, libraries, loader = _HOSTS[platform.machine()]
    folder_of_libraries = host / "usr/lib" / libraries
    command = [
        *(str(folder_of_libraries / loader), "--library-path", str(folder_of_libraries)),
        *(str(host / "usr/bin/python3.11"), "-S", "-P", "-c", _COMPILE, str(root), folder),
    ]
    environment = {
        "PATH": os.defpath,
        "PYTHONHOME": str(host / "usr"),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImageProblem(f"the Python of the image does not run here: {done.stderr.strip()[-300:]}")
