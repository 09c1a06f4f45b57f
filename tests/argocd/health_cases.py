"""Reads Argo CD's published health cases: an object, and the status that its check gives.

Used by `tests.argocd.test_health`.
"""

import posixpath
from collections.abc import Iterator

import msgspec

from syncline.apimachinery.keys import Object
from tests.argocd.module import Module

FOLDER = "resource_customizations"


class HealthCase(msgspec.Struct, frozen=True):
    """One published case; `name` is `group/Kind/file`."""

    name: str
    obj: Object
    status: str
    message: str

    @property
    def leaving(self) -> bool:
        """Whether the object is on its way out, of which Argo CD asks no script."""
        return "deletionTimestamp" in (self.obj.get("metadata") or {})


def health_cases(module: Module) -> Iterator[HealthCase]:
    """Yield every published case, by the names of the folders."""
    for path in module.find(FOLDER, "health_test.yaml"):
        folder = posixpath.dirname(path)
        for written in module.load(path)["tests"]:
            # Go reads names in any case, and the cases make use of it.
            test = {name.lower(): value for name, value in written.items()}
            given = posixpath.normpath(posixpath.join(folder, test["inputpath"]))
            health = test["healthstatus"]
            name = f"{folder.removeprefix(f'{FOLDER}/')}/{posixpath.basename(given)}"
            yield HealthCase(name, module.load(given), health.get("status") or "", health.get("message") or "")
