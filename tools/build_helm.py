"""Builds the helm that images and CI use, from the Go module in `packaging/helm`, and says where it is.

Run as `python -m tools.build_helm` by `make helm`; `--into FOLDER` puts the program where an image wants it. The
version is pinned by `packaging/helm/go.mod` and every byte of it by go.sum. The folder of the program lies in the
cache, is named by a digest of both and appears by one rename, so a folder that exists is complete: `--where` prints it
without needing Go, and nothing where it was never built.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
MODULE = ROOT / "packaging" / "helm"
HELM = "helm.sh/helm/v4"
# What Linux calls the machines that images are built for, by their names in Go.
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


class NotBuilt(Exception):
    """Helm cannot be built; the message is one sentence that says why and what to do."""


def version() -> str:
    """Return the version that go.mod pins, such as v4.3.1."""
    found = re.search(rf"^(?:require )?\s*{re.escape(HELM)} (v\S+)", (MODULE / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        raise NotBuilt(f"{MODULE / 'go.mod'} does not require {HELM}: add it back")
    return found[1]


def folder(arch: str = "") -> pathlib.Path:
    """Return the folder that the program is in once it was built here, for this machine or for Linux on `arch`."""
    system = f"linux {MACHINES[arch]}" if arch else f"{sys.platform} {platform.machine()}"
    hashed = hashlib.sha256(system.encode())
    for name in ("go.mod", "go.sum"):
        hashed.update(hashlib.sha256((MODULE / name).read_bytes()).digest())
    base = os.environ.get("SYNCLINE_CACHE")
    home = pathlib.Path(base) if base else pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "syncline"
    return home.expanduser() / "helm" / hashed.hexdigest()[:16]


def build(arch: str = "", *, say: bool = True) -> pathlib.Path:
    """Return the program, building it first where this version was never built here.

    `arch` is that of an image, such as arm64; without one the program is for this machine.
    """
    made = folder(arch)
    if not made.is_dir():
        go = shutil.which("go")
        if go is None:
            raise NotBuilt("Go is missing: install it (https://go.dev/dl) to build helm, or go on with the helm wheel")
        made.parent.mkdir(parents=True, exist_ok=True)
        with (made.parent / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.is_dir():
                _build(go, made, arch, say=say)
    return made / "helm"


def _build(go: str, made: pathlib.Path, arch: str, *, say: bool) -> None:
    begun = time.monotonic()
    if say:
        print(f"building helm {version()} into {made} (minutes, once)", file=sys.stderr, flush=True)
    # Helm names itself without its patch release unless it is told.
    flags = f"-s -w -X {HELM}/internal/version.version={version()}"
    with tempfile.TemporaryDirectory(prefix="partial-", dir=made.parent) as scratch:
        target = pathlib.Path(scratch) / "made"
        target.mkdir()
        command = [go, "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", flags]
        target_system = {"GOOS": "linux", "GOARCH": arch} if arch else {}
        environment = {**os.environ, "CGO_ENABLED": "0", **target_system}
        done = subprocess.run(
            [*command, "-o", str(target / "helm"), f"{HELM}/cmd/helm"],
            cwd=MODULE,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise NotBuilt(f"go build of helm failed: {done.stderr.strip()[-2000:]}")
        target.rename(made)
    if say:
        print(f"built in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)


def main() -> int:
    """Build, or only say where the program is; exit code 1 with one sentence where it cannot be built."""
    parser = argparse.ArgumentParser(description="Build the helm that images and CI use.")
    parser.add_argument("--where", action="store_true", help="only print the folder it is in, if it was built")
    parser.add_argument("--into", type=pathlib.Path, metavar="FOLDER", help="copy the program into this folder")
    wanted = parser.parse_args()
    try:
        if wanted.where:
            if folder().is_dir():
                print(folder())
            return 0
        program = build()
        if wanted.into is not None:
            wanted.into.mkdir(parents=True, exist_ok=True)
            program = pathlib.Path(shutil.copy2(program, wanted.into / "helm"))
        print(program)
    except NotBuilt as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
