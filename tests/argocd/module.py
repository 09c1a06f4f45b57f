"""Fetches Argo CD's Go module and reads files out of it, so that its own tests can judge our rules.

Called by `tests.argocd.conftest`; nothing of the module is ever written into this folder. The archive stays in Go's
module cache, and is read from there: one that is present needs no network. The module may ask for a newer Go than the
one at hand: `go mod download` then complains, but has stored the archive, which is all that is needed here.
"""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import zipfile
from typing import Any

import yaml

PATH, VERSION = "github.com/argoproj/argo-cd/v3", "v3.6.0-rc2"
SUM = "h1:TeJoJAgoPMCLi47Qh/BVE36LThfOcHh5vr1ang7DJrI="


class ModuleMissing(Exception):
    """The module cannot be fetched; the message is one sentence saying what to do."""


class _Loader(yaml.CSafeLoader):
    """Reads YAML as Argo CD's tests do: times stay texts, and of a key that is given twice the last one counts."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


class Module:
    """The files of the module, by their paths inside of it."""

    def __init__(self, archive: pathlib.Path) -> None:
        self._zip = zipfile.ZipFile(archive)
        self._root = f"{PATH}@{VERSION}/"
        self._names = [name.removeprefix(self._root) for name in self._zip.namelist()]

    def find(self, folder: str, name: str) -> list[str]:
        """Return the paths of all files of a name below a folder, sorted."""
        return sorted(path for path in self._names if path.startswith(f"{folder}/") and path.endswith(f"/{name}"))

    def below(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder, sorted."""
        return sorted(path for path in self._names if path.startswith(f"{folder}/"))

    def read(self, path: str) -> bytes:
        """Return what a file holds."""
        return self._zip.read(self._root + path)

    def load(self, path: str) -> Any:
        """Return the value of a YAML file: its first document, as Go's reader gives it."""
        return next(yaml.load_all(self.read(path), _Loader))

    def close(self) -> None:
        """Close the archive."""
        self._zip.close()


@functools.cache
def archive(version: str = VERSION, checksum: str = SUM) -> pathlib.Path:
    """Return the module's archive in Go's module cache, fetched first if it is not there."""
    if shutil.which("go") is None:
        raise ModuleMissing("Go is missing: Argo CD's module is fetched with it; install Go and put `go` on PATH.")
    # A newer toolchain is not needed to store a module, and a go.work or vendor folder further up has no say.
    environment = os.environ | {"GOFLAGS": "-mod=mod", "GOWORK": "off", "GOTOOLCHAIN": "local"}
    done = subprocess.run(
        ["go", "mod", "download", "-json", f"{PATH}@{version}"], env=environment, capture_output=True, text=True
    )
    told = json.loads(done.stdout or "{}")
    if not told.get("Zip"):
        why = told.get("Error") or done.stderr.strip() or "go mod download says nothing"
        raise ModuleMissing(f"{PATH}@{version} cannot be fetched: {why}")
    if told.get("Sum") != checksum:
        found = told.get("Sum")
        raise ModuleMissing(f"{PATH}@{version} has the checksum {found}, not {checksum}: clear Go's module cache.")
    return pathlib.Path(told["Zip"])
