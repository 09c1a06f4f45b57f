"""Builds the Argo CD that judges ours, with the kustomize and redis it needs, and says where they are.

Called by `tests.argocd.conftest` and as `python -m tests.argocd.build`; it hands `Programs` to `tests.argocd.harness`.
3.2.11 is the newest version whose modules can all be fetched: later ones need a nested module that is not published.
Kustomize is the one that `kubectl kustomize` holds, but Argo CD also needs its `edit`.
"""

import dataclasses
import pathlib
import shutil
import sys
import time
import zipfile

from tests.argocd import module
from tests.real import build as real

VERSION, SUM = "v3.2.11", "h1:3hkR11XCp/nlyM2cWr3qeUSGuZgi3JkFdMpzgL5qOR8="
MODULE = pathlib.Path(__file__).parent / "programs"
# Package to build, by the name of the program.
PACKAGES = {"kustomize": "sigs.k8s.io/kustomize/kustomize/v5", "redis": "./redis"}
STAMP = f"-X {module.PATH}/common.version={VERSION.removeprefix('v')}"
FLAGS = ["-trimpath", "-ldflags", f"-s -w {STAMP}"]


@dataclasses.dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs are, and Argo CD's definitions of its kinds."""

    folder: pathlib.Path

    @property
    def argocd(self) -> pathlib.Path:
        """Argo CD, all of it: the name that it is called by says which part it plays."""
        return self.folder / "argocd"

    @property
    def redis(self) -> pathlib.Path:
        """A redis that takes its address as its only argument."""
        return self.folder / "redis"

    @property
    def definitions(self) -> pathlib.Path:
        """The folder of the CustomResourceDefinitions."""
        return self.folder / "crds"


def build(*, say: bool = True) -> Programs:
    """Return the programs, building them first if these versions were never built here."""
    go = real.find_go()
    name = real.digest(
        MODULE, (MODULE / "redis/main.go").read_text(), VERSION, real.run([go, "env", "GOVERSION"], MODULE)
    )
    programs = Programs(real.cache_folder("test-argocd") / name)
    what = f"Argo CD {VERSION}, kustomize and redis"

    def fill(made: pathlib.Path) -> None:
        for name, package in PACKAGES.items():
            _timed(name, [go, "build", *FLAGS, "-o", str(made / name), package], MODULE, say=say)
        # Go builds no program inside of its module cache.
        source = _unpacked(made.parent / "source")
        _timed("argocd", [go, "build", *FLAGS, "-o", str(made / "argocd"), "./cmd"], source, say=say)
        shutil.copytree(source / "manifests/crds", made / "crds")

    real.once(programs.folder, what, fill, say=say)
    if say:
        print(f"{what} are in {programs.folder}")
    return programs


def _timed(name: str, argv: list[str], folder: pathlib.Path, *, say: bool) -> None:
    begun = time.monotonic()
    real.run(argv, folder, CGO_ENABLED="0", GOFLAGS="-mod=mod -buildvcs=false")
    if say:
        print(f"  {name} built in {time.monotonic() - begun:.0f} s", flush=True)


def _unpacked(folder: pathlib.Path) -> pathlib.Path:
    try:
        archive = module.archive(VERSION, SUM)
    except module.ModuleMissing as error:
        raise real.BuildError(str(error)) from error
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    return folder / f"{module.PATH}@{VERSION}"


def main() -> int:
    """Build and say so; exit code 1 with one sentence when that is not possible."""
    try:
        build()
    except real.BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
