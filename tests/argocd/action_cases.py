"""Reads Argo CD's published action cases: what an object offers, and what an action writes.

Used by `tests.argocd.test_actions`. What depends on the moment is put to a fixed value on both sides, as in Argo CD's
own tests (`NOW`, names of made objects).
"""

import posixpath
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from tests.argocd.health_cases import FOLDER
from tests.argocd.module import Module


class Offered(msgspec.Struct, frozen=True):
    """One published case of discovery: the actions by name, each as Argo CD's test writes it."""

    name: str
    obj: Object
    actions: dict[str, dict[str, Any]]


class Run(msgspec.Struct, frozen=True):
    """One published case of an action: the objects that it writes, or the error."""

    name: str
    action: str
    obj: Object
    parameters: dict[str, str]
    written: list[Object]
    error: str


def _tests(module: Module, name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path in module.find(FOLDER, "action_test.yaml"):
        folder = posixpath.dirname(path)
        kind = posixpath.dirname(folder).removeprefix(f"{FOLDER}/")
        for test in module.load(path).get(name) or ():
            yield kind, folder, test


def offered_cases(module: Module) -> Iterator[Offered]:
    """Yield every published case of discovery."""
    for kind, folder, test in _tests(module, "discoveryTests"):
        given = test["inputPath"]
        actions = {one["name"]: one for one in test["result"] or ()}
        yield Offered(f"{kind} {posixpath.basename(given)}", module.load(posixpath.join(folder, given)), actions)


def run_cases(module: Module) -> Iterator[Run]:
    """Yield every published case of an action."""
    for kind, folder, test in _tests(module, "actionTests"):
        given, expected = test["inputPath"], test.get("expectedOutputPath")
        written = module.load(posixpath.join(folder, expected)) if expected else []
        yield Run(
            name=f"{kind} {test['action']} {posixpath.basename(given)}",
            action=test["action"],
            obj=module.load(posixpath.join(folder, given)),
            parameters={key: str(value) for key, value in (test.get("parameters") or {}).items()},
            written=[one["unstructuredObj"] for one in written] if isinstance(written, list) else [written],
            error=test.get("expectedErrorMessage") or "",
        )
