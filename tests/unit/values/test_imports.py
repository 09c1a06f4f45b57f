"""Importing the bottom layer must not import what takes longer than the layer itself."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

from syncline import apimachinery

# These need the library by their nature and are imported inside functions, when there is work for them.
LATE = {
    "syncline.apimachinery.schema.cel",
    "syncline.apimachinery.schema.cel_sizes",
    "syncline.apimachinery.schema.cel_values",
    "syncline.apimachinery.schema.default_rules",
    "syncline.apimachinery.schema.immutable_rules",
    "syncline.apimachinery.schema.packed",
    "syncline.apimachinery.yaml.build",
    "syncline.apimachinery.yaml.go_writer",
    "syncline.apimachinery.yaml.spans",
    "syncline.apimachinery.yaml.splice",
}
SLOW = {"dataclasses", "inspect", "json", "jsonschema_rs", "msgspec", "orjson", "typing_extensions", "yaml", "zlib"}


def modules() -> list[str]:
    found = pkgutil.walk_packages(apimachinery.__path__, prefix="syncline.apimachinery.")
    return sorted({module.name for module in found if "apimachinery.cel" not in module.name} - LATE)


@pytest.mark.parametrize("module", ["keys", "merge", "patch.strategic", "schema.builtin", "schema.validate", "yaml"])
def test_a_part_imports_no_slow_library(module: str) -> None:
    assert imported([f"syncline.apimachinery.{module}"]) & SLOW == set()


def test_all_parts_together_import_neither_msgspec_nor_a_parser() -> None:
    assert imported(modules()) & (SLOW - {"json"}) == set()


def imported(names: list[str]) -> set[str]:
    """The modules a fresh interpreter has after importing the named ones."""
    program = f"import sys, {', '.join(names)}\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())
