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
from collections.abc import Callable, Iterator

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


@dataclasses.dataclass(frozen=True, slots=True)
class Recipe:
    """A Go module that pins versions, and the programs built from it."""

    module: pathlib.Path
    packages: dict[str, str]
    """Package to build, by the name of the binary."""
    title: str
    linker_flags: str
    prefix: str = ""
    """How the name of its cache folder begins."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that Go builds with, such as CGO_ENABLED."""
    tags: str = ""
    """Build tags, separated by spaces."""


def build(*, say: bool = True) -> Binaries:
    """Return the binaries, building them first if this version was never built here."""
    folder = made(Recipe(MODULE, PACKAGES, f"kube-apiserver {kubernetes_version()} and etcd", linker_flags()), say=say)
    return Binaries(folder / "kube-apiserver", folder / "etcd")


def made(recipe: Recipe, *, say: bool = True) -> pathlib.Path:
    """Return the folder with the programs of a recipe, building them first if this version was never built here."""
    go = find_go()
    folder = cache_folder() / f"{recipe.prefix}{digest(recipe.module, run([go, 'env', 'GOVERSION'], recipe.module))}"

    def fill(unfinished: pathlib.Path) -> None:
        for name, package in recipe.packages.items():
            begun = time.monotonic()
            flags = ["-trimpath", "-ldflags", recipe.linker_flags, *(["-tags", recipe.tags] if recipe.tags else [])]
            command = [go, "build", *flags, "-o", str(unfinished / name), package]
            run(command, recipe.module, **dict(recipe.environment))
            if say:
                print(f"  {name} built in {time.monotonic() - begun:.0f} s", flush=True)

    once(folder, recipe.title, fill, say=say)
    if say:
        print(f"{recipe.title} are in {folder}")
    return folder


def once(folder: pathlib.Path, what: str, fill: Callable[[pathlib.Path], None], *, say: bool) -> None:
    """Have a folder filled by whoever comes first; it appears by one rename, so one that exists is complete."""
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.parent / ".lock", what, say=say):
        if folder.is_dir():
            return
        begun = time.monotonic()
        if say:
            print(f"building {what} into {folder} (minutes, once)", flush=True)
        for left in folder.parent.glob("partial-*"):  # a run that was killed; the lock is ours, so nobody uses it
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="partial-", dir=folder.parent) as scratch:
            made = pathlib.Path(scratch) / "made"
            made.mkdir()
            fill(made)
            made.rename(folder)
        if say:
            print(f"built in {time.monotonic() - begun:.0f} s", flush=True)


def cache_folder(suite: str = "test-real") -> pathlib.Path:
    """Return the folder that holds one folder of binaries per version."""
    base = os.environ.get("SYNCLINE_CACHE")
    if base:
        return pathlib.Path(base).expanduser() / suite
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return pathlib.Path(home).expanduser() / "syncline" / suite


def kubernetes_version() -> str:
    """Return the Kubernetes version that go.mod names, such as v1.2.3."""
    text = (MODULE / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require\s+)?{re.escape(KUBERNETES)}\s+(v\S+)", text, re.MULTILINE)
    if found is None:
        raise BuildError(f"{MODULE / 'go.mod'} does not require {KUBERNETES}; add it back.")
    return found.group(1)


def find_go() -> str:
    """Return the path of Go."""
    go = shutil.which("go")
    if go is None:
        needed = re.search(r"^go (\S+)", (MODULE / "go.mod").read_text(), re.MULTILINE)
        version = needed.group(1) if needed else "a current version"
        raise BuildError(
            f"Go is missing: the tests against real programs build kube-apiserver, etcd and others with it; "
            f"install Go {version} or newer (https://go.dev/dl) and put `go` on PATH."
        )
    return go


def digest(module: pathlib.Path, *further: str) -> str:
    """Return a name for what is built from a module: another one for other requirements or further texts."""
    hashed = hashlib.sha256()
    parts = [(module / "go.mod").read_bytes(), (module / "go.sum").read_bytes()]
    for part in (*parts, *(text.strip().encode() for text in further)):
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return hashed.hexdigest()[:16]


@contextlib.contextmanager
def _locked(path: pathlib.Path, what: str, *, say: bool) -> Iterator[None]:
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if say:
                print(f"another run is building; {what} waits for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def linker_flags() -> str:
    """Return the flags that stamp the Kubernetes version into a program."""
    version = kubernetes_version()
    major, minor = version.removeprefix("v").split(".")[:2]
    stamps = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s", "-w", *(f"-X {VERSION_PACKAGE}.{name}={text}" for name, text in stamps.items())])


def run(argv: list[str], folder: pathlib.Path, **environment: str) -> str:
    """Return what a command of Go prints that runs in a module's folder."""
    # A go.work of the user further up would change which versions are built.
    full = os.environ | {"GOWORK": "off"} | environment
    done = subprocess.run(argv, cwd=folder, env=full, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-15:])
        raise BuildError(f"`{' '.join(argv)}` failed in {folder} with exit code {done.returncode}:\n{last}")
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
