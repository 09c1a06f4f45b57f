"""Builds the kube-apiserver and etcd that `tests/real` runs against, and says where they are.

Called by `tests.real.conftest` and as `python -m tests.real.build`; it hands `Binaries` to
`tests.real.cluster`. The versions come from `tests/real/binaries/go.mod`, nowhere else.
The cache folder is named by a digest of go.mod, go.sum and the Go version and appears by one rename,
so a folder that exists is complete.
"""

import contextlib
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

MODULE = pathlib.Path(__file__).parent / "binaries"
KUBERNETES = "k8s.io/kubernetes"
VERSION_PACKAGE = "k8s.io/component-base/version"
# Package to build, by the name of the binary.
PACKAGES = {"etcd": "go.etcd.io/etcd/server/v3", "kube-apiserver": f"{KUBERNETES}/cmd/kube-apiserver"}


class BuildError(Exception):
    """The binaries cannot be had; the message is one sentence saying what to do."""


@dataclasses.dataclass(frozen=True, slots=True)
class Binaries:
    """Where the two programs are."""

    kube_apiserver: pathlib.Path
    etcd: pathlib.Path


def build(*, say: bool = True) -> Binaries:
    """Return the binaries, building them first if this version was never built here."""
    go = _go()
    go_version = _run([go, "env", "GOVERSION"]).strip()
    folder = cache_folder() / _digest(go_version)
    binaries = Binaries(folder / "kube-apiserver", folder / "etcd")
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.parent / ".lock", say=say):
            if not folder.is_dir():
                _build_into(folder, go, say=say)
    if say:
        print(f"kube-apiserver {kubernetes_version()} and etcd are in {folder}")
    return binaries


def cache_folder() -> pathlib.Path:
    """Return the folder that holds one folder of binaries per version."""
    base = os.environ.get("SYNCLINE_CACHE")
    if base:
        return pathlib.Path(base).expanduser() / "test-real"
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return pathlib.Path(home).expanduser() / "syncline" / "test-real"


def kubernetes_version() -> str:
    """Return the Kubernetes version that go.mod names, such as v1.2.3."""
    text = (MODULE / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require\s+)?{re.escape(KUBERNETES)}\s+(v\S+)", text, re.MULTILINE)
    if found is None:
        raise BuildError(f"{MODULE / 'go.mod'} does not require {KUBERNETES}; add it back.")
    return found.group(1)


def _go() -> str:
    go = shutil.which("go")
    if go is None:
        needed = re.search(r"^go (\S+)", (MODULE / "go.mod").read_text(), re.MULTILINE)
        version = needed.group(1) if needed else "a current version"
        raise BuildError(
            f"Go is missing: the tests against a real API server build kube-apiserver and etcd with it; "
            f"install Go {version} or newer (https://go.dev/dl) and put `go` on PATH."
        )
    return go


def _digest(go_version: str) -> str:
    hashed = hashlib.sha256()
    for part in ((MODULE / "go.mod").read_bytes(), (MODULE / "go.sum").read_bytes(), go_version.encode()):
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return hashed.hexdigest()[:16]


@contextlib.contextmanager
def _locked(path: pathlib.Path, *, say: bool) -> Iterator[None]:
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if say:
                print("another run is building kube-apiserver and etcd; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build_into(folder: pathlib.Path, go: str, *, say: bool) -> None:
    begun = time.monotonic()
    if say:
        print(
            f"building kube-apiserver {kubernetes_version()} and etcd into {folder} (minutes, once)",
            flush=True,
        )
    for left in folder.parent.glob("partial-*"):  # a run that was killed; the lock is ours, so nobody uses it
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="partial-", dir=folder.parent) as scratch:
        made = pathlib.Path(scratch) / "made"
        made.mkdir()
        for name, package in PACKAGES.items():
            one_begun = time.monotonic()
            _run([go, "build", "-trimpath", "-ldflags", _linker_flags(), "-o", str(made / name), package])
            if say:
                print(f"  {name} built in {time.monotonic() - one_begun:.0f} s", flush=True)
        made.rename(folder)
    if say:
        print(f"built in {time.monotonic() - begun:.0f} s", flush=True)


def _linker_flags() -> str:
    version = kubernetes_version()
    major, minor = version.removeprefix("v").split(".")[:2]
    stamps = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s", "-w", *(f"-X {VERSION_PACKAGE}.{name}={text}" for name, text in stamps.items())])


def _run(argv: list[str]) -> str:
    # A go.work of the user further up would change which versions are built.
    environment = os.environ | {"GOWORK": "off"}
    done = subprocess.run(argv, cwd=MODULE, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-15:])
        raise BuildError(f"`{' '.join(argv)}` failed in {MODULE} with exit code {done.returncode}:\n{last}")
    return done.stdout


def main() -> int:
    """Build and say so; exit code 1 with one sentence when that is not possible."""
    try:
        build()
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
